// Target.h: the CPU that code is generated for: a set of features, each asked for by itself.
#pragma once

#include "codegen/math/MathTarget.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::cpu {

struct Target : codegen::MathTarget {
  std::string triple = "x86_64-unknown-linux-gnu";
  std::string base = "x86-64"; // LLVM's name for what every CPU of the triple has
  std::string features;        // LLVM's "+avx2,+fma,…": what code may use beyond the base
  std::string tuning;          // LLVM's name of the CPU whose times order the instructions; it allows none
  bool hasAvx = false, hasVnni = false, hasBf16 = false;
  bool hasAmxBf16 = false, hasAmxInt8 = false; // products of tile registers

  // Equal keys: code for one runs on the other. Part of cache keys.
  std::string key() const { return triple + "|" + features + "|" + tuning; }
  // What a CPU must have to run the code: LLVM's names with commas between.
  std::string requiredFeatures() const;
  // "x86-64 with sse3,ssse3".
  std::string text() const { return base + (features.empty() ? "" : " with " + requiredFeatures()); }
  // Whether this process can run the code.
  bool runsHere() const;
};

// The CPU this process runs on, with what its system allows.
const Target &hostTarget();
// "native", "x86-64" (SSE2), "x86-64-v2" (SSE4.2), "x86-64-v3" (AVX2), "x86-64-v4" (AVX-512), "sapphirerapids"
// (AVX-512, bf16, AMX) or "aarch64". More features of x86-64 may follow: "x86-64-v3+avxvnni"; each brings what it
// implies.
std::optional<Target> findTarget(std::string_view name);

} // namespace nereid::cpu
