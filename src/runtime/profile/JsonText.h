// JsonText.h: values as JSON, for files that other programs read.
#pragma once

#include "runtime/profile/Record.h"

namespace nereid::profile {

// In quotes; what is no UTF-8 becomes `?`.
std::string jsonString(std::string_view text);
// Numbers that JSON has not (nan, inf) are null.
std::string jsonNumber(double value);

// One object, written from front to back.
class JsonObject {
public:
  JsonObject &add(std::string_view name, std::string_view value) { return raw(name, jsonString(value)); }
  JsonObject &add(std::string_view name, const char *value) { return raw(name, jsonString(value)); }
  JsonObject &add(std::string_view name, double value) { return raw(name, jsonNumber(value)); }
  JsonObject &add(std::string_view name, int64_t value) { return raw(name, std::to_string(value)); }
  JsonObject &add(std::string_view name, uint64_t value) { return raw(name, std::to_string(value)); }
  JsonObject &add(std::string_view name, uint32_t value) { return raw(name, std::to_string(value)); }
  // JSON already.
  JsonObject &raw(std::string_view name, std::string_view json);
  std::string text() const { return "{" + fields + "}"; }

private:
  std::string fields;
};

// "[a, b]" of JSON texts.
std::string jsonArray(const std::vector<std::string> &items);
std::string jsonGrid(const std::array<uint32_t, 3> &grid);

// [{"name": …, "type": …, "shape" or "value": …}, …]
std::string argumentsJson(const std::vector<Argument> &arguments);

} // namespace nereid::profile
