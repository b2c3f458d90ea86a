// cuda.hpp: GPUs from C++: what there is, tensors in their memory, streams. Needs no CUDA header and no toolkit.
//
//   auto x = nereid::toDevice(host);                              // a copy in the memory of the GPU
//   nereid::DeviceStream stream = *nereid::DeviceStream::create();
//   kernel->on(nereid::Device::cuda()).into(stream.handle());
//   (*kernel)(grid, *x, n);                                       // returns at once
//   auto done = stream.synchronize();                             // a failed kernel shows here
#pragma once

#include "nereid/nereid.hpp"

#include <optional>

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

// A copy on the host, with the same strides; waits for the stream.
inline Result<Tensor> toHost(const Tensor &tensor, void *stream = nullptr) {
  if (tensor.isOnHost())
    return tensor.clone();
  Result<Tensor> copy = Tensor::zeros(tensor.dtype(), {tensor.span()});
  if (!copy)
    return copy;
  std::string device = Device::cuda(tensor.gpuOrdinal()).name;
  nereid_status status = nereid_memory_copy(device.c_str(), copy->data(), tensor.data(), tensor.spanBytes(), stream, 0);
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

// Launches that were recorded once, and run again at the cost of one. Addresses and numbers stay what they were when it was
// recorded, so the memory must outlive it.
class DeviceGraph {
public:
  // What `work` launches into the stream (LaunchOptions::isAsynchronous) is recorded and not run. Its kernels have been
  // launched before: nothing is compiled meanwhile.
  template <class F> static Result<DeviceGraph> record(const Device &device, const DeviceStream &stream, F &&work) {
    nereid_status begun = nereid_graph_begin(device.name.c_str(), stream.handle());
    if (begun != NEREID_OK)
      return detail::lastError(begun);
    Result<void> done = work();
    nereid_graph *graph = nullptr;
    nereid_status status = nereid_graph_end(device.name.c_str(), stream.handle(), &graph);
    if (done && status != NEREID_OK)
      return detail::lastError(status);
    DeviceGraph made(graph);
    return done ? Result<DeviceGraph>(std::move(made)) : Result<DeviceGraph>(done.error());
  }
  Result<void> launch(const DeviceStream &stream) const {
    nereid_status status = nereid_graph_launch(graph.get(), stream.handle());
    return status == NEREID_OK ? Result<void>() : detail::lastError(status);
  }

private:
  explicit DeviceGraph(nereid_graph *graph) : graph(graph, nereid_graph_free) {}
  std::unique_ptr<nereid_graph, void (*)(nereid_graph *)> graph;
};

// Memory for what lies between kernels (LaunchOptions::arena): taken piece by piece, and all of it again after reset(). Launches
// that use it stand in one stream, so that those behind reset() come after those before. After one round of the same work it is as
// large as the work needs, and nothing is allocated any more: also while a graph is recorded.
class Arena {
public:
  explicit Arena(const Device &device = Device::cuda(), void *stream = nullptr) : device(device), stream(stream) {}

  Result<Tensor> take(DType dtype, const Shape &shape) {
    Result<int64_t> count = Tensor::countOf(shape);
    if (!count)
      return count.error();
    size_t bytes = static_cast<size_t>(*count) * bytesOf(dtype), start = used;
    used += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (block && used <= block->spanBytes())
      return Tensor::share(std::make_shared<Tensor>(*block), block->data() + start, dtype, shape,
                           Tensor::contiguousStrides(shape))
          .onGpu(block->gpuOrdinal());
    Result<Tensor> more = emptyOnDevice(dtype, shape, device, stream);
    if (more)
      rest.push_back(*more);
    return more;
  }
  // What was taken may be overwritten by what comes next in the stream.
  Result<void> reset() {
    if (!rest.empty()) {
      rest.clear();
      block.reset();
      Result<Tensor> grown = emptyOnDevice(DType::UInt8, {static_cast<int64_t>(used)}, device, stream);
      if (!grown)
        return grown.error();
      block = *grown;
    }
    used = 0;
    return {};
  }

private:
  static constexpr size_t kAlignment = 256;
  Device device;
  void *stream;
  std::optional<Tensor> block;
  std::vector<Tensor> rest; // what did not fit
  size_t used = 0;
};

} // namespace nereid
