// cuda.hpp: GPUs from C++: what there is, tensors in their memory, streams. Needs no CUDA header and no toolkit.
//
//   auto x = nereid::toDevice(host);                              // a copy in the memory of the GPU
//   nereid::DeviceStream stream = *nereid::DeviceStream::create();
//   kernel->on(nereid::Device::cuda()).into(stream.handle());
//   (*kernel)(grid, *x, n);                                       // returns at once
//   auto done = stream.synchronize();                             // a failed kernel shows here
#pragma once

#include "nereid/nereid.hpp"

namespace nereid {

inline Result<int> deviceCount() {
  int32_t count = 0;
  nereid_status status = nereid_device_count(&count);
  return status == NEREID_OK ? Result<int>(count) : detail::lastError(status);
}

inline Result<nereid_device_properties> queryDevice(const Device &device = Device::cuda()) {
  nereid_device_properties properties{};
  properties.size = sizeof properties;
  nereid_status status = nereid_device_query(device.name.c_str(), &properties);
  return status == NEREID_OK ? Result<nereid_device_properties>(properties) : detail::lastError(status);
}

// Waits for everything on the GPU.
inline Result<void> synchronize(const Device &device = Device::cuda()) {
  nereid_status status = nereid_synchronize(device.name.c_str());
  return status == NEREID_OK ? Result<void>() : detail::lastError(status);
}

// A tensor in the memory of a GPU, with what it happens to hold. The memory comes and goes in the order of the stream.
inline Result<Tensor> emptyOnDevice(DType dtype, Shape shape, const Device &device = Device::cuda(),
                                    void *stream = nullptr) {
  Result<int64_t> count = Tensor::countOf(shape);
  if (!count)
    return count.error();
  Result<nereid_device_properties> properties = queryDevice(device);
  if (!properties)
    return properties.error();
  std::string name = "cuda:" + std::to_string(properties->ordinal);
  void *memory = nullptr;
  nereid_status status =
      nereid_memory_alloc(name.c_str(), static_cast<size_t>(*count) * bytesOf(dtype), stream, &memory);
  if (status != NEREID_OK)
    return detail::lastError(status);
  std::shared_ptr<void> owner(memory, [name, stream](void *p) { nereid_memory_free(name.c_str(), p, stream); });
  Shape strides = Tensor::contiguousStrides(shape);
  return Tensor::share(std::move(owner), memory, dtype, std::move(shape), std::move(strides))
      .onGpu(properties->ordinal);
}

// A copy on the GPU, with the same strides.
inline Result<Tensor> toDevice(const Tensor &tensor, const Device &device = Device::cuda()) {
  Result<Tensor> copy = emptyOnDevice(tensor.dtype(), {tensor.span()}, device);
  if (!copy)
    return copy;
  nereid_status status =
      nereid_memory_copy(device.name.c_str(), copy->data(), tensor.data(), tensor.spanBytes(), nullptr, 0);
  if (status != NEREID_OK)
    return detail::lastError(status);
  return copy->viewed(tensor.dtype(), tensor.shape(), tensor.strides());
}

// A copy on the host, with the same strides; waits for the default stream.
inline Result<Tensor> toHost(const Tensor &tensor) {
  if (tensor.isOnHost())
    return tensor.clone();
  Result<Tensor> copy = Tensor::zeros(tensor.dtype(), {tensor.span()});
  if (!copy)
    return copy;
  std::string device = Device::cuda(tensor.gpuOrdinal()).name;
  nereid_status status =
      nereid_memory_copy(device.c_str(), copy->data(), tensor.data(), tensor.spanBytes(), nullptr, 0);
  if (status != NEREID_OK)
    return detail::lastError(status);
  return copy->viewed(tensor.dtype(), tensor.shape(), tensor.strides());
}

// Launches in order on a GPU, beside those of other streams.
class DeviceStream {
public:
  static Result<DeviceStream> create(const Device &device = Device::cuda()) {
    void *stream = nullptr;
    nereid_status status = nereid_stream_create(device.name.c_str(), &stream);
    return status == NEREID_OK ? Result<DeviceStream>(DeviceStream(device.name, stream)) : detail::lastError(status);
  }
  DeviceStream(DeviceStream &&other) noexcept : device(other.device), stream(std::exchange(other.stream, nullptr)) {}
  ~DeviceStream() {
    if (stream)
      nereid_stream_destroy(device.c_str(), stream);
  }

  void *handle() const { return stream; } // a CUstream
  Result<void> synchronize() const {
    nereid_status status = nereid_stream_synchronize(device.c_str(), stream);
    return status == NEREID_OK ? Result<void>() : detail::lastError(status);
  }

private:
  DeviceStream(std::string device, void *stream) : device(std::move(device)), stream(stream) {}
  std::string device;
  void *stream;
};

} // namespace nereid
