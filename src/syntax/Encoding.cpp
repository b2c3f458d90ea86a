#include "syntax/Encoding.h"

#include "syntax/Characters.h"
#include "syntax/Unicode.h"

namespace nereid::syntax {

static std::string_view lineAt(std::string_view text, size_t begin) {
  size_t end = text.find_first_of("\r\n", begin);
  return text.substr(begin, (end == std::string_view::npos ? text.size() : end) - begin);
}

static bool isEncodingNameByte(char c) {
  return (c != '_' && static_cast<unsigned char>(c) < 0x80 && isNameByte(c)) || c == '-' || c == '_' || c == '.';
}

// `coding`, then `:` or `=`, blanks, and a name, anywhere in a comment line.
static std::optional<EncodingDeclaration> declarationInLine(std::string_view line, size_t lineBegin) {
  size_t start = line.find_first_not_of(" \t\f");
  if (start == std::string_view::npos || line[start] != '#')
    return std::nullopt;
  constexpr std::string_view kWord = "coding";
  for (size_t at = line.find(kWord, start); at != std::string_view::npos; at = line.find(kWord, at + 1)) {
    size_t i = at + kWord.size();
    if (i >= line.size() || (line[i] != ':' && line[i] != '='))
      continue;
    size_t begin = line.find_first_not_of(" \t", i + 1);
    if (begin == std::string_view::npos)
      continue;
    size_t end = begin;
    while (end < line.size() && isEncodingNameByte(line[end]))
      ++end;
    if (end > begin)
      return EncodingDeclaration{line.substr(begin, end - begin),
                                 {static_cast<uint32_t>(lineBegin + begin), static_cast<uint32_t>(lineBegin + end)}};
  }
  return std::nullopt;
}

std::optional<EncodingDeclaration> declaredEncoding(std::string_view text) {
  std::string_view first = lineAt(text, 0);
  if (auto found = declarationInLine(first, 0))
    return found;
  size_t start = first.find_first_not_of(" \t\f");
  bool hasCode = start != std::string_view::npos && first[start] != '#';
  if (hasCode || first.size() == text.size())
    return std::nullopt;
  size_t second = first.size() + (text.substr(first.size(), 2) == "\r\n" ? 2 : 1);
  return declarationInLine(lineAt(text, second), second);
}

// Lower case, with `_` for every run of other characters: how Python compares names of encodings.
static std::string normalizedName(std::string_view name) {
  std::string result;
  for (char c : name) {
    bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (letter || isDigit(c) || c == '.')
      result += letter ? static_cast<char>(c | 0x20) : c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  return result;
}

Encoding findEncoding(std::string_view given) {
  std::string name = normalizedName(given);
  auto isOrExtends = [&](std::string_view base) { return name == base || name.starts_with(std::string(base) + "_"); };
  if (isOrExtends("utf_8") || name == "utf8" || name == "u8" || name == "utf" || name == "cp65001")
    return {EncodingFamily::Utf8};
  for (const char *ascii : {"ascii", "us_ascii", "646", "ansi_x3.4_1968", "iso646_us", "us", "cp367", "ibm367"})
    if (name == ascii)
      return {EncodingFamily::Ascii};
  if (isOrExtends("latin_1") || isOrExtends("iso_8859_1") || isOrExtends("iso_latin_1"))
    return {EncodingFamily::Latin1};
  for (const char *latin : {"latin", "latin1", "l1", "iso8859", "iso8859_1", "8859", "cp819", "ibm819"})
    if (name == latin)
      return {EncodingFamily::Latin1};
  const char16_t *page = codePage(name);
  return page ? Encoding{EncodingFamily::CodePage, page} : Encoding{};
}

std::optional<size_t> decodeToUtf8(const Encoding &encoding, std::string &bytes) {
  if (encoding.family == EncodingFamily::Utf8)
    return std::nullopt;
  constexpr char16_t kUndefined = 0xFFFD;
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (size_t i = 0; i < bytes.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(bytes[i]);
    if (byte < 0x80) {
      out += bytes[i];
      continue;
    }
    char16_t c = encoding.family == EncodingFamily::CodePage ? encoding.upperHalf[byte - 0x80]
                 : encoding.family == EncodingFamily::Latin1 ? byte
                                                             : kUndefined;
    if (c == kUndefined)
      return i;
    appendUtf8(out, c);
  }
  bytes = std::move(out);
  return std::nullopt;
}

} // namespace nereid::syntax
