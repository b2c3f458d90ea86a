// RuntimeFunctions.h: the functions of the C library that generated code may call by name.
#pragma once

#include <string_view>

namespace nereid::cpu {

// Null where the name is not in the list: an object cannot reach any function that it likes.
void *findRuntimeFunction(std::string_view name);

} // namespace nereid::cpu
