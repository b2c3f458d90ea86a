// ProgramShape.h: how a program is spread over a GPU, as users say it: its warps, how many iterations of a loop are under
// way, the blocks of a cluster.
#pragma once

namespace nereid {

struct ProgramShape {
  int numWarps = 4, numStages = 3, numCtas = 1;

  bool operator==(const ProgramShape &) const = default;
  // What is 0 in this one comes from the other.
  ProgramShape orElse(const ProgramShape &other) const {
    return {numWarps ? numWarps : other.numWarps, numStages ? numStages : other.numStages,
            numCtas ? numCtas : other.numCtas};
  }
};

// Nothing is said.
inline constexpr ProgramShape kNoShape{0, 0, 0};

} // namespace nereid
