#include "support/Source.h"

#include <algorithm>
#include <cstring>

namespace nereid {

Source::Source(std::string name, std::string text) : fileName(std::move(name)), contents(std::move(text)) {}

const std::vector<uint32_t> &Source::lineStarts() const {
  std::call_once(startsOnce, [&] {
    starts.push_back(0);
    const char *base = contents.data();
    for (size_t i = 0; i < contents.size(); ++i) {
      if (base[i] == '\n' || (base[i] == '\r' && (i + 1 == contents.size() || base[i + 1] != '\n')))
        starts.push_back(static_cast<uint32_t>(i + 1));
    }
  });
  return starts;
}

LineColumn Source::position(uint32_t offset) const {
  const auto &all = lineStarts();
  auto next = std::upper_bound(all.begin(), all.end(), offset);
  uint32_t line = static_cast<uint32_t>(next - all.begin());
  return {line, offset - all[line - 1] + 1};
}

std::string_view Source::line(uint32_t number) const {
  const auto &all = lineStarts();
  if (number == 0 || number > all.size())
    return {};
  uint32_t begin = all[number - 1];
  uint32_t end = number < all.size() ? all[number] : static_cast<uint32_t>(contents.size());
  std::string_view result = text().substr(begin, end - begin);
  while (!result.empty() && (result.back() == '\n' || result.back() == '\r'))
    result.remove_suffix(1);
  return result;
}

} // namespace nereid
