// Target.cpp: the CPU of this machine, asked of the CPU itself, and the named ones for ahead-of-time code.
#include "cpu/Target.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <vector>

namespace nereid::cpu {

// Every feature by name, the missing ones too: a virtual machine can hide some that the CPU's name promises.
static std::string featureText(const llvm::StringMap<bool> &features) {
  std::vector<std::string> names;
  for (const auto &feature : features)
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  // The map has no order of its own, and the text is part of cache keys.
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string Target::requiredFeatures() const {
  std::string names;
  auto add = [&](std::string_view name) { names += (names.empty() ? "" : ",") + std::string(name); };
  for (size_t at = 0; at < features.size();) {
    std::string_view feature = std::string_view(features).substr(at, features.find(',', at) - at);
    if (feature.starts_with('+'))
      add(feature.substr(1));
    at += feature.size() + 1;
  }
  if (!features.empty())
    return names;
  if (hasAvx2)
    add("avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt,sse4.2");
  if (hasAvx512)
    add("avx512f,avx512bw,avx512cd,avx512dq,avx512vl");
  if (hasBf16)
    add("avx512vnni,avx512bf16,avx512fp16,avx512vbmi,avx512vbmi2,avx512ifma,avx512bitalg,avx512vpopcntdq,gfni,avxvnni");
  if (hasAmx)
    add("amx-tile,amx-bf16,amx-int8");
  return names;
}

static Target makeX86Host(const llvm::StringMap<bool> &features) {
  auto has = [&](llvm::StringRef name) { return features.lookup(name); };
  Target target;
  target.hasFma = has("fma");
  target.hasF16c = has("f16c");
  target.hasAvx2 = has("avx2") && has("fma");
  target.hasAvx512 = target.hasAvx2 && has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  target.hasVnni = target.hasAvx512 ? has("avx512vnni") : has("avxvnni");
  target.hasBf16 = target.hasAvx512 && has("avx512bf16");
  target.hasAmx = target.hasAvx512 && has("amx-tile") && has("amx-bf16") && has("amx-int8");
  target.vectorBits = target.hasAvx512 ? 512 : target.hasAvx2 ? 256 : 128;
  return target;
}

static Target makeAArch64() {
  Target target;
  target.triple = "aarch64-unknown-linux-gnu";
  target.cpu = "generic";
  target.features = "+neon";
  target.isX86 = false;
  // Part of the base architecture there, as is the conversion of half floats.
  target.hasFma = target.hasF16c = true;
  return target;
}

static Target detectHost() {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  Target target = triple.isAArch64() ? makeAArch64() : makeX86Host(features);
  target.cpu = llvm::sys::getHostCPUName().str();
  target.features = featureText(features);
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
  Target target;
  target.cpu = name;
  if (name == "x86-64")
    return target;
  target.hasFma = target.hasF16c = target.hasAvx2 = true;
  target.vectorBits = 256;
  if (name == "x86-64-v3")
    return target;
  target.hasAvx512 = true;
  target.vectorBits = 512;
  if (name == "x86-64-v4")
    return target;
  target.hasVnni = target.hasBf16 = target.hasAmx = true;
  if (name == "sapphirerapids")
    return target;
  return std::nullopt;
}

} // namespace nereid::cpu
