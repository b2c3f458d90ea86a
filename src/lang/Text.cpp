#include "lang/Text.h"

#include "lang/Session.h"

#include <algorithm>
#include <cstring>

namespace nereid::lang {

static bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool isAscii(std::string_view text) {
  Session::charge(text.size() / 256);
  return std::ranges::none_of(text, [](char c) { return c & 0x80; });
}

size_t characterCount(std::string_view text) {
  Session::charge(text.size() / 256);
  return text.size() - size_t(std::ranges::count_if(text, isContinuation));
}

size_t byteOf(std::string_view text, size_t character) {
  if (isAscii(text))
    return std::min(character, text.size());
  size_t at = 0;
  for (; at < text.size(); ++at)
    if (!isContinuation(text[at]) && character-- == 0)
      break;
  return at;
}

std::vector<std::string_view> charactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  Session::charge(text.size() / 4);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    while (end < text.size() && isContinuation(text[end]))
      ++end;
    characters.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return characters;
}

uint32_t codePointOf(std::string_view character) {
  auto byte = [&](size_t i) { return uint32_t(static_cast<unsigned char>(character[i])); };
  switch (character.size()) {
  case 0: return 0;
  case 1: return byte(0);
  case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
  case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  default: return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

std::string utf8(uint32_t c) {
  auto tail = [](uint32_t bits) { return char(0x80 | (bits & 0x3F)); };
  if (c < 0x80)
    return {char(c)};
  if (c < 0x800)
    return {char(0xC0 | c >> 6), tail(c)};
  if (c < 0x10000)
    return {char(0xE0 | c >> 12), tail(c >> 6), tail(c)};
  return {char(0xF0 | c >> 18), tail(c >> 12), tail(c >> 6), tail(c)};
}

bool isSpace(uint32_t c) {
  return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool isLineBreak(uint32_t c) {
  return (c >= 10 && c <= 13) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

size_t findText(std::string_view text, std::string_view wanted, size_t begin) {
  if (begin > text.size())
    return std::string_view::npos;
  if (wanted.empty())
    return begin;
  // memmem takes time that is linear in both; std::string::find takes their product.
  const void *found = memmem(text.data() + begin, text.size() - begin, wanted.data(), wanted.size());
  size_t at = found ? size_t(static_cast<const char *>(found) - text.data()) : std::string_view::npos;
  Session::charge((std::min(at, text.size()) - begin + wanted.size()) / 16);
  return at;
}

size_t findLastText(std::string_view text, std::string_view wanted) {
  if (text.size() < wanted.size())
    return std::string_view::npos;
  if (wanted.size() < 16) {
    Session::charge(text.size() / 16);
    return text.rfind(wanted);
  }
  std::string reversedText(text.rbegin(), text.rend()), reversedWanted(wanted.rbegin(), wanted.rend());
  size_t at = findText(reversedText, reversedWanted);
  return at == std::string_view::npos ? at : text.size() - at - wanted.size();
}

} // namespace nereid::lang
