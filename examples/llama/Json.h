// Json.h: a JSON text as a value: what the header of a safetensors file and a config.json need, and no more.
#pragma once

#include <nereid/result.hpp>

#include <map>
#include <string_view>
#include <variant>
#include <vector>

namespace llama {

struct Json {
  using List = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;
  std::variant<std::monostate, bool, double, std::string, List, Object> value;

  // The member of that name; null where this is no object or has none.
  const Json *find(std::string_view name) const;
  template <class T> const T *as() const { return std::get_if<T>(&value); }
};

// Texts of more than `kDeepest` lists in lists are refused, so that no file exhausts the stack.
inline constexpr int kDeepest = 64;
nereid::Result<Json> parseJson(std::string_view text);
// A string with its quotes.
std::string quoteJson(std::string_view text);

} // namespace llama
