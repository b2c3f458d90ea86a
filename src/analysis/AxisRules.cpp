#include "analysis/AxisRules.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

namespace nereid::analysis {

int64_t powerOfTwoIn(int64_t number) {
  if (number == 0)
    return kLargestDivisor;
  uint64_t bits = static_cast<uint64_t>(number);
  return std::min<int64_t>(kLargestDivisor,
                           static_cast<int64_t>(std::min<uint64_t>(bits & (~bits + 1), kLargestDivisor)));
}

// As numbers of 64 bits wrap around; those of fewer fit, or are no constant (narrowInfo).
static int64_t wrapped(uint64_t number) { return static_cast<int64_t>(number); }

int64_t AxisInfo::commonDivisor() const {
  // Runs of one element: then the first elements are all elements.
  int64_t divisor = 1;
  for (unsigned axis = 0; axis < rank(); ++axis)
    if (contiguity[axis] == 1)
      divisor = std::max(divisor, divisibility[axis]);
  return divisor;
}

int64_t AxisInfo::divisorOfGroups(unsigned axis, int64_t length) const {
  return length < contiguity[axis] ? std::gcd(divisibility[axis], length) : divisibility[axis];
}

AxisInfo AxisInfo::unknown(unsigned rank) {
  AxisInfo info;
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  info.falling.assign(rank, 1);
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = unknown(a.rank());
  for (unsigned d = 0; d < a.rank(); ++d) {
    info.contiguity[d] = std::gcd(a.contiguity[d], b.contiguity[d]);
    info.constancy[d] = std::gcd(a.constancy[d], b.constancy[d]);
    info.falling[d] = std::gcd(a.fallingRun(d), b.fallingRun(d));
    info.divisibility[d] = std::gcd(a.divisorOfGroups(d, info.contiguity[d]), b.divisorOfGroups(d, info.contiguity[d]));
  }
  if (a.constant && a.constant == b.constant)
    info.constant = a.constant;
  info.isNonNegative = a.isNonNegative && b.isNonNegative;
  return info;
}

AxisInfo sumInfo(const AxisInfo &a, const AxisInfo &b, int64_t unit, bool isDifference) {
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (unsigned d = 0; d < a.rank(); ++d) {
    int64_t left = std::gcd(a.contiguity[d], b.constancy[d]);
    int64_t right = isDifference ? 1 : std::gcd(a.constancy[d], b.contiguity[d]);
    info.contiguity[d] = std::max(left, right);
    info.constancy[d] = std::gcd(a.constancy[d], b.constancy[d]);
    int64_t length = info.contiguity[d];
    // In units of the sum's elements: addresses count bytes, runs count elements.
    auto divisor = [&](const AxisInfo &of, int64_t scale) {
      int64_t whole = of.divisibility[d] * scale;
      return length < of.contiguity[d] ? std::gcd(whole, length * unit) : whole;
    };
    info.divisibility[d] = std::min(kLargestDivisor, std::gcd(divisor(a, 1), divisor(b, powerOfTwoIn(unit))));
  }
  if (a.constant && b.constant && unit == 1)
    info.constant = wrapped(isDifference ? uint64_t(*a.constant) - uint64_t(*b.constant)
                                         : uint64_t(*a.constant) + uint64_t(*b.constant));
  if (info.constant)
    info.divisibility.assign(info.rank(), powerOfTwoIn(*info.constant));
  info.isNonNegative = !isDifference && a.isNonNegative && b.isNonNegative;
  return info;
}

AxisInfo productInfo(const AxisInfo &a, const AxisInfo &b) {
  if (a.constant == 1)
    return b;
  if (b.constant == 1)
    return a;
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (unsigned d = 0; d < a.rank(); ++d) {
    info.constancy[d] = std::gcd(a.constancy[d], b.constancy[d]);
    auto divisor = [&](const AxisInfo &of) { return of.contiguity[d] == 1 ? of.divisibility[d] : of.commonDivisor(); };
    info.divisibility[d] =
        std::min(kLargestDivisor, std::min<int64_t>(divisor(a), 1 << 20) * std::min<int64_t>(divisor(b), 1 << 20));
  }
  if (a.constant && b.constant)
    info.constant = wrapped(uint64_t(*a.constant) * uint64_t(*b.constant));
  info.isNonNegative = a.isNonNegative && b.isNonNegative;
  return info;
}

AxisInfo quotientInfo(const AxisInfo &a, const AxisInfo &b, bool isSigned) {
  if (b.constant == 1)
    return a;
  AxisInfo info = AxisInfo::unknown(a.rank());
  bool isPower = b.constant && *b.constant > 0 && llvm::isPowerOf2_64(*b.constant);
  for (unsigned d = 0; d < a.rank(); ++d) {
    info.constancy[d] = std::gcd(a.constancy[d], b.constancy[d]);
    // A run that starts at a multiple of the divisor has equal quotients for that many numbers; below zero it ends at one: -2 / 2 and -1 / 2.
    int64_t shared = b.constant ? powerOfTwoIn(*b.constant) : std::gcd(b.divisibility[d], b.constancy[d]);
    if (a.contiguity[d] > 1 && (a.isNonNegative || !isSigned))
      info.constancy[d] = std::max(info.constancy[d], std::gcd(std::gcd(a.contiguity[d], a.divisibility[d]), shared));
    if (isPower && a.contiguity[d] == 1)
      info.divisibility[d] = std::max<int64_t>(1, a.divisibility[d] / *b.constant);
  }
  if (a.constant && b.constant && *b.constant > 0 && *a.constant >= 0)
    info.constant = *a.constant / *b.constant;
  info.isNonNegative = a.isNonNegative && !(isSigned && b.constant && *b.constant < 0);
  return info;
}

AxisInfo remainderInfo(const AxisInfo &a, const AxisInfo &b, bool isSigned) {
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (unsigned d = 0; d < a.rank(); ++d) {
    info.constancy[d] = std::gcd(a.constancy[d], b.constancy[d]);
    // Runs that start at a multiple of a divisor of the modulus do not wrap inside; below zero they do behind the first: -4 % 4 and -3 % 4.
    if (b.constancy[d] >= a.contiguity[d] && (a.isNonNegative || !isSigned))
      info.contiguity[d] = std::gcd(std::gcd(a.contiguity[d], a.divisibility[d]), b.divisibility[d]);
    info.divisibility[d] = std::gcd(a.divisorOfGroups(d, info.contiguity[d]), b.divisorOfGroups(d, info.contiguity[d]));
  }
  if (a.constant && b.constant && *b.constant > 0 && *a.constant >= 0)
    info.constant = *a.constant % *b.constant;
  info.isNonNegative = isSigned ? a.isNonNegative : b.isNonNegative;
  return info;
}

AxisInfo bitwiseInfo(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (unsigned d = 0; d < a.rank(); ++d)
    info.constancy[d] = std::gcd(a.constancy[d], b.constancy[d]);
  info.isNonNegative = a.isNonNegative && b.isNonNegative;
  return info;
}

AxisInfo choiceInfo(const AxisInfo &a, const AxisInfo &b, bool isLargest) {
  AxisInfo info = bitwiseInfo(a, b);
  info.divisibility.assign(info.rank(), std::gcd(a.commonDivisor(), b.commonDivisor()));
  info.isNonNegative |= isLargest && (a.isNonNegative || b.isNonNegative);
  return info;
}

AxisInfo narrowInfo(AxisInfo info, unsigned width) {
  if (info.constant && !llvm::isIntN(width, *info.constant))
    info.constant.reset();
  if (width >= 32)
    return info;
  for (unsigned d = 0; d < info.rank(); ++d) {
    int64_t length = std::gcd(std::gcd(info.contiguity[d], info.divisibility[d]), int64_t(1) << (width - 1));
    info.divisibility[d] = info.divisorOfGroups(d, length);
    info.contiguity[d] = length;
  }
  info.isNonNegative = false;
  return info;
}

AxisInfo comparisonInfo(const AxisInfo &a, const AxisInfo &b, bool leftStarts, bool rightStarts) {
  AxisInfo info = bitwiseInfo(a, b);
  auto aligned = [&](const AxisInfo &run, const AxisInfo &bound, unsigned d) {
    return std::gcd(std::gcd(run.contiguity[d], bound.constancy[d]),
                    std::gcd(run.divisibility[d], bound.divisibility[d]));
  };
  for (unsigned d = 0; d < a.rank(); ++d) {
    if (leftStarts)
      info.constancy[d] = std::max(info.constancy[d], aligned(a, b, d));
    if (rightStarts)
      info.constancy[d] = std::max(info.constancy[d], aligned(b, a, d));
  }
  return info;
}

llvm::SmallVector<int64_t, 4> fallingRuns(const AxisInfo &run, const AxisInfo &bound) {
  llvm::SmallVector<int64_t, 4> falling(run.rank(), 1);
  for (unsigned d = 0; d < run.rank(); ++d) {
    falling[d] = std::gcd(run.contiguity[d], bound.constancy[d]);
    // Numbers wrap around at the largest one, and without a sign at zero: a run that starts at a multiple of its length does so at its end.
    if (!run.isNonNegative)
      falling[d] = std::gcd(falling[d], run.divisibility[d]);
  }
  return falling;
}

} // namespace nereid::analysis
