#include "runtime/profile/JsonText.h"

#include <cmath>
#include <cstdio>

namespace nereid::profile {

// How many bytes the character at the front of `text` has; 0: it is no UTF-8.
static size_t characterSize(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  size_t size = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 4;
  if (size == 4 && (first < 0xF0 || first > 0xF4))
    return 0;
  if (text.size() < size)
    return 0;
  for (size_t i = 1; i < size; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
      return 0;
  auto second = size > 1 ? static_cast<unsigned char>(text[1]) : 0;
  bool isBad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
               (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return isBad ? 0 : size;
}

std::string jsonString(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    size_t size = characterSize(text);
    char c = text[0];
    if (size == 0) {
      result += '?';
    } else if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') { // a page may hold it
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", unsigned(static_cast<unsigned char>(c)));
      result += buffer;
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size ? size : 1);
  }
  return result + '"';
}

std::string jsonNumber(double value) {
  if (!std::isfinite(value))
    return "null";
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.15g", value);
  return buffer;
}

JsonObject &JsonObject::raw(std::string_view name, std::string_view json) {
  if (!fields.empty())
    fields += ',';
  fields += jsonString(name);
  fields += ':';
  fields += json;
  return *this;
}

std::string jsonArray(const std::vector<std::string> &items) {
  std::string result = "[";
  for (const std::string &item : items)
    result += (result.size() > 1 ? "," : "") + item;
  return result + "]";
}

std::string jsonGrid(const std::array<uint32_t, 3> &grid) {
  return "[" + std::to_string(grid[0]) + "," + std::to_string(grid[1]) + "," + std::to_string(grid[2]) + "]";
}

} // namespace nereid::profile
