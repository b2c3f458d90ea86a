// Grid.h: how many programs a launch may have, along each axis and together. CUDA's limits: what runs here runs there.
#pragma once

#include <array>
#include <cstdint>

namespace nereid::jit {

inline constexpr std::array<int64_t, 3> kGridLimits{2147483647, 65535, 65535};
inline constexpr int64_t kMaxPrograms = 2147483647; // in all

} // namespace nereid::jit
