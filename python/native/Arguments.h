// Arguments.h: the arguments of a launch as the words that compiled code takes, by the types of a signature.
#pragma once

#include "Memory.h"

#include "nereid/dtype.hpp"

#include <string>
#include <vector>

namespace nereid::python {

// How one argument becomes words.
struct ArgumentForm {
  enum class Kind : uint8_t { Constant, Pointer, Integer, Float, Descriptor, Tuple } kind = Kind::Constant;
  uint64_t mask = ~uint64_t(0); // Integer: the bits of its type
  bool isUnsigned = false;      // Integer
  DType dtype = DType::Fp32;    // Float
  std::vector<ArgumentForm> items;
};

// From a type as signatures write it (`*fp32`, `i32`, `tensordesc<fp16[64,64]>`), a tuple of types, or None for a
// constant. Nothing, with an exception, where it is none of them.
std::optional<ArgumentForm> formOf(PyObject *type);

// The bits of a number in the type of its parameter.
uint64_t integerWord(PyObject *object, uint64_t mask);
uint64_t floatWord(PyObject *object, DType dtype);

// The words of a launch, and the memory that they point to.
struct WordList {
  static constexpr size_t kMax = 512;
  uint64_t words[kMax];
  size_t count = 0;
  Memory tensors[kMax];
  size_t parameters[kMax]; // whose arguments the tensors are
  size_t tensorCount = 0;

  // False, with an exception, for an argument that is not of its type.
  bool add(const ArgumentForm &form, PyObject *object, size_t parameter);
  // Whether the memory of two tensors overlaps.
  bool overlaps() const;

private:
  bool push(uint64_t word);
  bool addPointer(PyObject *object, size_t parameter);
  bool addDescriptor(PyObject *object, size_t parameter);
};

} // namespace nereid::python
