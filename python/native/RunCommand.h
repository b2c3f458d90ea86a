// RunCommand.h: the command line `nereid` inside of the Python package.
#pragma once

#include "Reference.h"

namespace nereid::python {

// run_command(words): runs a command line, a list of bytes, on the standard streams of the process; its exit status.
PyObject *runCommandLine(PyObject *module, PyObject *words);

} // namespace nereid::python
