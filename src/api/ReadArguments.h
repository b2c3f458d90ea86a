// ReadArguments.h: the structs of the C interface as C++ values, checked.
#pragma once

#include "jit/Settings.h"
#include "lang/Function.h"
#include "nereid/nereid.h"

namespace nereid::api {

// More arguments than this are not read: they cannot be right. What to say of those, or of none where there are some.
size_t mostArguments(const lang::Function &kernel);
Error badCount(const lang::Function &kernel, const nereid_argument *arguments, size_t count);
Result<std::vector<Argument>> readArguments(const nereid_argument *arguments, size_t count);
// A caller built against an older header has a shorter struct: what it lacks keeps its default.
Result<jit::Settings> readOptions(const nereid_launch_options *options);

} // namespace nereid::api
