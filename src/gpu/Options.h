// Options.h: what a kernel is compiled for on a GPU.
#pragma once

#include "gpu/CodeChoices.h"
#include "gpu/Target.h"

#include <algorithm>
#include <string>

namespace nereid::gpu {

struct Options {
  Target target = targetOf("sm_90a");
  unsigned numWarps = 4, numStages = 3, numCtas = 1;
  CodeChoices choices;
  std::string *remarks = nullptr; // where lost speed is told, if anybody asks
  bool usesTensorMaps = true;     // false: blocks of described tensors go through pointers
  unsigned stagesCut = 0;         // how many stages fewer than asked for, for lack of shared memory
  bool stagesLate = false;        // operands of products go to shared memory right before them, for lack of it too

  unsigned threads() const { return numWarps * target.warpSize; }
  // That a thread can have where one program runs.
  unsigned registersOfThread() const { return std::min(target.registersOfThread, target.registers / threads()); }
  // 32-bit registers of a thread for so many bits of the program's.
  int64_t registersFor(int64_t bits) const { return std::max<int64_t>(1, bits / (32 * int64_t(threads()))); }
};

} // namespace nereid::gpu
