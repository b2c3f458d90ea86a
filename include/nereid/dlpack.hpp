// dlpack.hpp: tensors from and to other libraries (numpy, torch, JAX …) by DLPack, without copying. The structs have
// the layout of DLPack's own (version 1, the unversioned form), whose header is not needed; pointers to its types are
// taken too.
//
//   auto tensor = nereid::fromDlpack(managed);            // owns it: its deleter runs with the last copy of the tensor
//   auto *managed = nereid::toDlpack(tensor);             // whoever gets it calls its deleter
#pragma once

#include "nereid/tensor.hpp"

#include <array>

namespace nereid {

namespace dlpack {

enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };
enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kBool = 6,
  kFloat8E4M3fn = 10,
  kFloat8E4M3fnuz = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2fnuz = 13
};

struct Device {
  int32_t type, index;
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct TensorView {
  void *data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t *shape;
  int64_t *strides; // in elements; null: contiguous
  uint64_t byteOffset;
};
struct ManagedTensor {
  TensorView tensor;
  void *context;
  void (*deleter)(ManagedTensor *self);
};
static_assert(sizeof(TensorView) == 48 && sizeof(ManagedTensor) == 64, "the layout of DLPack on 64-bit machines");

struct TypeRow {
  DType dtype;
  uint8_t code, bits;
};
// fp8e4b15 has no name in DLPack.
inline constexpr TypeRow kTypes[] = {
    {DType::Int1, kBool, 8},
    {DType::Int8, kInt, 8},
    {DType::Int16, kInt, 16},
    {DType::Int32, kInt, 32},
    {DType::Int64, kInt, 64},
    {DType::UInt8, kUInt, 8},
    {DType::UInt16, kUInt, 16},
    {DType::UInt32, kUInt, 32},
    {DType::UInt64, kUInt, 64},
    {DType::Fp16, kFloat, 16},
    {DType::Bf16, kBfloat, 16},
    {DType::Fp32, kFloat, 32},
    {DType::Fp64, kFloat, 64},
    {DType::Fp8E4NV, kFloat8E4M3fn, 8},
    {DType::Fp8E4B8, kFloat8E4M3fnuz, 8},
    {DType::Fp8E5, kFloat8E5M2, 8},
    {DType::Fp8E5B16, kFloat8E5M2fnuz, 8},
};

// Null: there is no such element type.
inline const TypeRow *rowOf(DataType dtype) {
  for (const TypeRow &row : kTypes)
    if (row.code == dtype.code && row.bits == dtype.bits && dtype.lanes == 1)
      return &row;
  return nullptr;
}

inline Error refused(const std::string &why) { return {Status::BadInput, "error: DLPack tensor: " + why + "\n"}; }

// A tensor over the memory of a view, which must outlive it.
inline Result<Tensor> borrow(const TensorView &view, std::shared_ptr<void> owner = nullptr) {
  bool isOnGpu = view.device.type == kCuda || view.device.type == kCudaManaged;
  if (view.device.type != kCpu && view.device.type != kCudaHost && !isOnGpu)
    return refused("its memory is on device type " + std::to_string(view.device.type) +
                   ", not on the CPU (1) or a CUDA device (2)");
  if (view.rank < 0 || view.rank > 32 || (view.rank > 0 && !view.shape))
    return refused("it has " + std::to_string(view.rank) + " axes, or no shape");
  const TypeRow *row = rowOf(view.dtype);
  if (!row)
    return refused("there is no element type for code " + std::to_string(view.dtype.code) + " with " +
                   std::to_string(view.dtype.bits) + " bits and " + std::to_string(view.dtype.lanes) + " lanes");
  Shape shape(view.shape, view.shape + view.rank);
  Shape strides = view.strides ? Shape(view.strides, view.strides + view.rank) : Tensor::contiguousStrides(shape);
  for (int64_t stride : strides)
    if (stride < 0)
      return refused("a stride is " + std::to_string(stride) + "; it must not be negative");
  if (Result<int64_t> count = Tensor::countOf(shape); !count)
    return refused(count.error().message);
  auto *data = static_cast<std::byte *>(view.data) + view.byteOffset;
  Tensor tensor = owner ? Tensor::share(std::move(owner), data, row->dtype, std::move(shape), std::move(strides))
                        : Tensor::borrow(data, row->dtype, std::move(shape), std::move(strides));
  return isOnGpu ? tensor.onGpu(view.device.index) : tensor;
}

} // namespace dlpack

// Takes the tensor over, also when that fails.
inline Result<Tensor> fromDlpack(dlpack::ManagedTensor *managed) {
  if (!managed)
    return dlpack::refused("it is null");
  std::shared_ptr<void> owner(managed, [](void *pointer) {
    auto *self = static_cast<dlpack::ManagedTensor *>(pointer);
    if (self->deleter)
      self->deleter(self);
  });
  return dlpack::borrow(managed->tensor, std::move(owner));
}
// The same for DLPack's own `DLManagedTensor`.
template <class T>
  requires(!std::is_same_v<T, dlpack::ManagedTensor> && sizeof(T) == sizeof(dlpack::ManagedTensor))
Result<Tensor> fromDlpack(T *managed) {
  return fromDlpack(reinterpret_cast<dlpack::ManagedTensor *>(managed));
}

// Shares the memory: it lives until the deleter is called. Null for an element type that DLPack has no name for.
inline dlpack::ManagedTensor *toDlpack(const Tensor &tensor) {
  struct Holder {
    dlpack::ManagedTensor managed;
    Tensor tensor;
    Shape shape, strides;
  };
  const dlpack::TypeRow *row = nullptr;
  for (const dlpack::TypeRow &each : dlpack::kTypes)
    if (each.dtype == tensor.dtype())
      row = &each;
  if (!row)
    return nullptr;
  auto *holder = new Holder{{}, tensor, tensor.shape(), tensor.strides()};
  holder->managed.tensor = {
      tensor.data(),
      {tensor.isOnHost() ? dlpack::kCpu : dlpack::kCuda, tensor.isOnHost() ? 0 : tensor.gpuOrdinal()},
      static_cast<int32_t>(tensor.rank()),
      {row->code, row->bits, 1},
      holder->shape.data(),
      holder->strides.data(),
      0};
  holder->managed.context = holder;
  holder->managed.deleter = [](dlpack::ManagedTensor *self) { delete static_cast<Holder *>(self->context); };
  return &holder->managed;
}

} // namespace nereid
