// Features.h: whether this CPU can run code that was compiled elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace nereid::cpu {

// The first of `features` (LLVM's names, with commas between) that this CPU does not have; empty: it has all. Names
// that are not known here are taken to be there: they do not change what code does.
std::string missingFeature(std::string_view features);

} // namespace nereid::cpu
