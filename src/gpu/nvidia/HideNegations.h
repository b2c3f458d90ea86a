// HideNegations.h: what NVIDIA's assembler forgets a sign of is written in another way.
#pragma once

#include <string>

namespace nereid::gpu {

// The same code with other instructions. It works on text, as LLVM's code generator makes negations too (a product by -2 is one).
std::string hideNegations(std::string ptx);

} // namespace nereid::gpu
