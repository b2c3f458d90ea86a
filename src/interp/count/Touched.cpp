#include "interp/count/Touched.h"

#include <algorithm>

namespace nereid::interp {

static constexpr uint64_t kTensorAlignment = 512;

Touched::Touched(const std::vector<Allocation> &allocations) {
  struct Range {
    uint64_t begin, end;
    size_t order;
  };
  std::vector<Range> ranges;
  for (const Allocation &allocation : allocations) {
    auto begin = reinterpret_cast<uint64_t>(allocation.data);
    if (allocation.bytes)
      ranges.push_back({begin, begin + allocation.bytes, ranges.size()});
  }
  std::ranges::sort(ranges, {}, &Range::begin);
  // A tensor may be given twice, or be a part of another one.
  std::vector<Range> merged;
  for (const Range &range : ranges)
    if (!merged.empty() && range.begin < merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
      merged.back().order = std::min(merged.back().order, range.order);
    } else {
      merged.push_back(range);
    }
  std::vector<size_t> byOrder(merged.size());
  for (size_t i = 0; i < merged.size(); ++i)
    byOrder[i] = i;
  std::ranges::sort(byOrder, {}, [&](size_t i) { return merged[i].order; });
  tensors.resize(merged.size());
  uint64_t next = 0;
  for (size_t i : byOrder) {
    uint64_t bytes = (merged[i].end - merged[i].begin + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
    tensors[i] = {merged[i].begin, merged[i].end, next / kSectorBytes, {}, {}, {}};
    tensors[i].sectors.resize(bytes / kSectorBytes);
    tensors[i].lines.resize(bytes / (kSectorBytes * kLineSectors));
    next += bytes;
  }
}

uint64_t Touched::sectorsRead() const {
  uint64_t count = 0;
  for (const TouchedTensor &tensor : tensors)
    count += uint64_t(std::ranges::count_if(tensor.sectors, [](const auto &sector) { return sector.read != 0; }));
  return count;
}

TouchedTensor *Touched::find(uint64_t address) {
  if (last && address - last->begin < last->end - last->begin)
    return last;
  auto after = std::ranges::upper_bound(tensors, address, {}, &TouchedTensor::begin);
  if (after == tensors.begin() || address >= std::prev(after)->end)
    return nullptr;
  return last = &*std::prev(after);
}

} // namespace nereid::interp
