// StateClaims.h: how what the analysis says of a value stands in tile IR.
#pragma once

namespace nereid::transforms {

// A `tile.print` with this attribute prints nothing: its first value is as the attribute says, or the launch fails in the interpreter.
//   tile.print "arith.addi" {claims = {constancy = array<i64: 1>, contiguity = array<i64: 16>, …}} %x, %a, %b
// The others are what the value was made of, where that says whether the numbers were as a kernel promises (AxisInfo.h).
constexpr const char *kClaimsAttribute = "claims";

} // namespace nereid::transforms
