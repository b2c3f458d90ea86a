#include "gpu/Options.h"

namespace nereid::gpu {

unsigned Options::capability() const {
  unsigned number = 0;
  for (char c : target)
    if (c >= '0' && c <= '9')
      number = number * 10 + unsigned(c - '0');
  return number;
}

} // namespace nereid::gpu
