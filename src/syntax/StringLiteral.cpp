#include "syntax/StringLiteral.h"

#include "syntax/Characters.h"
#include "syntax/Unicode.h"

namespace nereid::syntax {

namespace {

class EscapeReader {
public:
  EscapeReader(std::string_view text, bool bytes, std::string &out) : text(text), bytes(bytes), out(out) {}

  // `position` is behind a backslash. False: `error` is set.
  bool read() {
    size_t begin = position - 1;
    if (position == text.size()) {
      out += '\\';
      return true;
    }
    char c = text[position++];
    switch (c) {
    case '\n': return true;
    case '\r':
      if (position < text.size() && text[position] == '\n')
        ++position;
      return true;
    case '\\':
    case '\'':
    case '"': out += c; return true;
    case 'a': out += '\a'; return true;
    case 'b': out += '\b'; return true;
    case 'f': out += '\f'; return true;
    case 'n': out += '\n'; return true;
    case 'r': out += '\r'; return true;
    case 't': out += '\t'; return true;
    case 'v': out += '\v'; return true;
    case 'x': return readHex(begin, 2);
    case 'u':
      if (!bytes)
        return readHex(begin, 4);
      break;
    case 'U':
      if (!bytes)
        return readHex(begin, 8);
      break;
    case 'N':
      if (!bytes)
        return readName(begin);
      break;
    default:
      if (c >= '0' && c <= '7')
        return readOctal(c);
    }
    out += '\\'; // an unknown escape stands for itself
    out += c;
    return true;
  }

  size_t position = 0;
  EscapeError error;

private:
  void append(char32_t value) {
    if (bytes)
      out += static_cast<char>(value & 0xFF);
    else
      appendUtf8(out, value);
  }

  bool fail(size_t begin, std::string message) {
    error = {begin, position, std::move(message)};
    return false;
  }

  bool readOctal(char first) {
    char32_t value = first - '0';
    for (int i = 0; i < 2 && position < text.size() && text[position] >= '0' && text[position] <= '7'; ++i)
      value = value * 8 + (text[position++] - '0');
    append(value);
    return true;
  }

  bool readHex(size_t begin, int count) {
    char32_t value = 0;
    for (int i = 0; i < count; ++i) {
      int digit = position < text.size() ? hexDigit(text[position]) : -1;
      if (digit < 0)
        return fail(begin, "expected " + std::to_string(count) + " hexadecimal digits in this escape");
      value = value * 16 + static_cast<char32_t>(digit);
      ++position;
    }
    if (value > 0x10FFFF)
      return fail(begin, "there is no such Unicode character (the last one is \\U0010ffff)");
    append(value);
    return true;
  }

  bool readName(size_t begin) {
    size_t close = position < text.size() && text[position] == '{' ? text.find('}', position) : std::string_view::npos;
    if (close == std::string_view::npos || close == position + 1)
      return fail(begin, "expected `{name}` after `\\N`");
    std::string_view name = text.substr(position + 1, close - position - 1);
    position = close + 1;
    auto value = characterByName(name);
    if (!value)
      return fail(begin, "no Unicode character is called `" + std::string(name.substr(0, 100)) + "`");
    append(*value);
    return true;
  }

  std::string_view text;
  bool bytes;
  std::string &out;
};

} // namespace

EscapeError decodeString(std::string_view text, bool raw, bool bytes, std::string &out) {
  EscapeReader reader(text, bytes, out);
  size_t &i = reader.position;
  while (i < text.size()) {
    size_t stop = text.find_first_of("\\\r", i);
    if (stop == std::string_view::npos)
      stop = text.size();
    out.append(text.substr(i, stop - i));
    i = stop;
    if (i == text.size())
      break;
    char c = text[i++];
    if (c == '\r') {
      out += '\n';
      if (i < text.size() && text[i] == '\n')
        ++i;
    } else if (raw) {
      out += c;
    } else if (!reader.read()) {
      return reader.error;
    }
  }
  return {};
}

} // namespace nereid::syntax
