// Target.cpp: the CPU of this machine, asked of the CPU itself, and sets of features for ahead-of-time code.
#include "cpu/Target.h"

#include "runtime/cpu/Features.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

namespace nereid::cpu {

namespace {

struct Level {
  std::string_view name, features; // what these imply is added
};

constexpr Level kLevels[] = {
    {"x86-64", ""},
    {"x86-64-v2", "+sse4.2+popcnt"},
    {"x86-64-v3", "+avx2+bmi+bmi2+f16c+fma+lzcnt+movbe+popcnt"},
    {"x86-64-v4", "+bmi+bmi2+lzcnt+movbe+popcnt+avx512bw+avx512cd+avx512dq+avx512vl"},
    {"sapphirerapids", "+bmi+bmi2+lzcnt+movbe+popcnt+avxvnni+gfni+avx512bw+avx512cd+avx512dq+avx512vl+avx512vnni"
                       "+avx512bf16+avx512fp16+avx512ifma+avx512vbmi+avx512vbmi2+avx512bitalg+avx512vpopcntdq"
                       "+amx-bf16+amx-int8"},
};

// AVX-512 is used where its four common parts are there; a CPU with fewer counts as one with AVX2.
FeatureList withoutPartsOfAvx512(FeatureList features) {
  auto has = [&](std::string_view name) { return llvm::is_contained(features, name); };
  if (!has("avx512bw") || !has("avx512dq") || !has("avx512vl"))
    std::erase_if(features, [](std::string_view name) { return name.starts_with("avx512"); });
  return features;
}

Target makeX86(const FeatureList &given) {
  FeatureList features = withoutPartsOfAvx512(given);
  auto has = [&](std::string_view name) { return llvm::is_contained(features, name); };
  Target target;
  for (std::string_view name : features)
    target.features += (target.features.empty() ? "+" : ",+") + std::string(name);
  target.hasRounding = has("sse4.1");
  target.hasAvx = has("avx");
  target.hasFma = has("fma");
  target.hasF16c = has("f16c");
  target.hasAvx512 = has("avx512f");
  target.hasVnni = has(target.hasAvx512 ? "avx512vnni" : "avxvnni");
  target.hasBf16 = has("avx512bf16");
  target.hasAmxBf16 = target.hasAvx512 && has("amx-bf16");
  target.hasAmxInt8 = target.hasAvx512 && has("amx-int8");
  target.vectorBits = target.hasAvx512 ? 512 : has("avx2") ? 256 : 128;
  return target;
}

Target makeAArch64() {
  Target target;
  target.triple = "aarch64-unknown-linux-gnu";
  target.base = "generic";
  target.features = "+neon";
  target.isX86 = false;
  // Part of the base architecture there, as is the conversion of half floats.
  target.hasRounding = target.hasFma = target.hasF16c = true;
  return target;
}

// The names in "+ONE+TWO".
FeatureList namesAfterPlus(std::string_view text) {
  FeatureList names;
  while (!text.empty()) {
    text.remove_prefix(1);
    names.push_back(text.substr(0, text.find('+')));
    text.remove_prefix(names.back().size());
  }
  return names;
}

} // namespace

std::string Target::requiredFeatures() const {
  std::string names = features;
  std::erase(names, '+');
  return names;
}

bool Target::runsHere() const { return isX86 == hostTarget().isX86 && missingFeature(requiredFeatures()).empty(); }

static Target detectHost() {
  if (llvm::Triple(llvm::sys::getProcessTriple()).isAArch64())
    return makeAArch64();
  Target target = makeX86(hostFeatures());
  target.tuning = llvm::sys::getHostCPUName().str();
  return target;
}

const Target &hostTarget() {
  static const Target target = detectHost();
  return target;
}

std::optional<Target> findTarget(std::string_view name) {
  if (name == "native" || name == "cpu")
    return hostTarget();
  if (name == "aarch64")
    return makeAArch64();
  std::string_view base = name.substr(0, name.find('+'));
  for (const Level &level : kLevels) {
    if (level.name != base)
      continue;
    std::string words = std::string(level.features) + std::string(name.substr(base.size()));
    std::optional<FeatureList> features = withImplied(namesAfterPlus(words));
    return features ? std::optional(makeX86(*features)) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace nereid::cpu
