// Tracer.h: an observer that writes a Trace.
#pragma once

#include "interp/Memory.h"
#include "interp/Observer.h"
#include "interp/trace/Note.h"
#include "interp/trace/Trace.h"

#include <map>
#include <set>

namespace nereid::interp {

struct TraceOptions {
  std::vector<std::array<uint32_t, 3>> programs; // that are written down
  size_t mostSteps = 2000;                       // of one of them
  size_t mostBytes = size_t(64) << 20;           // of the values of one of them
  // Of all other programs only boxes are kept, until so many elements were computed or boxes found.
  uint64_t mostElements = 20'000'000;
  size_t mostBoxes = 4000;
  // Programs wait for each other: none may be left out or ended early.
  bool runsAll = false;
};

class Tracer : public Observer {
public:
  Tracer(TraceOptions options, Trace &trace);

  void begin(const Program &program, Launch &launch) override;
  void beginProgram(Machine &machine) override;
  void endProgram(Machine &machine) override;
  void run(Machine &machine, const Instruction &instruction) override;

  // Programs that are done, by number; and whether others are no longer of interest.
  bool isDone(uint64_t number) const { return done.contains(number); }
  bool isEnough() const { return hasEnough; }

private:
  struct State { // of a program that runs
    ProgramTrace *record = nullptr;
    size_t bytes = 0;
    uint64_t number = 0;
  };
  void note(State &state, Machine &machine, const Instruction &instruction);
  void access(State &state, Machine &machine, const Instruction &instruction);
  void addBox(const State &state, const TracedAccess &access, const Instruction &instruction);
  TracedAccess look(Machine &machine, const Instruction &instruction) const;
  int32_t tensorAt(uint64_t address) const;
  uint32_t frameOf(uint32_t place);

  TraceOptions options;
  Trace &trace;
  const Program *program = nullptr;
  Launch *launch = nullptr;
  std::map<const Machine *, State> states;
  std::map<std::pair<std::string, uint32_t>, uint32_t> nameNumbers;
  std::map<std::string, uint32_t> frameNumbers;
  std::map<uint32_t, uint32_t> frameOfPlace;
  std::set<uint64_t> done;
  uint64_t elements = 0;
  bool hasEnough = false;
};

} // namespace nereid::interp
