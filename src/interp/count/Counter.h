// Counter.h: counts what the programs of a launch do, for `nereid count`.
//
// Instructions are counted by how many elements they computed, and become operations at the end. Accesses are followed
// address by address: in requests of warps, as the plan of the access says, and as lines for the cache.
#pragma once

#include "interp/Memory.h"
#include "interp/Observer.h"
#include "interp/count/Touched.h"

#include <map>

namespace nereid::interp {

class Counter : public Observer {
public:
  explicit Counter(const CountOptions &options) : options(options) {}

  void begin(const Program &program, Launch &launch) override;
  void beginProgram(Machine &machine) override;
  void endProgram(Machine &machine) override;
  void run(Machine &machine, const Instruction &instruction) override;

  // Once, after the launch.
  CountResult take();

private:
  using Rule = void (Counter::*)(Machine &, const Instruction &);
  static Rule ruleOf(const Fact &fact, const Instruction &instruction);
  void addFacts(const Block &block);
  uint32_t lineIndexOf(const Place &place);
  // In the order of the code.
  std::vector<const AccessPlan *> plansAt(const Place &place, bool isWrite, uint32_t count) const;
  void choosePlans();

  void countLoad(Machine &machine, const Instruction &instruction);
  void countStore(Machine &machine, const Instruction &instruction);
  void countAtomic(Machine &machine, const Instruction &instruction);
  void countBlock(Machine &machine, const Instruction &instruction);
  void countProduct(Machine &machine, const Instruction &instruction);
  void countCombine(Machine &machine, const Instruction &instruction);

  struct TileAccess {
    const uint64_t *addresses;
    const bool *mask; // null: all
    size_t count;
    unsigned bytes; // of an element
    bool isRead, isWritten, isAtomic;
  };
  void countAccess(uint32_t fact, const TileAccess &access, const AccessPlan *plan);
  // Bytes that one request touches, one after the other.
  struct RequestState;
  void touch(uint64_t address, uint64_t bytes, const TileAccess &access, RequestState &request);
  void countAtomicElements(const TileAccess &access, Counts &counts);
  void noteReads(const Machine &machine, const TileAccess &access);

  // What is known of an instruction.
  struct Known {
    Rule rule = nullptr;
    uint32_t line = 0;
    const AccessPlan *plan = nullptr;
    uint64_t elements = 0; // computed so far
    const Instruction *instruction = nullptr;
  };

  CountOptions options;
  const Program *program = nullptr;
  std::vector<Known> facts;
  std::map<std::pair<std::string, unsigned>, uint32_t> lineIndices;
  std::vector<LineCounts> lines;
  std::vector<TouchedByLine> touchedByLine;
  std::unique_ptr<Touched> memory;
  std::unique_ptr<Waves> waves;
  Counts total;
  std::array<uint32_t, 3> grid{};
  std::vector<ReadOfWritten> reads;
  // Of each program that has begun and not ended; several, where programs wait for each other.
  std::map<const Machine *, std::vector<LineAccess>> accesses;
  std::vector<LineAccess> *current = nullptr;
  const Machine *currentMachine = nullptr;
  uint32_t requestNumber = 0, accessNumber = 0;
  std::vector<uint64_t> addressBuffer;
  std::vector<uint8_t> maskBuffer;
};

} // namespace nereid::interp
