// Sort.h: sorts the rows of a tile, called by generated code.
#pragma once

#include <cstdint>

namespace nereid::cpu {

// The first `count` elements of each row in order. `kind`: 0 unsigned, 1 signed integers; floats by where their NaNs
// are: 3 all ones but the sign, 4 the sign alone, 16 + m an exponent of ones with m bits of mantissa that are not zero.
// NaNs are larger than everything.
void sortRows(void *to, const void *from, int64_t rows, int64_t extent, int64_t count, int32_t bytes, int32_t kind,
              int32_t isDescending);

} // namespace nereid::cpu
