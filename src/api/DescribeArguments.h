// DescribeArguments.h: the arguments of a launch as a profile shows them: types, shapes, values.
#pragma once

#include "lang/Function.h"
#include "nereid/nereid.h"
#include "runtime/profile/Recorder.h"

namespace nereid::api {

// Nothing is checked yet: what cannot be right is left out.
void describeArguments(profile::Launch &launch, const lang::Function &kernel, const nereid_argument *arguments,
                       size_t count);

} // namespace nereid::api
