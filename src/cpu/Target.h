// Target.h: the CPU that code is generated for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nereid::cpu {

struct Target {
  std::string triple = "x86_64-unknown-linux-gnu";
  std::string cpu = "x86-64"; // LLVM's name
  std::string features;       // LLVM's "+avx2,+fma,…"
  unsigned vectorBits = 128;  // of the widest registers that are worth using
  bool hasFma = false, hasF16c = false, hasAvx2 = false, hasAvx512 = false, hasVnni = false, hasBf16 = false,
       hasAmx = false;

  // Elements of this many bits in one register.
  unsigned lanes(unsigned elementBits) const { return vectorBits / elementBits; }
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
