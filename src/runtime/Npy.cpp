#include "runtime/Npy.h"

#include "runtime/Convert.h"
#include "runtime/Memory.h"
#include "runtime/Offsets.h"
#include "runtime/WriteFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>

namespace nereid::runtime {

namespace {

using File = std::unique_ptr<FILE, int (*)(FILE *)>;

Error failure(const std::string &path, const std::string &reason, Status status = Status::BadInput) {
  return {status, "`" + path + "`: " + reason};
}

void swapBytes(const Tensor &tensor) {
  size_t width = bytesOf(tensor.dtype());
  for (int64_t i = 0; i < tensor.count(); ++i)
    std::reverse(tensor.data() + i * width, tensor.data() + (i + 1) * width);
}

// The numpy code of a type, or that of f32 for the types that numpy lacks.
std::string_view descrOf(DType type) {
  switch (type) {
  case DType::Int1: return "|b1";
  case DType::Int8: return "|i1";
  case DType::Int16: return "<i2";
  case DType::Int32: return "<i4";
  case DType::Int64: return "<i8";
  case DType::UInt8: return "|u1";
  case DType::UInt16: return "<u2";
  case DType::UInt32: return "<u4";
  case DType::UInt64: return "<u8";
  case DType::Fp16: return "<f2";
  case DType::Fp64: return "<f8";
  default: return "<f4";
  }
}

Tensor inOrder(const NpyHeader &header, const Tensor &flat, DType dtype) {
  if (!header.isFortranOrder)
    return flat;
  Shape reversed(header.shape.rbegin(), header.shape.rend());
  Shape strides = Tensor::contiguousStrides(reversed);
  return flat.viewed(dtype, header.shape, Shape(strides.rbegin(), strides.rend()));
}

Result<Tensor> retyped(const std::string &path, const NpyHeader &header, const Tensor &tensor,
                       std::optional<DType> as) {
  if (!as && header.isRaw)
    return failure(path, "numpy did not know its element type; say which it is, as in `" + path + ":bf16`");
  if (!as || *as == tensor.dtype())
    return tensor;
  bool isPlainBytes = header.isRaw || !isFloat(tensor.dtype());
  bool lacksNumpyType = isFloat(*as) && descrOf(*as) == "<f4" && *as != DType::Fp32;
  if (isPlainBytes && bytesOf(*as) == bytesOf(tensor.dtype()) && (header.isRaw || lacksNumpyType))
    return tensor.viewed(*as, tensor.shape(), tensor.strides());
  if (header.isRaw)
    return failure(path, "its elements have " + std::to_string(bytesOf(tensor.dtype())) + " bytes, those of `" +
                             std::string(nameOf(*as)) + "` " + std::to_string(bytesOf(*as)));
  Result<Tensor> converted = convertTensor(tensor, *as);
  return converted ? converted : failure(path, converted.error().message, converted.error().status);
}

} // namespace

Result<Tensor> readNpy(const std::string &path, std::optional<DType> as) {
  // A pipe is not waited for.
  int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  File file(descriptor < 0 ? nullptr : fdopen(descriptor, "rb"), std::fclose);
  struct stat status{};
  if (!file || fstat(descriptor, &status) != 0)
    return failure(path, errno == ENOENT ? "there is no such file" : std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return failure(path, S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file");
  uint64_t size = static_cast<uint64_t>(status.st_size);
  std::string prefix(std::min<uint64_t>(size, kNpyPrefix), '\0');
  prefix.resize(std::fread(prefix.data(), 1, prefix.size(), file.get()));
  Result<NpyHeader> header = parseNpyHeader(prefix, size);
  if (!header)
    return failure(path, header.error().message);
  Result<Tensor> tensor = allocate(header->dtype, header->shape);
  if (!tensor)
    return failure(path, tensor.error().message);
  size_t bytes = tensor->spanBytes();
  if (std::fseek(file.get(), static_cast<long>(header->dataOffset), SEEK_SET) != 0 ||
      std::fread(tensor->data(), 1, bytes, file.get()) != bytes)
    return failure(path, "it could not be read to its end", Status::Environment);
  if (header->isByteSwapped)
    swapBytes(*tensor);
  return retyped(path, *header, inOrder(*header, *tensor, header->dtype), as);
}

// The first element that `to` does not hold: why not. A number that is not 0 is true.
static std::string whyNotConverted(const Tensor &tensor, DType to) {
  auto width = static_cast<int64_t>(bytesOf(tensor.dtype()));
  int64_t position = 0;
  std::string why;
  if (to != DType::Int1)
    forEachOffset(tensor, [&](int64_t offset) {
      if (why.empty())
        why = whyNotHeld(to, readElement(tensor.dtype(), tensor.data() + offset * width));
      position += why.empty();
    });
  return why.empty() ? "" : "element " + std::to_string(position) + ": " + why;
}

Result<Tensor> convertTensor(const Tensor &tensor, DType to) {
  if (tensor.dtype() != to)
    if (std::string why = whyNotConverted(tensor, to); !why.empty())
      return Error{Status::BadInput, why};
  Result<Tensor> result = allocate(to, tensor.shape());
  if (!result)
    return result;
  size_t from = bytesOf(tensor.dtype()), width = bytesOf(to);
  std::byte *out = result->data();
  bool isSameBytes = tensor.dtype() == to || (from == 8 && width == 8 && !isFloat(tensor.dtype()) && !isFloat(to));
  forEachOffset(tensor, [&](int64_t offset) {
    if (isSameBytes)
      std::memcpy(out, tensor.data() + offset * static_cast<int64_t>(from), width);
    else
      writeElement(to, out, readElement(tensor.dtype(), tensor.data() + offset * static_cast<int64_t>(from)));
    out += width;
  });
  return result;
}

Result<void> writeNpy(const std::string &path, const Tensor &tensor) {
  std::string_view descr = descrOf(tensor.dtype());
  Result<Tensor> plain = convertTensor(tensor, descr == "<f4" ? DType::Fp32 : tensor.dtype());
  if (!plain)
    return plain.error();
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape())
    header += std::to_string(extent) + ", ";
  header += "), }";
  if (size_t comma = header.find(", )"); comma != std::string::npos && tensor.rank() > 1)
    header.erase(comma, 2); // (3, 4, ) reads as (3, 4); one extent keeps its comma
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::string start = "\x93NUMPY";
  start += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  start += header;
  std::string_view values(reinterpret_cast<const char *>(plain->data()), plain->spanBytes());
  if (int problem = writeFile(path, {start, values}))
    return failure(path, std::string("cannot be written: ") + std::strerror(problem), Status::Environment);
  return {};
}

} // namespace nereid::runtime
