// AxisRules.h: how single ops change what is known of a tile's numbers.
#pragma once

#include "analysis/AxisInfo.h"

namespace nereid::analysis {

// The largest power of two that is tracked: wider facts help nobody.
constexpr int64_t kLargestDivisor = int64_t(1) << 40;
int64_t powerOfTwoIn(int64_t number); // the largest that divides it

AxisInfo sumInfo(const AxisInfo &a, const AxisInfo &b, int64_t unit, bool isDifference); // b counts units
AxisInfo productInfo(const AxisInfo &a, const AxisInfo &b);
AxisInfo quotientInfo(const AxisInfo &a, const AxisInfo &b, bool isSigned);
AxisInfo remainderInfo(const AxisInfo &a, const AxisInfo &b, bool isSigned);
AxisInfo bitwiseInfo(const AxisInfo &a, const AxisInfo &b);
AxisInfo choiceInfo(const AxisInfo &a, const AxisInfo &b, bool isLargest); // the larger or the smaller one
// What the type holds. In one of few bits numbers wrap around: runs are as long as none does inside, whatever it is extended to.
AxisInfo narrowInfo(AxisInfo info, unsigned width);
// `lowAligned`: true as soon as the left side reaches the right one or falls below it (slt, sge and their kin).
AxisInfo comparisonInfo(const AxisInfo &a, const AxisInfo &b, bool leftStarts, bool rightStarts);
// Along each axis, how many consecutive numbers are compared with one bound: those below it come first.
llvm::SmallVector<int64_t, 4> fallingRuns(const AxisInfo &run, const AxisInfo &bound);

} // namespace nereid::analysis
