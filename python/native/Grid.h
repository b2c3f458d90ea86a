// Grid.h: grids as Python gives them, checked as all interfaces check them.
#pragma once

#include "Reference.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace nereid::python {

// The extents of a number, a tuple or another sequence; nothing with a Python exception. A GPU takes more programs in all than
// a processor, which counts them one by one.
std::optional<std::array<uint32_t, 3>> readGrid(PyObject *grid, bool isForGpu);

// After a function that computes the grid raised: a KeyError for a name that it was not given, `meta["BLOCK_SIZE"]` of a kernel with `BLOCK`, also says
// which there are.
void sayWhatGridGets(PyObject *arguments, const std::string &parameters);

// grid_extents(grid): the same for Python.
PyObject *gridExtents(PyObject *, PyObject *grid);

} // namespace nereid::python
