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

class Place {
public:
  explicit Place(std::string device) { launch.device.name = std::move(device); }

  bool isGpu() const { return launch.device.name.starts_with("cuda"); }
  const nereid::LaunchOptions &options() const { return launch; }

  Result<Tensor> zeros(DType dtype, Shape shape) const {
    Result<Tensor> host = Tensor::zeros(dtype, std::move(shape));
    return host && isGpu() ? nereid::toDevice(*host, launch.device) : host;
  }
  // A tensor of the host, here. On the host it is the same memory.
  Result<Tensor> bring(const Tensor &host) const {
    return isGpu() ? nereid::toDevice(host, launch.device) : Result<Tensor>(host);
  }
  Result<void> overwrite(const Tensor &here, const void *from) const {
    if (!isGpu()) {
      std::memcpy(here.data(), from, here.spanBytes());
      return {};
    }
    nereid_status status =
        nereid_memory_copy(launch.device.name.c_str(), here.data(), from, here.spanBytes(), nullptr, 0);
    return status == NEREID_OK ? Result<void>() : nereid::detail::lastError(status);
  }

private:
  nereid::LaunchOptions launch;
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

// Memory for intermediate results by name, which grows to the largest that was asked for and is used again.
class Workspace {
public:
  explicit Workspace(const Place &place) : place(place) {}

  // Contiguous, with what it happens to hold.
  Tensor operator()(Steps &steps, const std::string &name, DType dtype, const Shape &shape) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    auto known = buffers.find(name);
    if (known == buffers.end() || known->second.dtype() != dtype || known->second.count() < count) {
      std::optional<Tensor> grown = steps.value([&] { return place.zeros(dtype, {count}); });
      known = buffers.insert_or_assign(name, grown ? *grown : Tensor::borrow(nullptr, dtype, {0})).first;
    }
    return known->second.viewed(dtype, shape, Tensor::contiguousStrides(shape));
  }

private:
  const Place &place;
  std::map<std::string, Tensor> buffers;
};

} // namespace llama
