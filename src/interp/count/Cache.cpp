#include "interp/count/Cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace nereid::interp {

// A wave ends early where its programs have more accesses than this, so that memory stays bounded.
static constexpr size_t kMaxWaiting = size_t(1) << 24;

static uint64_t count(uint8_t sectors) { return uint64_t(std::popcount(sectors)); }

SectorCache::SectorCache(uint64_t bytes)
    : sets(std::max<uint64_t>(1, bytes / (kSectorBytes * kLineSectors * kWays))), tags(sets * kWays),
      lines(sets * kWays) {}

// Neighbouring lines go to neighbouring sets; strides of a power of two are spread by the higher bits.
uint64_t SectorCache::firstOf(uint64_t line) const {
  return (line ^ (line >> 7) ^ (line >> 13) ^ (line >> 21)) % sets * kWays;
}

SectorCache::Line *SectorCache::find(uint64_t line) {
  uint64_t first = firstOf(line);
  for (uint64_t i = first; i < first + kWays; ++i)
    if (tags[i] == line + 1)
      return &lines[i];
  return nullptr;
}

SectorCache::Line &SectorCache::take(uint64_t line, unsigned &dirtyLeft) {
  dirtyLeft = 0;
  if (Line *found = find(line)) {
    found->lastUse = ++now;
    return *found;
  }
  uint64_t first = firstOf(line), oldest = first;
  for (uint64_t i = first; i < first + kWays; ++i)
    if (lines[i].lastUse < lines[oldest].lastUse)
      oldest = i;
  dirtyLeft = unsigned(std::popcount(lines[oldest].dirty));
  tags[oldest] = line + 1;
  lines[oldest] = {};
  lines[oldest].lastUse = ++now;
  return lines[oldest];
}

static uint64_t scatter(uint64_t number) {
  number = (number ^ (number >> 15)) * 0x9e3779b97f4a7c15u;
  return number >> 40;
}

Caches::Caches(const CacheShape &shape) : shape(shape), requests(std::max(1u, shape.multiprocessors)) {
  uint64_t count = std::max(1u, shape.parts);
  for (uint64_t i = 0; i < count; ++i)
    parts.emplace_back(shape.bytes / count);
  if (shape.firstBytes)
    first.assign(requests.size(), SectorCache(shape.firstBytes));
}

// Groups 0, 1, 6 and 7 belong to one half, the others to the other one (an H200).
uint64_t Caches::partOf(unsigned group) const { return (group + kGroups / 4) / (kGroups / 2) % 2 % parts.size(); }

// 4 KB after 4 KB.
uint64_t Caches::homeOf(uint64_t line) const { return parts.size() == 1 ? 0 : scatter(line >> 5) % parts.size(); }

SectorCache::Line &Caches::take(uint64_t part, uint64_t line, Counts &counts) {
  unsigned dirtyLeft = 0;
  SectorCache::Line &found = parts[part].take(line, dirtyLeft);
  counts.memoryBytesWritten += kSectorBytes * dirtyLeft;
  return found;
}

void Caches::access(const LineAccess &access, const Asker &asker, Counts &counts) {
  if (access.kind == LineAccess::Kind::Write || access.kind == LineAccess::Kind::Atomic)
    write(access, counts);
  else if (Missing missing = missingInFirst(access, asker.multiprocessor, counts); missing.sectors)
    read(access, missing, asker.group, counts);
}

// A sector whose line was asked for a moment ago goes with that request, if it has not left yet. Measured on an H200: of the sectors
// of eight lines that four loads ask for one after the other, 62 in a hundred; of those of 16 lines and more, 5 to 45.
static constexpr uint32_t kMoment = 8; // requests
static bool isStillThere(uint64_t line, uint8_t sectors) { return scatter(line * 16 + sectors) % 8 < 5; }

Caches::Missing Caches::missingInFirst(const LineAccess &access, uint64_t multiprocessor, Counts &counts) {
  if (first.empty() || access.kind != LineAccess::Kind::Read)
    return {access.sectors};
  unsigned dirtyLeft = 0;
  SectorCache::Line &line = first[multiprocessor].take(access.line, dirtyLeft);
  auto missing = uint8_t(access.sectors & ~line.present);
  counts.firstCacheHits += count(access.sectors) - count(missing);
  bool isRecent = line.present && requests[multiprocessor] - line.request <= kMoment;
  bool goAlong = missing && isRecent && isStillThere(access.line, missing);
  if (missing)
    line.request = requests[multiprocessor]++;
  line.present |= access.sectors;
  return {missing, goAlong};
}

// Requests of a group of multiprocessors for the same sectors are one, if the second comes before the first has its answer: measured on
// an H200, always where programs are in step and memory has to give it (bench/l2_places.cu), seldom where the cache has it.
bool Caches::comesWithAnother(SectorCache::Line &line, uint64_t number, uint8_t sectors, unsigned group) const {
  if (line.turn != turn) {
    line.turn = turn;
    line.groups = 0;
    line.asked = 0;
    line.askedSectors = sectors;
    line.wasThere = !(sectors & ~line.present);
  }
  bool isFirst = !(line.groups & (1u << group));
  line.groups |= uint8_t(1u << group);
  if (isFirst)
    return false;
  line.asked = uint16_t(std::min(line.asked + 1, UINT16_MAX));
  constexpr unsigned kMergedHits = 2; // of 16
  return !(sectors & ~line.askedSectors) &&
         scatter(number * 64 + line.asked) % 16 < std::min(shape.mergedRequests, line.wasThere ? kMergedHits : 16);
}

