#include "learn/LongText.h"

#include <algorithm>

namespace nereid::learn {

constexpr ptrdiff_t kFirst = 100, kLast = 40; // lines; what is at fault comes last, behind what was printed

std::string shortened(std::string_view text) {
  ptrdiff_t left = std::ranges::count(text, '\n') - kFirst - kLast;
  if (left <= 1)
    return std::string(text);
  size_t head = 0, tail = text.size() - 1;
  for (ptrdiff_t i = 0; i < kFirst; ++i)
    head = text.find('\n', head) + 1;
  for (ptrdiff_t i = text.ends_with('\n') ? 0 : 1; i < kLast; ++i)
    tail = text.rfind('\n', tail - 1);
  return std::string(text.substr(0, head)) + "… " + std::to_string(left) + " lines are left out\n" +
         std::string(text.substr(tail + 1));
}

} // namespace nereid::learn
