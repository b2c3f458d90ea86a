// TensorSpec.h: a tensor in words, as the command line takes it:
//   randn:f32[128,64]   rand:f16[M,N]   zeros   ones   empty   arange:i32[64]   full(2.5):f32[8] randint(0,10):i32[64]
//   input.npy           input.npy:bf16          and a trailing `.T` for the transpose
#pragma once

#include "nereid/tensor.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace nereid::runtime {

struct TensorSpec {
  enum class Fill { RandomNormal, RandomUniform, RandomInteger, Constant, Undefined, Count, File };
  Fill fill = Fill::Constant;
  double low = 0, high = 0;         // RandomInteger: [low, high). Constant: low, or for 64-bit integers
  std::optional<uint64_t> constant; // its bits, which a double may not hold
  std::optional<DType> dtype;       // not given: f32, i32 for Count and RandomInteger, the file's own for File
  std::vector<std::string> shape;   // numbers, or names of integer arguments
  std::string path;
  bool isTransposed = false;
};

// Whether a value looks like a tensor, so that a mistake in it is a mistake in a tensor.
bool looksLikeTensor(std::string_view text);
Result<TensorSpec> parseTensorSpec(std::string_view text);

// The value of an integer argument that a shape names; nothing when there is none.
using ExtentLookup = std::function<std::optional<int64_t>(std::string_view)>;

// The element type that the tensor gets; not for a file.
DType dtypeOf(const TensorSpec &spec);

// What every byte of an `empty` tensor holds: NaN or a conspicuous number in every type, so that reading one shows. A bool
// is true.
inline constexpr std::byte kUndefinedByte{0x7f};

// Makes the tensor; `name` and `seed` decide its random values. `budget` is what is left of the memory limit, in bytes.
Result<Tensor> makeTensor(const TensorSpec &spec, std::string_view name, uint64_t seed, const ExtentLookup &lookup,
                          uint64_t &budget);

} // namespace nereid::runtime
