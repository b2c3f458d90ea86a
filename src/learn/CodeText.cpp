#include "learn/CodeText.h"

#include <algorithm>
#include <string_view>

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

size_t findCode(const std::string &code, const std::string &words, size_t from) {
  if (words.empty())
    return std::string::npos;
  for (size_t at = from; (at = code.find(words, at)) != std::string::npos; ++at) {
    size_t end = at + words.size();
    bool beginsInside = at > 0 && isPartOfName(words.front()) && isPartOfName(code[at - 1]);
    bool endsInside = end < code.size() && isPartOfName(words.back()) && isPartOfName(code[end]);
    if (!beginsInside && !endsInside)
      return at;
  }
  return std::string::npos;
}

int64_t countCode(const std::string &code, const std::string &words) {
  int64_t count = 0;
  for (size_t at = 0; (at = findCode(code, words, at)) != std::string::npos; at += words.size())
    ++count;
  return count;
}

static bool isHole(std::string_view line) {
  size_t comment = line.find('#');
  return comment != std::string_view::npos && line.find("YOUR CODE", comment) != std::string_view::npos;
}

static std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

unsigned firstHole(const std::string &text) {
  std::vector<std::string_view> lines = linesOf(text);
  auto found = std::ranges::find_if(lines, isHole);
  return found == lines.end() ? 0 : static_cast<unsigned>(found - lines.begin()) + 1;
}

unsigned firstHoleOf(const std::string &starter, const std::string &text) {
  std::vector<std::string_view> lines = linesOf(text), given = linesOf(starter);
  auto behind = [](const std::vector<std::string_view> &all, size_t i) {
    auto isCode = [](std::string_view line) { return line.find_first_not_of(" \t\r") != line.npos; };
    auto next = std::find_if(all.begin() + static_cast<ptrdiff_t>(i) + 1, all.end(), isCode);
    return next == all.end() ? std::string_view() : *next;
  };
  for (size_t i = 0; i < lines.size(); ++i)
    for (size_t j = 0; isHole(lines[i]) && j < given.size(); ++j)
      if (given[j] == lines[i] && behind(given, j) == behind(lines, i))
        return static_cast<unsigned>(i) + 1;
  return 0;
}

UnusedName findUnusedName(const std::string &text) {
  std::string code = codeWithoutComments(text);
  unsigned number = 0;
  for (std::string_view line : linesOf(code)) {
    ++number;
    size_t begin = line.find_first_not_of(" \t"), end = begin;
    if (begin == std::string_view::npos || begin == 0)
      continue;
    while (end < line.size() && isPartOfName(line[end]))
      ++end;
    std::string name(line.substr(begin, end - begin));
    if (name.empty() || name == "_" || line.substr(end, 3) != " = ")
      continue;
    if (countCode(code, name) == 1)
      return {name, number};
  }
  return {};
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
