// Cache.h: the caches of a GPU as a model: lines of 128 bytes in sectors of 32, sets of 16 ways, the line used longest ago
// leaves.
//
// Each multiprocessor has an L1 cache for what its threads load. What is not there is asked of the L2 cache: of the part
// (H200: half) that the multiprocessor belongs to. A sector has a home in one of the parts; another part fetches it from
// there and keeps a copy. Memory gives `fetchSectors` neighbours at a time; all of them are misses of who asked for one, and a
// neighbour that is asked for later is a hit. What is written goes to the home and counts as a hit, and to memory when its line
// leaves or the launch ends.
#pragma once

#include "interp/count/Counts.h"

namespace nereid::interp {

inline constexpr uint64_t kSectorBytes = 32, kLineSectors = 4;

// Part of a program's way through memory: sectors of one line.
struct LineAccess {
  enum class Kind : uint8_t {
    Read,
    ReadAround, // not through the L1 cache: cp.async of 16 bytes, TMA
    Write,
    Atomic,
  };
  uint64_t line; // address / 128
  uint8_t sectors;
  Kind kind;
  bool beginsAccess;       // of a tile
  bool wasWritten = false; // of a read: by a program that runs at the same time, and before it
};

class SectorCache {
public:
  struct Line {
    uint64_t lastUse = 0;
    uint32_t turn = 0;              // the last one in which it was asked for
    uint32_t cameForOther = 0;      // the turn in which it came for another part
    uint32_t request = 0;           // of an L1 cache: the number of the last request for it
    uint16_t asked = 0;             // how often in that turn by others of a group
    uint8_t groups = 0;             // that asked in that turn, a bit for each
    uint8_t askedSectors = 0;       // by the first of these
    bool wasThere = false;          // then
    uint8_t present = 0, dirty = 0; // a bit for each sector
  };

  explicit SectorCache(uint64_t bytes);

  // The line, with nothing present where it was not there; then another one had to leave, with `dirtyLeft` sectors to write.
  Line &take(uint64_t line, unsigned &dirtyLeft);
  Line *find(uint64_t line);
  std::span<Line> all() { return lines; }

private:
  static constexpr unsigned kWays = 16;
  uint64_t firstOf(uint64_t line) const;

  uint64_t sets;
  std::vector<uint64_t> tags; // plus one; 0: nothing
  std::vector<Line> lines;
  uint64_t now = 0;
};

// Groups of multiprocessors (GPCs): the way to the L2 cache is that of a group, and a group belongs to one of its parts.
inline constexpr unsigned kGroups = 8;
struct Asker {
  uint64_t multiprocessor;
  unsigned group = 0;
};

// The groups of `count` programs that run at the same time, as bench/l2_places.cu saw them on an H200: programs go to the groups in
// runs, as many to each as to the others, to one multiprocessor of two while that is enough. The first eight go to two groups in turns.
std::vector<uint8_t> groupsOf(size_t count, uint64_t multiprocessors);

class Caches {
public:
  explicit Caches(const CacheShape &shape);

  // Requests between two of these come at about the same time.
  void beginTurn() { ++turn; }
  void access(const LineAccess &access, const Asker &asker, Counts &counts);
  // What is left goes to memory.
  void finish(Counts &counts);

private:
  // Sectors of an access that the L1 cache does not have, and whether a request for their line takes them along.
  struct Missing {
    uint8_t sectors;
    bool goAlong = false;
  };
  Missing missingInFirst(const LineAccess &access, uint64_t multiprocessor, Counts &counts);
  void read(const LineAccess &access, const Missing &missing, unsigned group, Counts &counts);
  void write(const LineAccess &access, Counts &counts);
  bool comesWithAnother(SectorCache::Line &line, uint64_t number, uint8_t sectors, unsigned group) const;
  uint64_t partOf(unsigned group) const;
  SectorCache::Line &take(uint64_t part, uint64_t line, Counts &counts);
  uint64_t homeOf(uint64_t line) const;

  CacheShape shape;
  std::vector<SectorCache> first, parts;
  std::vector<uint32_t> requests; // of a multiprocessor, for lines that its L1 cache does not have
  uint32_t turn = 1;
};

// Programs of a launch that run at the same time: their accesses, tile by tile in turns, go to the caches.
class Waves {
public:
  Waves(const CacheShape &shape, uint64_t residentPrograms)
      : caches(shape), resident(residentPrograms), multiprocessors(shape.multiprocessors) {}

  void addProgram(std::vector<LineAccess> accesses, Counts &counts);
  // How many times caches have been given what waited, plus one.
  uint32_t number() const { return wave; }
  void finish(Counts &counts);

private:
  void replay(Counts &counts);

  Caches caches;
  uint64_t resident, multiprocessors;
  std::vector<std::vector<LineAccess>> programs;
  size_t waiting = 0; // accesses in `programs`
  uint32_t wave = 1;
};

} // namespace nereid::interp
