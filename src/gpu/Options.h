// Options.h: what a kernel is compiled for on a GPU.
#pragma once

#include "gpu/CodeChoices.h"
#include "gpu/Target.h"

#include <string>

namespace nereid::gpu {

struct Options {
  Target target = targetOf("sm_90a");
  unsigned numWarps = 4, numStages = 3, numCtas = 1;
  bool debugInfo = true; // line tables
  CodeChoices choices;
  std::string *remarks = nullptr; // where lost speed is told, if anybody asks
  bool usesTensorMaps = true;     // false: blocks of described tensors go through pointers
  unsigned stagesCut = 0;         // how many stages fewer than asked for, for lack of shared memory
  bool stagesLate = false;        // operands of products go to shared memory right before them, for lack of it too
};

} // namespace nereid::gpu
