// CodeChoices.h: what a launch may choose about its machine code, besides warps and stages.
#pragma once

#include <string>
#include <vector>

namespace nereid::gpu {

struct CodeChoices {
  std::string target;                 // "sm_80"; empty: that of the device
  int maxRegisters = 0;               // of a thread; 0: as the assembler likes
  bool fusesFloats = true;            // a * b + c may round once
  bool flushesDenormals = true;       // in approximate functions of f32
  bool hasLines = true;               // the code tells the lines of its source
  std::string assemblerOptions;       // for `ptxas`, with spaces between
  std::vector<std::string> libraries; // files of bitcode with device functions
  // A failed assertion ends the work on the GPU, as `assert` of CUDA does, and shows when somebody waits for it; the
  // GPU is lost to the process. Else the program ends, and the launch, which waits, says why (Artifact.h: Report).
  bool trapsOnAssert = false;

  bool operator==(const CodeChoices &) const = default;
  // Tells choices apart; empty for those that nobody made.
  std::string key() const;
};

} // namespace nereid::gpu
