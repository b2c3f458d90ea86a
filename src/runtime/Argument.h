// Argument.h: what a launch gives to a kernel, on every device: the words of its arguments, and the memory that they reach.
// Standard library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nereid::runtime {

// What reads outside a described tensor give.
enum class Padding : uint8_t { Zero, NaN };

// One argument of the kernel's function. Integers and floats are the bits of their own type (an f16 in the low 16
// bits). A descriptor argument is followed by its extents and strides as ordinary arguments, as the function's type
// says.
struct Argument {
  uint64_t value = 0;
  // Descriptors only: extents and strides in elements of the tensor that `value` points to.
  std::vector<int64_t> shape, strides;
  Padding padding = Padding::Zero;

  static Argument pointer(const void *address) { return {reinterpret_cast<uint64_t>(address), {}, {}}; }
  static Argument bits(uint64_t value) { return {value, {}, {}}; }
  static Argument f32(float value);
  static Argument f64(double value);
  static Argument descriptor(const void *base, std::vector<int64_t> shape, std::vector<int64_t> strides,
                             Padding padding = Padding::Zero) {
    return {reinterpret_cast<uint64_t>(base), std::move(shape), std::move(strides), padding};
  }
};

// A piece of memory that the kernel may touch. With at least one, the interpreter holds every access against them; with
// none, nothing is.
struct Allocation {
  std::string name;
  void *data = nullptr;
  size_t bytes = 0;
  unsigned elementBytes = 1;
  // Extents, and strides in elements (both may be empty): for messages, and for what of it is never written.
  std::vector<int64_t> shape, strides;
  bool isEmpty = false; // nobody has written it before the launch
};

// "element [3, 7] of `x`, which has the shape [4, 4]", for messages; `offset` in bytes from its first element.
std::string describeElement(const Allocation &tensor, int64_t offset);

} // namespace nereid::runtime
