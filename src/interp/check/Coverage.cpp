#include "interp/check/Coverage.h"

#include <algorithm>

namespace nereid::interp {

Coverage::Coverage(const std::vector<Allocation> &tensors) : tensors(tensors) {
  for (const Allocation &tensor : tensors)
    memories.push_back(
        {reinterpret_cast<uint64_t>(tensor.data), std::vector<bool>(tensor.bytes / tensor.elementBytes)});
}

// Tensors may share memory: what is written in one is written in all.
void Coverage::write(size_t tensor, uint64_t address, size_t bytes, uint32_t fact, bool isAtomic) {
  Memory &owner = memories[tensor];
  owner.isStored = true;
  owner.isAtomic |= isAtomic;
  owner.fact = fact;
  for (size_t i = 0; i < memories.size(); ++i) {
    uint64_t offset = address - memories[i].begin, size = tensors[i].elementBytes;
    if (offset < tensors[i].bytes)
      for (uint64_t at = offset / size; at <= (offset + bytes - 1) / size && at < memories[i].isWritten.size(); ++at)
        memories[i].isWritten[at] = true;
  }
}

bool Coverage::isUnset(uint64_t address, size_t bytes) const {
  for (size_t i = 0; i < memories.size(); ++i) {
    uint64_t offset = address - memories[i].begin, size = tensors[i].elementBytes;
    if (!tensors[i].isEmpty || offset >= tensors[i].bytes)
      continue;
    for (uint64_t at = offset / size; at <= (offset + bytes - 1) / size && at < memories[i].isWritten.size(); ++at)
      if (!memories[i].isWritten[at])
        return true;
  }
  return false;
}

// Looks at the elements that the shape has, in their order; the strides may leave others out.
std::optional<Coverage::Gap> Coverage::gapOf(size_t number) const {
  const Allocation &tensor = tensors[number];
  const Memory &memory = memories[number];
  if (!memory.isStored || memory.isAtomic)
    return std::nullopt;
  std::vector<int64_t> shape = tensor.shape, strides = tensor.strides;
  if (shape.empty() || strides.size() != shape.size())
    shape = {int64_t(memory.isWritten.size())}, strides = {1};
  Gap gap{number, memory.fact, 0, 0, 0, true};
  std::vector<int64_t> index(shape.size()), corner(shape.size()); // the corner: behind all that is written
  for (bool isMore = true; isMore;) {
    uint64_t element = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      element += uint64_t(index[d] * strides[d]);
    bool isWritten = element >= memory.isWritten.size() || memory.isWritten[element];
    if (!isWritten && gap.unwritten++ == 0)
      gap.first = element * tensor.elementBytes;
    gap.isBeginning &= !isWritten || gap.unwritten == 0;
    for (size_t d = 0; d < shape.size() && isWritten; ++d)
      corner[d] = std::max(corner[d], index[d] + 1);
    ++gap.total;
    isMore = false;
    for (size_t d = shape.size(); d-- > 0 && !isMore;) {
      isMore = ++index[d] < shape[d];
      if (!isMore)
        index[d] = 0;
    }
  }
  uint64_t box = 1;
  for (int64_t extent : corner)
    box *= uint64_t(extent);
  gap.isBeginning |= box == gap.total - gap.unwritten;
  return gap.unwritten ? std::optional(gap) : std::nullopt;
}

std::vector<Coverage::Gap> Coverage::gaps() const {
  std::vector<Gap> found;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (std::optional<Gap> gap = gapOf(i))
      found.push_back(*gap);
  return found;
}

} // namespace nereid::interp
