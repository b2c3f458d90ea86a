// MakeTensor.cpp: from a tensor in words to a tensor in memory.
#include "runtime/TensorSpec.h"

#include "runtime/Convert.h"
#include "runtime/GuardedMemory.h"
#include "runtime/Memory.h"
#include "runtime/Npy.h"
#include "runtime/Random.h"

#include <charconv>

namespace nereid::runtime {

namespace {

Result<Shape> resolveShape(const TensorSpec &spec, const ExtentLookup &lookup) {
  Shape shape;
  for (const std::string &text : spec.shape) {
    int64_t extent = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (problem == std::errc::result_out_of_range)
      return Error{Status::BadInput, "the extent `" + text + "` is too large"};
    if (problem != std::errc() || end != text.data() + text.size()) {
      std::optional<int64_t> named = lookup ? lookup(text) : std::nullopt;
      if (!named)
        return Error{Status::BadInput,
                     "the extent `" + text.substr(0, 80) + "` is neither a number nor the name of an integer argument"};
      extent = *named;
    }
    shape.push_back(extent);
  }
  if (shape.size() > 32)
    return Error{Status::BadInput, "a tensor has at most 32 axes, not " + std::to_string(shape.size())};
  return shape;
}

void fillUndefined(const Tensor &tensor) {
  std::memset(tensor.data(), tensor.dtype() == DType::Int1 ? 1 : int(kUndefinedByte), tensor.spanBytes());
}

void fill(const TensorSpec &spec, const Tensor &tensor, Random random) {
  DType type = tensor.dtype();
  size_t width = bytesOf(type);
  std::byte *element = tensor.data();
  for (int64_t i = 0, count = tensor.count(); i < count; ++i, element += width) {
    switch (spec.fill) {
    case TensorSpec::Fill::RandomNormal: writeElement(type, element, random.normal()); break;
    case TensorSpec::Fill::RandomUniform: writeElement(type, element, random.uniform()); break;
    case TensorSpec::Fill::RandomInteger:
      writeInteger(type, element, random.integer(static_cast<int64_t>(spec.low), static_cast<int64_t>(spec.high)));
      break;
    case TensorSpec::Fill::Count: writeInteger(type, element, i); break;
    default:
      if (spec.constant)
        std::memcpy(element, &*spec.constant, width);
      else
        writeElement(type, element, spec.low);
      break;
    }
  }
}

Result<void> spend(const std::string &what, uint64_t bytes, uint64_t &budget) {
  if (bytes > budget)
    return Error{Status::BadInput,
                 what + " needs " + std::to_string(bytes) + " bytes; there is room for " + std::to_string(budget)};
  budget -= bytes;
  return {};
}

} // namespace

Result<Tensor> makeTensor(const TensorSpec &spec, std::string_view name, uint64_t seed, const ExtentLookup &lookup,
                          uint64_t &budget) {
  if (spec.fill == TensorSpec::Fill::File) {
    Result<Tensor> tensor = readNpy(spec.path, spec.dtype);
    if (!tensor)
      return tensor;
    if (auto spent = spend(spec.path, tensor->spanBytes(), budget); !spent)
      return spent.error();
    return spec.isTransposed ? tensor->transposed() : *tensor;
  }
  Result<Shape> shape = resolveShape(spec, lookup);
  if (!shape)
    return shape.error();
  DType dtype = dtypeOf(spec);
  Result<int64_t> count = Tensor::countOf(*shape);
  if (!count)
    return Error{count.error().status, describe(dtype, *shape) + ": " + count.error().message};
  if (spec.fill == TensorSpec::Fill::Count && *count > 0)
    if (std::string why = whyNotHeld(dtype, static_cast<double>(*count - 1)); !why.empty())
      return Error{Status::BadInput, "arange:" + describe(dtype, *shape) + ": " + why};
  if (auto spent = spend(describe(dtype, *shape), static_cast<uint64_t>(*count) * bytesOf(dtype), budget); !spent)
    return spent.error();
  Result<Tensor> tensor = guardedTensor(dtype, *shape);
  if (!tensor)
    return tensor;
  if (spec.fill == TensorSpec::Fill::Undefined)
    fillUndefined(*tensor);
  else if (spec.fill != TensorSpec::Fill::Constant || spec.low != 0)
    fill(spec, *tensor, Random(seed, name));
  return spec.isTransposed ? tensor->transposed() : *tensor;
}

} // namespace nereid::runtime
