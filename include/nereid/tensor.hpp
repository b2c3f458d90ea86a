// tensor.hpp: a strided array in the memory of the host or of a GPU, owned or borrowed.
#pragma once

#include "nereid/dtype.hpp"
#include "nereid/nereid.h"
#include "nereid/result.hpp"

#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace nereid {

using Shape = std::vector<int64_t>;

// Copies share the memory, as numpy's views do; `clone` copies it. Strides count elements.
class Tensor {
public:
  // Owned and filled with zeros. Fails on a negative extent and when there is not enough memory.
  static Result<Tensor> zeros(DType dtype, Shape shape) {
    Result<Tensor> result = empty(dtype, std::move(shape));
    if (result)
      std::memset(result->memory, 0, result->spanBytes());
    return result;
  }
  // The same with what the memory happens to hold.
  static Result<Tensor> empty(DType dtype, Shape shape) {
    auto count = countOf(shape);
    if (!count)
      return count.error();
    size_t bytes = static_cast<size_t>(*count) * bytesOf(dtype);
    auto *memory = static_cast<std::byte *>(::operator new(bytes ? bytes : 1, kAlignment, std::nothrow));
    if (!memory)
      return Error{Status::Environment, "out of memory: a tensor needs " + std::to_string(bytes) + " bytes"};
    std::shared_ptr<std::byte> owner(memory, [](std::byte *p) { ::operator delete(p, kAlignment); });
    Shape strides = contiguousStrides(shape);
    return Tensor(dtype, std::move(shape), std::move(strides), owner.get(), owner);
  }

  // The same between two pages that nobody may touch: a kernel on the CPU that goes past either end fails with its line. Up
  // to 15 bytes behind the end are not guarded.
  static Result<Tensor> guarded(DType dtype, Shape shape) {
    auto count = countOf(shape);
    if (!count)
      return count.error();
    size_t bytes = static_cast<size_t>(*count) * bytesOf(dtype);
    void *memory = nereid_guarded_alloc(bytes);
    if (!memory)
      return Error{Status::Environment, "out of memory: a tensor needs " + std::to_string(bytes) + " bytes"};
    std::shared_ptr<void> owner(memory, [bytes](void *memory) { nereid_guarded_free(memory, bytes); });
    Shape strides = contiguousStrides(shape);
    return share(std::move(owner), memory, dtype, std::move(shape), std::move(strides));
  }

  // Owned, with a copy of the values.
  template <class T> static Result<Tensor> from(std::span<const T> values, Shape shape) {
    Result<Tensor> result = zeros(dtypeOf<T>(), std::move(shape));
    if (result && static_cast<size_t>(result->count()) != values.size())
      return Error{Status::BadInput, "the shape holds " + std::to_string(result->count()) + " elements, but " +
                                         std::to_string(values.size()) + " values are given"};
    if (result && !values.empty())
      std::memcpy(result->data(), values.data(), values.size_bytes());
    return result;
  }
  template <class T> static Result<Tensor> from(const std::vector<T> &values) {
    return from<T>(std::span<const T>(values), {static_cast<int64_t>(values.size())});
  }

  // The caller's memory, which must outlive the tensor. Without strides: contiguous, the last axis fastest.
  static Tensor borrow(void *data, DType dtype, Shape shape, Shape strides = {}) {
    if (strides.empty())
      strides = contiguousStrides(shape);
    return Tensor(dtype, std::move(shape), std::move(strides), static_cast<std::byte *>(data), nullptr);
  }

  // Memory that lives as long as `owner` and every copy of the tensor.
  static Tensor share(std::shared_ptr<void> owner, void *data, DType dtype, Shape shape, Shape strides) {
    auto *bytes = static_cast<std::byte *>(data);
    return Tensor(dtype, std::move(shape), std::move(strides), bytes,
                  std::shared_ptr<std::byte>(std::move(owner), bytes));
  }

  // The same memory, which is that of a GPU: kernels on `cuda` get its address as it is, the host does not touch it.
  Tensor onGpu(int ordinal) const {
    Tensor result = *this;
    result.gpu = ordinal;
    return result;
  }
  bool isOnHost() const { return gpu < 0; }
  int gpuOrdinal() const { return gpu; } // -1: on the host

  DType dtype() const { return type; }
  const Shape &shape() const { return extents; }
  const Shape &strides() const { return steps; }
  int64_t rank() const { return static_cast<int64_t>(extents.size()); }
  std::byte *data() const { return memory; }
  int64_t count() const {
    int64_t result = 1;
    for (int64_t extent : extents)
      result *= extent;
    return result;
  }
  // Elements from the first to one past the last that the strides reach; strides are not negative.
  int64_t span() const {
    int64_t last = 0;
    for (size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] == 0)
        return 0;
      last += (extents[i] - 1) * steps[i];
    }
    return last + 1;
  }
  size_t spanBytes() const { return static_cast<size_t>(span()) * bytesOf(type); }

  // The memory as C++ values, for a contiguous tensor of that very type on the host; empty otherwise.
  template <class T> std::span<T> values() const {
    if (!isOnHost() || dtypeOf<T>() != type || steps != contiguousStrides(extents))
      return {};
    return {reinterpret_cast<T *>(memory), static_cast<size_t>(count())};
  }

  // The same memory with the axes in reverse order.
  Tensor transposed() const {
    return Tensor(type, Shape(extents.rbegin(), extents.rend()), Shape(steps.rbegin(), steps.rend()), memory, owner)
        .onGpu(gpu);
  }
  // The same memory seen with another shape or element type; the caller sees to it that it fits.
  Tensor viewed(DType dtype, Shape shape, Shape strides) const {
    return Tensor(dtype, std::move(shape), std::move(strides), memory, owner).onGpu(gpu);
  }
  // A copy of the memory, with the same strides. Only on the host: for a GPU see cuda.hpp.
  Result<Tensor> clone() const {
    if (!isOnHost())
      return Error{Status::BadInput, "a tensor on a GPU can not be cloned; copy it with `toHost`"};
    Result<Tensor> copy = zeros(type, {span()});
    if (!copy)
      return copy;
    std::memcpy(copy->memory, memory, spanBytes());
    return Tensor(type, extents, steps, copy->memory, copy->owner);
  }

  static Shape contiguousStrides(const Shape &shape) {
    Shape strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * (shape[i] > 0 ? shape[i] : 1);
    return strides;
  }
  // The number of elements; fails for negative extents and for counts whose bytes no memory can hold.
  static Result<int64_t> countOf(const Shape &shape) {
    int64_t count = 1;
    bool isEmpty = false;
    for (int64_t extent : shape) {
      if (extent < 0)
        return Error{Status::BadInput, "a tensor's extent is " + std::to_string(extent) + "; it must not be negative"};
      isEmpty |= extent == 0;
      if (extent > 0 && __builtin_mul_overflow(count, extent, &count))
        count = std::numeric_limits<int64_t>::max();
      if (count > std::numeric_limits<int64_t>::max() / 16)
        return Error{Status::BadInput, "the shape has more elements than memory can hold"};
    }
    return isEmpty ? 0 : count;
  }

private:
  static constexpr std::align_val_t kAlignment{64};

  Tensor(DType dtype, Shape shape, Shape strides, std::byte *memory, std::shared_ptr<std::byte> owner)
      : type(dtype), extents(std::move(shape)), steps(std::move(strides)), memory(memory), owner(std::move(owner)) {}

  DType type;
  Shape extents, steps;
  std::byte *memory;
  std::shared_ptr<std::byte> owner; // null when borrowed
  int gpu = -1;                     // whose memory it is; -1: the host's
};

} // namespace nereid
