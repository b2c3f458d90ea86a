// JsonDepth.h: how deep a JSON text is nested, before a parser follows it on the stack.
#pragma once

#include <cstddef>
#include <string_view>

namespace nereid {

inline constexpr size_t kDeepestJson = 100; // that anybody would write

// Whether its brackets are nested deeper than that, those in strings left out.
bool isTooDeepForJson(std::string_view text);

} // namespace nereid
