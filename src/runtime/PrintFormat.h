// PrintFormat.h: device_print in Triton's format, the same text on every device.
#pragma once

#include "nereid/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::runtime {

// One printed value: a row-major array; a scalar has no extents.
struct PrintedValue {
  const void *data = nullptr;
  std::optional<DType> type; // none: a pointer
  std::vector<int64_t> shape;
};

// The type that a kernel's table of prints names: by the names of the IR, where the fp8 types have their long ones. None: a
// pointer.
std::optional<DType> printedType(std::string_view name);

// A line for each element of each value, or one for the prefix alone:
//   pid (0, 0, 0) idx ( 3, 1) x: 1.500000
std::string formatPrint(const uint32_t *program, std::string_view prefix, bool isHex,
                        std::span<const PrintedValue> values);

// Triton's rule: a prefix begins with a space and, before a value, ends with a colon and a space. Once more changes nothing.
std::string printPrefix(std::string_view prefix, bool hasValues);

// "(3, 1)" for element `i` of a tile; each number right-aligned to the width of its extent, as Triton prints it.
std::string indexText(size_t i, const std::vector<int64_t> &shape);

} // namespace nereid::runtime
