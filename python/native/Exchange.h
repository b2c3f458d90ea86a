// Exchange.h: DLPack's exchange in C, which torch has since 2.10: one call tells of a tensor what takes three or more
// attributes in Python.
#pragma once

#include "Memory.h"

namespace nereid::python {

struct Exchange;

// How tensors of a type are looked at; null: by their attributes.
const Exchange *exchangeOf(PyTypeObject *type);

// Nothing, and no error, where the attributes must be asked after all.
std::optional<Memory> exchangedMemory(const Exchange &exchange, PyObject *tensor);

// The current stream of a GPU; nothing, and no error, where it must be asked for otherwise.
std::optional<void *> exchangedStream(const Exchange &exchange, int ordinal);

} // namespace nereid::python
