#include "Compare.h"

#include "runtime/Convert.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

namespace {

// The rule is explained in Facts.h.
bool agree(const Parameter &p, const std::byte *a, const std::byte *b) {
  if (std::memcmp(a, b, bytesOf(p.dtype)) == 0)
    return true;
  if (!isFloat(p.dtype))
    return false;
  double x = runtime::readElement(p.dtype, a), y = runtime::readElement(p.dtype, b);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  if (x == y) // zeros of two signs
    return p.isZeroUnsigned || p.tolerance > 0;
  return std::abs(x - y) <= p.tolerance;
}

std::string elementText(DType dtype, const std::byte *element) {
  if (isFloat(dtype))
    return llvm::formatv("{0:g}", runtime::readElement(dtype, element)).str();
  uint64_t bits = 0;
  std::memcpy(&bits, element, bytesOf(dtype));
  if (!isSigned(dtype))
    return std::to_string(bits);
  unsigned unused = 64 - unsigned(bytesOf(dtype)) * 8;
  return std::to_string(int64_t(bits << unused) >> unused);
}

std::string shortNumber(double value) {
  char buffer[40];
  snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

std::string compareElements(const Parameter &p, const std::byte *tested, const std::byte *reference) {
  int64_t wrong = 0, first = 0;
  double largest = 0;
  for (int64_t i = 0; i < p.count; ++i) {
    const std::byte *a = tested + size_t(i) * bytesOf(p.dtype), *b = reference + size_t(i) * bytesOf(p.dtype);
    if (agree(p, a, b))
      continue;
    if (!wrong++)
      first = i;
    largest = std::max(largest, std::abs(runtime::readElement(p.dtype, a) - runtime::readElement(p.dtype, b)));
  }
  if (!wrong)
    return "";
  size_t at = size_t(first) * bytesOf(p.dtype);
  std::string got =
      isFloat(p.dtype) ? shortNumber(runtime::readElement(p.dtype, tested + at)) : elementText(p.dtype, tested + at);
  std::string want = isFloat(p.dtype) ? shortNumber(runtime::readElement(p.dtype, reference + at))
                                      : elementText(p.dtype, reference + at);
  return llvm::formatv("{0}: {1} of {2} elements of {3} differ, the first at {4}: {5}, expected {6} (largest "
                       "difference {7}, allowed {8})\n",
                       p.name, wrong, p.count, nereid::nameOf(p.dtype), first, got, want, shortNumber(largest),
                       shortNumber(p.tolerance));
}

// The bytes of the pages around the tensor.
std::string compareSurroundings(const Parameter &p, const Memory &tested, const Memory &reference) {
  const Memory::Mapping &a = tested.mapping(p.name), &b = reference.mapping(p.name);
  int64_t first = tested.tensor(p.name).data() - a.usable(), last = first + p.count * int64_t(bytesOf(p.dtype));
  for (int64_t i = 0; i < int64_t(a.usableBytes()); ++i)
    if ((i < first || i >= last) && a.usable()[i] != b.usable()[i])
      return llvm::formatv("{0}: a byte {1} the tensor was written ({2} bytes off)\n", p.name,
                           i < first ? "before" : "after", i < first ? first - i : i - last + 1);
  return "";
}

} // namespace

std::string compare(const std::vector<Parameter> &parameters, const Memory &tested, const Memory &reference) {
  std::string differences;
  for (const Parameter &p : parameters) {
    if ((p.kind != Parameter::Kind::Tensor && p.kind != Parameter::Kind::Descriptor) || !p.aliasOf.empty())
      continue;
    differences += compareElements(p, tested.tensor(p.name).data(), reference.tensor(p.name).data());
    differences += compareSurroundings(p, tested, reference);
  }
  return differences;
}

} // namespace nereid::differ
