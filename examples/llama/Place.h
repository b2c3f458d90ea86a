// Place.h: where a model runs: memory there, and launches of which the first failure stays.
#pragma once

#include <nereid/cuda.hpp>

#include <map>
#include <optional>

namespace llama {

using nereid::DType;
using nereid::Error;
using nereid::Result;
using nereid::Shape;
using nereid::Status;
using nereid::Tensor;

// A device and, on a GPU, the stream that everything goes into: launches and copies to the GPU are put there and not waited for.
class Place {
public:
  static Result<Place> make(const std::string &device) {
    Place place;
    place.launch.device.name = device;
    if (!place.isGpu())
      return place;
    Result<nereid::DeviceStream> made = nereid::DeviceStream::create(place.launch.device);
    if (!made)
      return made.error();
    place.ownStream = std::make_shared<nereid::DeviceStream>(std::move(*made));
    place.launch.stream = place.ownStream->handle(), place.launch.isAsynchronous = true;
    return place;
  }

  bool isGpu() const { return launch.device.name.starts_with("cuda"); }
  const nereid::LaunchOptions &options() const { return launch; }
  const nereid::DeviceStream &stream() const { return *ownStream; } // on a GPU

  // With what the memory happens to hold.
  Result<Tensor> empty(DType dtype, Shape shape) const {
    return isGpu() ? nereid::emptyOnDevice(dtype, std::move(shape), launch.device, launch.stream)
                   : Tensor::empty(dtype, std::move(shape));
  }
  Result<Tensor> zeros(DType dtype, Shape shape) const {
    Result<Tensor> host = Tensor::zeros(dtype, std::move(shape));
    return host ? bring(*host) : host;
  }
  // A contiguous tensor of the host, here. On the host it is the same memory.
  Result<Tensor> bring(const Tensor &tensor) const {
    if (!isGpu() || !tensor.isOnHost())
      return tensor;
    Result<Tensor> here = empty(tensor.dtype(), tensor.shape());
    if (!here)
      return here;
    Result<void> copied = overwrite(*here, tensor.data());
    Result<void> done = copied ? wait() : copied; // the host's memory may go
    return done ? here : Result<Tensor>(done.error());
  }
  // The memory at `from` stays as it is until the stream has come there.
  Result<void> overwrite(const Tensor &here, const void *from) const {
    if (!isGpu()) {
      std::memcpy(here.data(), from, here.spanBytes());
      return {};
    }
    nereid_status status =
        nereid_memory_copy(launch.device.name.c_str(), here.data(), from, here.spanBytes(), launch.stream, 1);
    return status == NEREID_OK ? Result<void>() : nereid::detail::lastError(status);
  }
  // A copy on the host; waits for all that went into the stream before.
  Result<Tensor> fetch(const Tensor &here) const { return nereid::toHost(here, launch.stream); }
  Result<void> wait() const { return isGpu() ? ownStream->synchronize() : Result<void>(); }

private:
  Place() = default;
  nereid::LaunchOptions launch;
  std::shared_ptr<nereid::DeviceStream> ownStream;
};

// Steps one after the other: after a failure the rest is left out, and error() says why.
class Steps {
public:
  template <class F> void operator()(F &&step) {
    if (problem)
      return;
    auto done = step();
    if (!done)
      problem = done.error();
  }
  // The value of a step that makes one; nothing after a failure.
  template <class F> auto value(F &&step) -> std::optional<std::remove_reference_t<decltype(*step())>> {
    if (problem)
      return std::nullopt;
    auto made = step();
    if (made)
      return std::move(*made);
    problem = made.error();
    return std::nullopt;
  }
  bool failed() const { return problem.has_value(); }
  const Error &error() const { return *problem; }
  Result<void> result() const { return problem ? Result<void>(*problem) : Result<void>(); }

private:
  std::optional<Error> problem;
};

// Memory for intermediate results by name, which grows to the largest that was asked for and is used again; and an arena for
// those of the library's functions. One step at a time uses it.
class Workspace {
public:
  explicit Workspace(const Place &place) : place(&place), launch(place.options()) {
    if (!place.isGpu())
      return;
    arena = std::make_shared<nereid::Arena>(launch.device, launch.stream);
    launch.arena = arena.get();
  }

  // Contiguous, with what it happens to hold.
  Tensor operator()(Steps &steps, const std::string &name, DType dtype, const Shape &shape) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    auto known = buffers.find(name);
    if (known == buffers.end() || known->second.dtype() != dtype || known->second.count() < count) {
      std::optional<Tensor> grown = steps.value([&] { return place->empty(dtype, {count}); });
      known = buffers.insert_or_assign(name, grown ? *grown : Tensor::borrow(nullptr, dtype, {0})).first;
    }
    return known->second.viewed(dtype, shape, Tensor::contiguousStrides(shape));
  }
  // For launches whose temporaries lie here; what the last step's were is overwritten.
  Result<void> begin() { return arena ? arena->reset() : Result<void>(); }
  const nereid::LaunchOptions &options() const { return launch; }

private:
  const Place *place;
  nereid::LaunchOptions launch;
  std::shared_ptr<nereid::Arena> arena;
  std::map<std::string, Tensor> buffers;
};

// Several arrays of the host that travel together: one copy. They stay until the next send.
class Parcel {
public:
  // Where the array lies in the parcel.
  template <class T> size_t add(const std::vector<T> &values) {
    size_t at = (bytes.size() + 15) / 16 * 16;
    bytes.resize(at + values.size() * sizeof(T));
    std::memcpy(bytes.data() + at, values.data(), values.size() * sizeof(T));
    return at;
  }
  void clear() { bytes.clear(); }
  // What was sent before has arrived, or nobody reads it any more.
  Result<void> send(const Place &place, const Tensor &there) const {
    return place.overwrite(there.viewed(DType::UInt8, {size()}, {1}), bytes.data());
  }
  int64_t size() const { return static_cast<int64_t>(bytes.size()); }

private:
  std::vector<std::byte> bytes;
};
// An array of a parcel that was sent to `there`.
inline Tensor viewOf(const Tensor &there, size_t at, DType dtype, const Shape &shape) {
  return Tensor::share(std::make_shared<Tensor>(there), there.data() + at, dtype, shape,
                       Tensor::contiguousStrides(shape))
      .onGpu(there.gpuOrdinal());
}

} // namespace llama
