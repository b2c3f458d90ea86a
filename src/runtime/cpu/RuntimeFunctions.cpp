// RuntimeFunctions.cpp: what LLVM's code generator calls by itself: block copies for its memory intrinsics, remainders
// of floats and division of 128-bit integers, which no instruction does; and what our own calls: sorting.
#include "runtime/cpu/RuntimeFunctions.h"

#include "runtime/cpu/Sort.h"

#include <cmath>
#include <cstring>

extern "C" {
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
}

namespace nereid::cpu {

namespace {
struct NamedFunction {
  std::string_view name;
  void *address;
};
} // namespace

template <class Function> static void *addressOf(Function *function) { return reinterpret_cast<void *>(function); }

using Unary = double(double);
using Unary32 = float(float);
using Binary = double(double, double);
using Binary32 = float(float, float);
using Ternary = double(double, double, double);
using Ternary32 = float(float, float, float);

void *findRuntimeFunction(std::string_view name) {
  static const NamedFunction kEntries[] = {
      {"memcpy", addressOf<void *(void *, const void *, size_t)>(std::memcpy)},
      {"memmove", addressOf<void *(void *, const void *, size_t)>(std::memmove)},
      {"memset", addressOf<void *(void *, int, size_t)>(std::memset)},
      {"memcmp", addressOf<int(const void *, const void *, size_t)>(std::memcmp)},
      {"fmod", addressOf<Binary>(::fmod)},
      {"fmodf", addressOf<Binary32>(::fmodf)},
      {"fma", addressOf<Ternary>(::fma)},
      {"fmaf", addressOf<Ternary32>(::fmaf)},
      {"floor", addressOf<Unary>(::floor)},
      {"floorf", addressOf<Unary32>(::floorf)},
      {"ceil", addressOf<Unary>(::ceil)},
      {"ceilf", addressOf<Unary32>(::ceilf)},
      {"trunc", addressOf<Unary>(::trunc)},
      {"truncf", addressOf<Unary32>(::truncf)},
      {"rint", addressOf<Unary>(::rint)},
      {"rintf", addressOf<Unary32>(::rintf)},
      {"nearbyint", addressOf<Unary>(::nearbyint)},
      {"nearbyintf", addressOf<Unary32>(::nearbyintf)},
      {"round", addressOf<Unary>(::round)},
      {"roundf", addressOf<Unary32>(::roundf)},
      {"roundeven", addressOf<Unary>(::nearbyint)}, // the same in the default rounding mode, which kernels run in
      {"roundevenf", addressOf<Unary32>(::nearbyintf)},
      {"__divti3", addressOf(__divti3)},
      {"__modti3", addressOf(__modti3)},
      {"nereid_sort", addressOf(sortRows)},
      {"__udivti3", addressOf(__udivti3)},
      {"__umodti3", addressOf(__umodti3)},
  };
  for (const NamedFunction &entry : kEntries)
    if (entry.name == name)
      return entry.address;
  return nullptr;
}

} // namespace nereid::cpu
