// MathTarget.h: what the bodies of mathematical functions ask of the machine they are emitted for.
#pragma once

namespace nereid::codegen {

struct MathTarget {
  unsigned vectorBits = 128; // of the widest registers that are worth using
  bool hasRounding = false;  // to whole numbers: SSE4.1
  bool hasFma = false, hasF16c = false;
  bool hasAvx512 = false; // F, BW, DQ and VL of it
  bool isX86 = true, isNvidia = false;

  // Elements of this many bits in one register.
  unsigned lanes(unsigned elementBits) const { return vectorBits / elementBits; }
};

} // namespace nereid::codegen