// With the neighbours that memory gives too.
static uint8_t fetched(uint8_t sectors, uint32_t together) {
  if (together <= 1)
    return sectors;
  auto pairs = uint8_t(sectors | (sectors & 0b0101) << 1 | (sectors & 0b1010) >> 1);
  return together >= kLineSectors && sectors ? uint8_t(0b1111) : pairs;
}

void Caches::read(const LineAccess &access, const Missing &missing, unsigned group, Counts &counts) {
  uint64_t line = access.line, part = partOf(group);
  uint8_t sectors = missing.sectors;
  // Turns do not know that who reads has waited for who wrote: it is there.
  if (access.wasWritten)
    take(homeOf(line), line, counts).present |= sectors;
  SectorCache::Line &found = take(part, line, counts);
  if (comesWithAnother(found, line, sectors, group))
    return;
  counts.cacheSectors += count(sectors);
  // What is on its way for the other half is a miss here too, if it is asked for soon enough: every second time, on an H200.
  bool isOnItsWay = std::exchange(found.cameForOther, 0) == turn && scatter(line) % 2;
  auto there = uint8_t(sectors & found.present);
  if (isOnItsWay)
    counts.cacheMisses += count(there);
  else if (!missing.goAlong) // these are misses of the request that they go with
    counts.cacheHits += count(there);
  if (there == sectors)
    return;
  auto needed = uint8_t(fetched(uint8_t(sectors & ~there), shape.fetchSectors) & ~found.present);
  found.present |= needed;
  counts.cacheMisses += count(needed);
  if (uint64_t home = homeOf(line); home != part) {
    SectorCache::Line &original = take(home, line, counts);
    needed = uint8_t(needed & ~original.present);
    original.present |= needed;
    if (needed)
      original.cameForOther = turn;
  }
  counts.memoryBytesRead += kSectorBytes * count(needed);
}

void Caches::write(const LineAccess &access, Counts &counts) {
  uint64_t home = homeOf(access.line);
  SectorCache::Line &found = take(home, access.line, counts);
  auto missing = uint8_t(access.sectors & ~found.present);
  counts.cacheSectors += count(access.sectors);
  counts.cacheHits += count(access.sectors);
  if (access.kind == LineAccess::Kind::Atomic) {
    counts.cacheHits -= count(missing);
    counts.cacheMisses += count(missing);
    counts.memoryBytesRead += kSectorBytes * count(missing);
  }
  found.present |= access.sectors;
  found.dirty |= access.sectors;
  for (uint64_t part = 0; part < parts.size(); ++part)
    if (SectorCache::Line *copy = part == home ? nullptr : parts[part].find(access.line))
      copy->present &= uint8_t(~access.sectors);
}

void Caches::finish(Counts &counts) {
  for (SectorCache &part : parts)
    for (SectorCache::Line &line : part.all()) {
      counts.memoryBytesWritten += kSectorBytes * count(line.dirty);
      line.dirty = 0;
    }
  counts.memoryBytes = counts.memoryBytesRead + counts.memoryBytesWritten;
}

void Waves::addProgram(std::vector<LineAccess> accesses, Counts &counts) {
  waiting += accesses.size();
  programs.push_back(std::move(accesses));
  if (programs.size() >= resident || waiting > kMaxWaiting)
    replay(counts);
}

std::vector<uint8_t> groupsOf(size_t count, uint64_t multiprocessors) {
  constexpr uint8_t kFirst[] = {4, 4, 0, 0, 0, 0, 4, 4};
  constexpr size_t kLess = 10; // multiprocessors of the first group for the others
  bool isOneOfTwo = count <= multiprocessors / 2;
  std::vector<uint8_t> groups(std::begin(kFirst), std::begin(kFirst) + std::min(count, std::size(kFirst)));
  std::array<size_t, kGroups> sizes{};
  size_t most = (multiprocessors + kGroups - 1) / kGroups + 1;
  for (size_t left = count - groups.size(), group = 0, passed = 0; left && passed < kGroups;
       group = (group + 1) % kGroups) {
    size_t mostHere = (group ? most : most - std::min(most, kLess)) / (isOneOfTwo ? 2 : 1);
    passed = sizes[group] < mostHere ? 0 : passed + 1;
    if (!passed)
      ++sizes[group], --left;
  }
  for (uint8_t group = 0; group < kGroups; ++group)
    groups.insert(groups.end(), sizes[group], group);
  groups.resize(count, kGroups - 1);
  return groups;
}

void Waves::replay(Counts &counts) {
  std::vector<size_t> at(programs.size());
  std::vector<uint8_t> groups = groupsOf(std::min<size_t>(programs.size(), multiprocessors), multiprocessors);
  for (bool isMore = true; isMore;) {
    isMore = false;
    caches.beginTurn();
    for (size_t i = 0; i < programs.size(); ++i) {
      if (at[i] == programs[i].size())
        continue;
      // Those of later waves take the place of whoever has ended.
      uint64_t place = wave == 1 ? i % multiprocessors : scatter(i * 64 + wave) % groups.size();
      Asker asker{i % multiprocessors, groups[place]};
      do
        caches.access(programs[i][at[i]++], asker, counts);
      while (at[i] < programs[i].size() && !programs[i][at[i]].beginsAccess);
      isMore = true;
    }
  }
  programs.clear();
  waiting = 0;
  ++wave;
}

void Waves::finish(Counts &counts) {
  replay(counts);
  caches.finish(counts);
}

} // namespace nereid::interp
