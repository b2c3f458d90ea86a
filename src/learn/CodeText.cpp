#include "learn/CodeText.h"

namespace nereid::learn {

std::string codeWithoutComments(const std::string &text) {
  std::string code = text;
  auto blank = [&](size_t i) {
    if (code[i] != '\n')
      code[i] = ' ';
  };
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '#') {
      for (; i < text.size() && text[i] != '\n'; ++i)
        blank(i);
    } else if (c == '"' || c == '\'') {
      bool isLong = text.compare(i, 3, std::string(3, c)) == 0;
      std::string quote(isLong ? 3 : 1, c);
      size_t j = i + quote.size();
      while (j < text.size() && text.compare(j, quote.size(), quote) != 0 && (isLong || text[j] != '\n'))
        j += text[j] == '\\' ? 2 : 1;
      size_t end = std::min(j, text.size());
      for (size_t k = i + quote.size(); k < end; ++k)
        blank(k);
      i = end + quote.size() - 1;
    }
  }
  return code;
}

static bool isPartOfName(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t findCode(const std::string &code, const std::string &words) {
  if (words.empty())
    return std::string::npos;
  for (size_t at = 0; (at = code.find(words, at)) != std::string::npos; ++at) {
    size_t end = at + words.size();
    bool beginsInside = at > 0 && isPartOfName(words.front()) && isPartOfName(code[at - 1]);
    bool endsInside = end < code.size() && isPartOfName(words.back()) && isPartOfName(code[end]);
    if (!beginsInside && !endsInside)
      return at;
  }
  return std::string::npos;
}

unsigned firstHole(const std::string &text) {
  unsigned line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view content = std::string_view(text).substr(begin, end - begin);
    size_t comment = content.find('#');
    if (comment != std::string_view::npos && content.find("YOUR CODE", comment) != std::string_view::npos)
      return line;
    begin = end + 1;
  }
  return 0;
}

std::vector<std::string> codeLines(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#')
      continue;
    lines.push_back(line.substr(first, last + 1 - first));
  }
  return lines;
}

} // namespace nereid::learn
