#include "Memory.h"

#include "runtime/Convert.h"
#include "runtime/Random.h"

#include <algorithm>
#include <cmath>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::differ {

namespace {

size_t pageBytes() {
  static const size_t kBytes = size_t(sysconf(_SC_PAGESIZE));
  return kBytes;
}

void writeRandomBits(runtime::Random &random, DType dtype, std::byte *element) {
  uint64_t bits = random.next();
  if (dtype == DType::Int1)
    bits &= 1;
  std::memcpy(element, &bits, bytesOf(dtype));
}

void writeSpecialFloat(runtime::Random &random, DType dtype, std::byte *element) {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kValues[] = {
      0.0,   -0.0,   1,    -1,    0.5,  2,  -3, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
      1e-40, -1e-40, 6e-8, 65504, 3e38, 448};
  runtime::writeElement(dtype, element, kValues[random.integer(0, std::size(kValues))]);
}

void writeAny(runtime::Random &random, DType dtype, std::byte *element) {
  int64_t kind = random.integer(0, 10);
  if (kind < 3)
    return writeRandomBits(random, dtype, element);
  if (isFloat(dtype)) {
    if (kind < 6)
      return writeSpecialFloat(random, dtype, element);
    return runtime::writeElement(dtype, element, random.normal() * std::pow(10, double(random.integer(-2, 3))));
  }
  if (kind < 5) { // the ends of the range
    uint64_t ends[] = {0, 1, ~uint64_t(0), uint64_t(1) << (bytesOf(dtype) * 8 - 1),
                       (uint64_t(1) << (bytesOf(dtype) * 8 - 1)) - 1};
    uint64_t bits = ends[random.integer(0, std::size(ends))] & (dtype == DType::Int1 ? 1 : ~uint64_t(0));
    std::memcpy(element, &bits, bytesOf(dtype));
    return;
  }
  runtime::writeInteger(dtype, element, random.integer(isSigned(dtype) ? -100 : 0, dtype == DType::Int1 ? 2 : 101));
}

} // namespace

void fillTensor(const Parameter &p, std::byte *data) {
  runtime::Random random(p.seed);
  for (int64_t i = 0; i < p.count; ++i) {
    std::byte *element = data + size_t(i) * bytesOf(p.dtype);
    if (p.fill == Fill::Bits)
      writeAny(random, p.dtype, element);
    else if (p.fill == Fill::Uniform)
      runtime::writeElement(p.dtype, element, p.low + random.uniform() * (p.high - p.low));
    else if (isFloat(p.dtype))
      runtime::writeElement(p.dtype, element, double(random.integer(int64_t(p.low), int64_t(p.high) + 1)));
    else
      runtime::writeInteger(p.dtype, element, random.integer(int64_t(p.low), int64_t(p.high) + 1));
  }
}

Memory::Mapping::~Mapping() {
  if (begin)
    munmap(begin, bytes);
}
std::byte *Memory::Mapping::usable() const { return begin + pageBytes(); }
size_t Memory::Mapping::usableBytes() const { return bytes - 2 * pageBytes(); }

Result<Memory> Memory::make(const std::vector<Parameter> &parameters, bool fills) {
  Memory memory;
  size_t page = pageBytes();
  for (const Parameter &p : parameters) {
    if ((p.kind != Parameter::Kind::Tensor && p.kind != Parameter::Kind::Descriptor) || !p.aliasOf.empty())
      continue;
    size_t need = size_t(p.offset + p.count) * bytesOf(p.dtype) + 64;
    size_t bytes = (need + page - 1) / page * page + 2 * page;
    void *mapped = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED ||
        mprotect(static_cast<std::byte *>(mapped) + page, bytes - 2 * page, PROT_READ | PROT_WRITE))
      return Error{Status::Environment, "out of memory: a tensor needs " + std::to_string(need) + " bytes"};
    Mapping mapping(static_cast<std::byte *>(mapped), bytes);
    if (fills)
      std::memset(mapping.usable(), 0xa5, mapping.usableBytes());
    // As near to the guard page as an alignment of 64 bytes (before the offset) lets it be.
    auto end = reinterpret_cast<uintptr_t>(mapping.usable() + mapping.usableBytes());
    uintptr_t start = (end - size_t(p.offset + p.count) * bytesOf(p.dtype)) & ~uintptr_t(63);
    auto *data = reinterpret_cast<std::byte *>(start) + size_t(p.offset) * bytesOf(p.dtype);
    if (fills)
      fillTensor(p, data);
    memory.tensors.emplace(p.name, p.kind == Parameter::Kind::Tensor
                                       ? Tensor::borrow(data, p.dtype, {p.count})
                                       : Tensor::borrow(data, p.dtype, p.shape, p.strides));
    memory.mappings.emplace(p.name, std::move(mapping));
  }
  for (const Parameter &p : parameters) {
    auto owner = memory.tensors.find(p.aliasOf);
    if (owner != memory.tensors.end())
      memory.tensors.emplace(
          p.name, Tensor::borrow(owner->second.data() + size_t(p.offset) * bytesOf(p.dtype), p.dtype, {p.count}));
    else if (!p.aliasOf.empty())
      return Error{Status::BadInput,
                   "`" + p.name + "` is a view of `" + p.aliasOf + "`, which is no tensor of this program"};
  }
  return memory;
}

} // namespace nereid::differ
