// Profile.h: the recorder of launches for Python.
#pragma once

#include "Launch.h"

#include "runtime/profile/Recorder.h"

namespace nereid::python {

// The functions of the module about profiles; they end with a row of nulls.
extern PyMethodDef profileMethods[];

// The arguments of a call as a profile shows them, by the names of the parameters; `memory` is a tensor's, and null for all else.
void addArgument(profile::Launch &launch, const lang::Parameter &parameter, PyObject *object, const Memory *memory);
// Whether a kernel's `launch_metadata` is to be asked.
bool wantsMetadata();
// What the kernel's `launch_metadata` says: its name for this launch, and numbers. False with an exception where it raises.
bool describeMetadata(profile::Launch &launch, PyObject *metadata);

} // namespace nereid::python
