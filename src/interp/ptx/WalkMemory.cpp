#include "interp/ptx/WalkMemory.h"

#include <algorithm>
#include <cstring>

namespace nereid::interp::ptx {

// Beyond this many pages, values are those of now.
static constexpr size_t kMostKept = size_t(1) << 14;

WalkMemory::Page *WalkMemory::pageAt(uint64_t address) {
  uint64_t begin = address / kPageBytes * kPageBytes, end = begin + kPageBytes;
  if (auto found = before.find(begin); found != before.end())
    return &found->second;
  if (before.size() == kMostKept)
    return nullptr;
  Page &page = before[begin];
  for (const auto &[partBegin, partEnd] : parts)
    if (uint64_t from = std::max(begin, partBegin), to = std::min(end, partEnd); from < to)
      std::memcpy(page.bytes.data() + (from - begin), reinterpret_cast<const void *>(from), to - from);
  return &page;
}

std::optional<uint64_t> WalkMemory::read(uint64_t program, uint64_t address, unsigned bytes) {
  if (!learned.empty())
    if (auto found = learned.find({program, address}); found != learned.end())
      return found->second;
  bool isThere = std::ranges::any_of(parts, [&](const auto &part) {
    return address >= part.first && address < part.second && bytes <= part.second - address;
  });
  if (!isThere)
    return std::nullopt;
  uint64_t value = 0, offset = address % kPageBytes;
  Page *page =
      offset + bytes <= kPageBytes ? pageAt(address) : nullptr; // no access that is aligned goes on into the next
  const void *from = page ? page->bytes.data() + offset : reinterpret_cast<const void *>(address);
  std::memcpy(&value, from, bytes);
  if (page)
    page->isAsked.set(offset);
  return value;
}

std::optional<uint64_t> WalkMemory::readByAtomic(uint64_t program, uint64_t address, unsigned bytes) {
  std::optional<uint64_t> value = read(program, address, bytes); // it is asked for
  auto found = learnedByAtomics.find({program, address});
  return value && found != learnedByAtomics.end() ? found->second : value;
}

bool WalkMemory::learn(uint64_t program, uint64_t address, uint64_t value, bool isAtomic) {
  auto page = before.find(address / kPageBytes * kPageBytes);
  if (page == before.end() || !page->second.isAsked[address % kPageBytes])
    return false;
  if (isAtomic)
    return learnedByAtomics.try_emplace({program, address}, value).second;
  learned[{program, address}] = value;
  return true;
}

} // namespace nereid::interp::ptx
