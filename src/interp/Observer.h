// Observer.h: somebody who watches a launch instruction by instruction: the checker, a counter, a tracer.
//
// Where a launch has one (LaunchOptions), every instruction goes through its `run`, which may look at the values before and
// after, or do the work in another way. Such a launch has one worker, so an observer needs no locks; programs may still
// take turns where they wait for each other, each on a machine of its own. A launch without one pays a test of a pointer
// for each block.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

class Observer {
public:
  virtual ~Observer() = default;

  // The launch begins; both outlive it.
  virtual void begin(const Program &, Launch &) {}
  // A machine is ready: constants and arguments are in its frame, and stay from one program to the next.
  virtual void prepare(Machine &) {}
  // Machine::program says which one.
  virtual void beginProgram(Machine &) {}
  virtual void endProgram(Machine &) {}

  // Runs the instruction: `instruction.run(machine, instruction)`, and whatever it is watched for. Instructions of regions
  // (loops, branches, combinations) come here by themselves while that of their owner runs.
  virtual void run(Machine &machine, const Instruction &instruction) = 0;
  // A while loop looks at its condition.
  virtual void visitCondition(Machine &, const Instruction &, const Slot &) {}

  // Values get a shadow (Machine::shadow), which copies move along with them.
  virtual bool needsShadow() const { return false; }
  // A reduction or scan by a single op runs as one loop; this makes it go through its region.
  virtual bool entersEveryRegion() const { return false; }
};

} // namespace nereid::interp
