// Memory.h: where the data of a Python tensor lies: torch tensors, numpy arrays, anything with a `data_ptr` and a
// `dtype`, or with the CUDA array interface.
#pragma once

#include "Reference.h"

#include "nereid/dtype.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace nereid::jit {
struct Binding;
}

namespace nereid::python {

// Where an object does not say how far its memory reaches, it may be any address of a process.
constexpr uint64_t kEndOfMemory = uint64_t(1) << 47;

struct Memory {
  uint64_t address;
  uint64_t bytes; // from `address` to the end of what belongs to it
  DType dtype;
  bool isCuda;
  bool isReadOnly; // no kernel may write there

  // There is data, and no kernel can get at it: a meta tensor, a device that is not ours.
  bool isOutOfReach() const { return !isCuda && address == 0 && bytes != 0; }
};

// Whether objects of this type hold tensor data; the answer is kept by type.
bool isTensor(PyObject *object);
// The bool, int or float that a scalar of numpy is; nothing, and no exception, for all else.
Reference numberOf(PyObject *object);
// The same, and for integers and floats of derived classes (the members of an IntEnum).
Reference plainNumberOf(PyObject *object);
// Nothing, with a Python exception set, when the data cannot be used (an element type that there is not).
std::optional<Memory> memoryOf(PyObject *object);
// All of the memory that the data of a tensor is part of: of a view that of its base. Nothing, and no error, where the object
// does not say.
struct Extent {
  uint64_t address, bytes;
};
std::optional<Extent> allocationOf(PyObject *object);
// Whether a descriptor of that shape and those strides (in elements) stays inside of the memory that its base is part of; false: a
// ValueError says so. Nobody looks at memory of a GPU.
bool isInsideOfBase(PyObject *base, const Memory &memory, std::span<const int64_t> shape,
                    std::span<const int64_t> strides);
// Bounds memory of unknown length by what is mapped, for the interpreter.
void boundByMappings(jit::Binding &binding);
// Puts the name of the argument into the exception that memoryOf has set.
void nameArgument(const std::string &name);
// The bytes of a numpy array; nothing for anything else.
struct ArrayView {
  void *data;
  size_t bytes;
  bool isContiguous;
};
std::optional<ArrayView> arrayView(PyObject *object);
// The element type of that Python name: float32, bf16, int8 …
std::optional<DType> dtypeNamed(const std::string &name);

} // namespace nereid::python
