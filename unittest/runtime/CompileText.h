// CompileText.h: LLVM IR text to an object, for the tests of the loader and of launches.
#pragma once

#include "cpu/Target.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nereid::cpu {

std::vector<std::byte> compileText(const std::string &text, const Target &target = hostTarget());

} // namespace nereid::cpu
