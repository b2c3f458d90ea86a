// Goals.h: performance without a stopwatch: what a kernel did, in counters, against what a unit asks for.
#pragma once

#include "learn/Scene.h"

namespace nereid::learn {

// bytes_read, programs …: what a launch did.
using Counters = std::map<std::string, double>;

// What all launches of a test do, together.
Result<Counters> countTest(jit::KernelModule &module, const Scene &scene, const Test &test);

struct GoalResult {
  bool isMet = false;
  std::string said; // the unit's sentence, with its numbers
};
// `python` evaluates the goal. Fails where the unit's goal is wrong.
Result<GoalResult> evaluateGoal(jit::KernelModule &python, const Scene &scene, const Counters &counters,
                                const Goal &goal);

} // namespace nereid::learn
