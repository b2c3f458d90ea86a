// Features.cpp: LLVM's names for CPU features, asked of the CPU.
#include "runtime/cpu/Features.h"

namespace nereid::cpu {

namespace {
struct Feature {
  std::string_view name;
  bool (*isHere)();
};
} // namespace

#if defined(__x86_64__)
// The compiler's own question covers the system too: registers that it does not save count as missing.
static const Feature kFeatures[] = {
    {"sse3", [] { return __builtin_cpu_supports("sse3") != 0; }},
    {"ssse3", [] { return __builtin_cpu_supports("ssse3") != 0; }},
    {"sse4.1", [] { return __builtin_cpu_supports("sse4.1") != 0; }},
    {"sse4.2", [] { return __builtin_cpu_supports("sse4.2") != 0; }},
    {"popcnt", [] { return __builtin_cpu_supports("popcnt") != 0; }},
    {"avx", [] { return __builtin_cpu_supports("avx") != 0; }},
    {"f16c", [] { return __builtin_cpu_supports("f16c") != 0; }},
    {"fma", [] { return __builtin_cpu_supports("fma") != 0; }},
    {"bmi", [] { return __builtin_cpu_supports("bmi") != 0; }},
    {"bmi2", [] { return __builtin_cpu_supports("bmi2") != 0; }},
    {"lzcnt", [] { return __builtin_cpu_supports("lzcnt") != 0; }},
    {"movbe", [] { return __builtin_cpu_supports("movbe") != 0; }},
    {"avx2", [] { return __builtin_cpu_supports("avx2") != 0; }},
    {"avxvnni", [] { return __builtin_cpu_supports("avxvnni") != 0; }},
    {"gfni", [] { return __builtin_cpu_supports("gfni") != 0; }},
    {"avx512f", [] { return __builtin_cpu_supports("avx512f") != 0; }},
    {"avx512bw", [] { return __builtin_cpu_supports("avx512bw") != 0; }},
    {"avx512cd", [] { return __builtin_cpu_supports("avx512cd") != 0; }},
    {"avx512dq", [] { return __builtin_cpu_supports("avx512dq") != 0; }},
    {"avx512vl", [] { return __builtin_cpu_supports("avx512vl") != 0; }},
    {"avx512vnni", [] { return __builtin_cpu_supports("avx512vnni") != 0; }},
    {"avx512bf16", [] { return __builtin_cpu_supports("avx512bf16") != 0; }},
    {"avx512fp16", [] { return __builtin_cpu_supports("avx512fp16") != 0; }},
    {"avx512vbmi", [] { return __builtin_cpu_supports("avx512vbmi") != 0; }},
    {"avx512vbmi2", [] { return __builtin_cpu_supports("avx512vbmi2") != 0; }},
    {"avx512ifma", [] { return __builtin_cpu_supports("avx512ifma") != 0; }},
    {"avx512bitalg", [] { return __builtin_cpu_supports("avx512bitalg") != 0; }},
    {"avx512vpopcntdq", [] { return __builtin_cpu_supports("avx512vpopcntdq") != 0; }},
    {"amx-tile", [] { return __builtin_cpu_supports("amx-tile") != 0; }},
    {"amx-bf16", [] { return __builtin_cpu_supports("amx-bf16") != 0; }},
    {"amx-int8", [] { return __builtin_cpu_supports("amx-int8") != 0; }},
};
#else
static const Feature kFeatures[] = {{"neon", [] { return true; }}};
#endif

std::string missingFeature(std::string_view features) {
  while (!features.empty()) {
    std::string_view name = features.substr(0, features.find(','));
    features.remove_prefix(name.size() < features.size() ? name.size() + 1 : features.size());
    for (const Feature &feature : kFeatures)
      if (feature.name == name && !feature.isHere())
        return std::string(name);
  }
  return {};
}

} // namespace nereid::cpu
