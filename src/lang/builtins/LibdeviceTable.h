// LibdeviceTable.h: the names of libdevice and their overloads, as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nereid::lang {

struct LibdeviceFunction {
  std::string_view name;
  std::string_view variants; // "f>f sinf, d>d sin"
};

std::span<const LibdeviceFunction> libdeviceFunctions();

// What a function computes, in words.
std::string libdeviceMeaning(std::string_view name);

} // namespace nereid::lang
