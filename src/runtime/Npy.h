// Npy.h: numpy's .npy files. A file is not trusted: everything it says about itself is held against its size before
// any memory is asked for.
#pragma once

#include "nereid/tensor.hpp"

#include <string_view>

namespace nereid::runtime {

struct NpyHeader {
  DType dtype = DType::Fp32;
  // Raw bytes of a type that numpy does not know (|V1, <V2): the reader has to be told what they are.
  bool isRaw = false;
  bool isByteSwapped = false;
  bool isFortranOrder = false;
  Shape shape;
  uint64_t dataOffset = 0;
};

// Reads the header from the first bytes of a file (all of it up to 64 KiB is enough) and checks it against the size of
// the whole file.
Result<NpyHeader> parseNpyHeader(std::string_view prefix, uint64_t fileSize);
inline constexpr size_t kNpyPrefix = 1 << 16;

// Reads a file. With `as`: bytes of the same width without a type of their own (|V2, u2, i2 for bf16) are taken as that
// type, other types are converted to it by value.
Result<Tensor> readNpy(const std::string &path, std::optional<DType> as = std::nullopt);

// Writes a file. numpy has no bf16 and no fp8: those are written as f32, which holds each of their values.
Result<void> writeNpy(const std::string &path, const Tensor &tensor);

// Every element converted by value to another type, contiguous.
Result<Tensor> convertTensor(const Tensor &tensor, DType to);

} // namespace nereid::runtime
