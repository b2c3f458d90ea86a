// Target.h: the CPU that code is generated for.
#pragma once

#include "codegen/math/MathTarget.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::cpu {

struct Target : codegen::MathTarget {
  std::string triple = "x86_64-unknown-linux-gnu";
  std::string cpu = "x86-64"; // LLVM's name
  std::string features;       // LLVM's "+avx2,+fma,…"
  bool hasVnni = false, hasBf16 = false, hasAmx = false;

  // Equal keys: code for one runs on the other. Part of cache keys.
  std::string key() const { return triple + "|" + cpu + "|" + features; }
  // What a CPU must have to run the code: LLVM's names with commas between.
  std::string requiredFeatures() const;
};

// The CPU this process runs on.
const Target &hostTarget();
// "native", "x86-64" (SSE2), "x86-64-v3" (AVX2), "x86-64-v4" (AVX-512), "sapphirerapids" (AVX-512, bf16, AMX),
// "aarch64".
std::optional<Target> findTarget(std::string_view name);

} // namespace nereid::cpu
