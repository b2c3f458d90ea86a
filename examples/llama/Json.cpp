// Json.cpp: recursive descent over JSON's grammar.
#include "Json.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace llama {

const Json *Json::find(std::string_view name) const {
  const Object *object = as<Object>();
  if (!object)
    return nullptr;
  auto found = object->find(name);
  return found == object->end() ? nullptr : &found->second;
}

namespace {

class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  nereid::Result<Json> read() {
    std::optional<Json> value = readValue(0);
    skipSpace();
    if (value && at == text.size())
      return std::move(*value);
    return nereid::Error{nereid::Status::BadInput, "error: this is no JSON, from byte " + std::to_string(at) + " on\n"};
  }

private:
  void skipSpace() {
    while (at < text.size() && std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos)
      ++at;
  }
  bool take(std::string_view word) {
    skipSpace();
    if (!text.substr(at).starts_with(word))
      return false;
    at += word.size();
    return true;
  }

  std::optional<Json> readValue(int depth) {
    if (depth > kDeepest)
      return std::nullopt;
    if (take("{"))
      return readObject(depth);
    if (take("["))
      return readList(depth);
    if (take("null"))
      return Json{};
    if (take("true"))
      return Json{true};
    if (take("false"))
      return Json{false};
    if (text.substr(at).starts_with('"')) {
      std::optional<std::string> string = readString();
      return string ? std::optional<Json>(Json{std::move(*string)}) : std::nullopt;
    }
    double number = 0;
    auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (problem != std::errc())
      return std::nullopt;
    at = static_cast<size_t>(end - text.data());
    return Json{number};
  }

  std::optional<Json> readList(int depth) {
    Json::List list;
    if (take("]"))
      return Json{std::move(list)};
    do {
      std::optional<Json> item = readValue(depth + 1);
      if (!item)
        return std::nullopt;
      list.push_back(std::move(*item));
    } while (take(","));
    return take("]") ? std::optional<Json>(Json{std::move(list)}) : std::nullopt;
  }

  std::optional<Json> readObject(int depth) {
    Json::Object object;
    if (take("}"))
      return Json{std::move(object)};
    do {
      skipSpace();
      std::optional<std::string> name = readString();
      if (!name || !take(":"))
        return std::nullopt;
      std::optional<Json> item = readValue(depth + 1);
      if (!item)
        return std::nullopt;
      object.insert_or_assign(std::move(*name), std::move(*item));
    } while (take(","));
    return take("}") ? std::optional<Json>(Json{std::move(object)}) : std::nullopt;
  }

  std::optional<std::string> readString() {
    if (!take("\""))
      return std::nullopt;
    std::string result;
    while (at < text.size() && text[at] != '"') {
      char c = text[at++];
      if (c != '\\') {
        result += c;
        continue;
      }
      if (at == text.size())
        return std::nullopt;
      constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
      char escaped = text[at++];
      if (size_t which = kFrom.find(escaped); which != std::string_view::npos)
        result += kTo[which];
      else if (escaped != 'u' || !readCodePoint(result))
        return std::nullopt;
    }
    if (at == text.size())
      return std::nullopt;
    ++at;
    return result;
  }

  // Four digits as UTF-8; names and numbers of models have no characters beyond them.
  bool readCodePoint(std::string &out) {
    uint32_t code = 0;
    if (text.size() - at < 4 ||
        std::from_chars(text.data() + at, text.data() + at + 4, code, 16).ptr != text.data() + at + 4)
      return false;
    at += 4;
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | code >> 6);
      out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      out += static_cast<char>(0xE0 | code >> 12);
      out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
      out += static_cast<char>(0x80 | (code & 0x3F));
    }
    return true;
  }

  std::string_view text;
  size_t at = 0;
};

} // namespace

nereid::Result<Json> parseJson(std::string_view text) { return Reader(text).read(); }

std::string quoteJson(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      result += {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 15]};
      continue;
    }
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

} // namespace llama
