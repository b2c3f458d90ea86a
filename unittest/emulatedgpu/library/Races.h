// Races.h: accesses to shared memory that nothing puts in an order, whatever order they came in. Warps, and what works beside them,
// each have a clock; a barrier tells those who wait what others had done (vector clocks). The lanes of a warp go on together here,
// but need not: between what two of them do stands a barrier, of the warp at least. Also products and TMA that read what
// threads wrote without `fence.proxy.async` between.
#pragma once

#include "Module.h"

#include <map>
#include <span>
#include <vector>

namespace nereid::emulated {

// How far each actor was, as far as somebody knows; and how much of that was followed by a fence for the async proxy. Of the last
// time of a warp some lanes alone may be known: those that told of it themselves.
struct Clocks {
  struct Partly {
    uint32_t time = 0;
    Lanes lanes = 0;
  };
  std::vector<uint32_t> known, fenced;
  std::map<uint32_t, Partly> partly; // by actor

  uint32_t of(uint32_t actor) const { return actor < known.size() ? known[actor] : 0; }
  uint32_t fencedOf(uint32_t actor) const { return actor < fenced.size() ? fenced[actor] : 0; }
  void learn(uint32_t actor, uint32_t time);
  void join(const Clocks &other);
};

class Races {
public:
  explicit Races(uint32_t warps);

  // Who accesses: the threads of a warp, what copies beside them (cp.async), its products, its copies to global memory.
  enum class Part : uint8_t { Threads, Copies, Products, Stores };
  // Rewrite: what is written is there already, as where threads that have the same element all store it.
  enum class How : uint8_t { Read, Write, Rewrite, Atomic };

  // By a lane of a warp, or by several together (kSeveral), now.
  static constexpr uint8_t kSeveral = 32;
  void access(uint32_t warp, uint32_t lane, How how, uint64_t address, uint64_t bytes, const Act &act);
  // Beside them; gives the time by which the part is known to be done. All accesses of one instruction have the same time.
  uint32_t begin(uint32_t warp, Part part) { return ++times[actorOf(warp, part)]; }
  void access(uint32_t warp, Part part, How how, uint64_t address, uint64_t bytes, const Act &act);
  void end(uint32_t warp, Part part, uint32_t time) { clocks[warp].learn(actorOf(warp, part), time); }
  // By TMA, into memory that the barrier tells of when its phase ends.
  void write(uint32_t warp, uint64_t barrier, uint32_t phase, uint64_t address, uint64_t bytes, const Act &act);
  void endPhase(uint64_t barrier, uint32_t phase, Clocks &released) { released.learn(actorOf(barrier), phase + 1); }

  // What the warp has done, to whoever takes it from there.
  void release(uint32_t warp, Clocks &into);
  // By some of its lanes: what they have done, and all others before they last met. They go on in a new time (`meet`) when they have told all.
  void release(uint32_t warp, Lanes lanes, Clocks &into);
  void tell(uint32_t warp, Part part, uint32_t time, Clocks &to) const { to.learn(actorOf(warp, part), time); }
  void acquire(uint32_t warp, const Clocks &from) { clocks[warp].join(from); }
  void fence(uint32_t warp);                               // for the async proxy
  void meet(uint32_t warp) { ++clocks[warp].known[warp]; } // its lanes

private:
  struct Access {
    uint32_t actor, time;
    How how;
    bool isAsync;  // of the async proxy
    uint8_t lane;  // of the threads of a warp
    uint8_t bytes; // of the four
    const Act *act;
  };

  uint32_t actorOf(uint32_t warp, Part part) const { return uint32_t(part) * warps + warp; }
  uint32_t actorOf(uint64_t barrier);
  void add(const Clocks &observer, Access access, uint64_t address, uint64_t bytes);
  static bool isPartlyKnown(const Clocks &observer, const Access &earlier);
  // Whether one is known to come after the other; throws where it must.
  bool isOrdered(const Clocks &observer, const Access &earlier, const Access &later, uint64_t address) const;

  uint32_t warps;
  std::vector<Clocks> clocks;            // of the warps
  std::vector<uint32_t> times;           // of the actors that belong to warps
  std::map<uint64_t, uint32_t> barriers; // that tell of copies: their actors
  std::vector<std::vector<Access>> words;
};

} // namespace nereid::emulated
