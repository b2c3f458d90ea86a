// FeaturesTest.cpp: what CPUs say of themselves, and what of it code may use.
#include "runtime/cpu/Features.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace nereid::cpu;

namespace {

using Words = std::array<uint32_t, 4>;
constexpr uint32_t kExtended = 0x80000001;
constexpr uint64_t kSse = 0x3, kYmm = 0x7, kZmm = 0xe7, kTiles = 0x602e7;

constexpr uint32_t bit(int i) { return uint32_t(1) << i; }

// The words of CPUID as a Haswell, a Zen 4 and a Sapphire Rapids give them, but for what no feature is read from.
struct Description {
  std::map<std::pair<uint32_t, uint32_t>, Words> leaves;
  uint64_t saved = 0;
  bool allowsTiles = true;

  Words &leaf(uint32_t number, uint32_t part = 0) { return leaves[{number, part}]; }
  FeatureList features() const {
    return featuresOf({[this](uint32_t number, uint32_t part) {
                         auto found = leaves.find({number, part});
                         return found == leaves.end() ? Words{} : found->second;
                       },
                       saved, [this] { return allowsTiles; }});
  }
};

Description haswell() {
  Description cpu;
  // sse3, ssse3, fma, sse4.1, sse4.2, movbe, popcnt, avx, f16c; bmi, avx2, bmi2; lzcnt.
  cpu.leaf(1)[2] = bit(0) | bit(9) | bit(12) | bit(19) | bit(20) | bit(22) | bit(23) | bit(28) | bit(29);
  cpu.leaf(7)[1] = bit(3) | bit(5) | bit(8);
  cpu.leaf(kExtended)[2] = bit(5);
  cpu.saved = kYmm;
  return cpu;
}

Description zen4() {
  Description cpu = haswell();
  cpu.leaf(7)[1] |= bit(16) | bit(17) | bit(21) | bit(28) | bit(30) | bit(31);
  cpu.leaf(7)[2] = bit(1) | bit(6) | bit(8) | bit(11) | bit(12) | bit(14);
  cpu.leaf(7, 1)[0] = bit(5);
  cpu.saved = kZmm;
  return cpu;
}

Description sapphireRapids() {
  Description cpu = zen4();
  cpu.leaf(7)[3] = bit(22) | bit(23) | bit(24) | bit(25);
  cpu.leaf(7, 1)[0] |= bit(4);
  cpu.saved = kTiles;
  return cpu;
}

bool has(const FeatureList &features, std::string_view name) { return std::ranges::count(features, name) == 1; }

TEST(Features, ofCpusOfEveryAge) {
  EXPECT_EQ(Description{}.features(), FeatureList{});
  EXPECT_EQ(haswell().features(), (FeatureList{"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "lzcnt", "movbe", "bmi",
                                               "bmi2", "avx", "f16c", "fma", "avx2"}));
  FeatureList zen = zen4().features();
  EXPECT_TRUE(has(zen, "avx512bf16") && has(zen, "avx512vnni") && has(zen, "avx512vl") && has(zen, "gfni"));
  EXPECT_FALSE(has(zen, "avx512fp16") || has(zen, "avxvnni") || has(zen, "amx-tile"));
  FeatureList rapids = sapphireRapids().features();
  EXPECT_TRUE(has(rapids, "avx512fp16") && has(rapids, "avxvnni") && has(rapids, "amx-bf16") &&
              has(rapids, "amx-int8"));
}

TEST(Features, needTheirRegistersSaved) {
  Description cpu = sapphireRapids();
  cpu.saved = kZmm;
  EXPECT_FALSE(has(cpu.features(), "amx-tile") || has(cpu.features(), "amx-bf16"));
  EXPECT_TRUE(has(cpu.features(), "avx512f"));
  cpu.saved = kYmm;
  EXPECT_FALSE(has(cpu.features(), "avx512f") || has(cpu.features(), "avx512bf16"));
  EXPECT_TRUE(has(cpu.features(), "avx2"));
  for (uint64_t saved : {kSse, uint64_t(0)}) {
    cpu.saved = saved;
    EXPECT_FALSE(has(cpu.features(), "avx") || has(cpu.features(), "fma") || has(cpu.features(), "f16c"));
    EXPECT_TRUE(has(cpu.features(), "sse4.2") && has(cpu.features(), "bmi2"));
  }
}

TEST(Features, tilesNeedThePermissionOfTheSystem) {
  Description cpu = sapphireRapids();
  cpu.allowsTiles = false;
  EXPECT_FALSE(has(cpu.features(), "amx-tile") || has(cpu.features(), "amx-int8"));
  EXPECT_TRUE(has(cpu.features(), "avx512fp16"));
}

// LLVM takes AVX-512 to imply FMA and F16C: a virtual machine that hides one of them hides AVX-512 as well.
TEST(Features, countOnlyWithWhatTheyImply) {
  Description cpu = zen4();
  cpu.leaf(1)[2] &= ~bit(29);
  EXPECT_FALSE(has(cpu.features(), "f16c") || has(cpu.features(), "avx512f") || has(cpu.features(), "avx512bw"));
  EXPECT_TRUE(has(cpu.features(), "avx2") && has(cpu.features(), "fma"));
}

TEST(Features, bringWhatTheyImply) {
  EXPECT_EQ(*withImplied({"fma"}), (FeatureList{"sse3", "ssse3", "sse4.1", "sse4.2", "avx", "fma"}));
  EXPECT_EQ(*withImplied({}), FeatureList{});
  EXPECT_TRUE(has(*withImplied({"avx512bf16"}), "avx512bw"));
  EXPECT_EQ(*withImplied({"popcnt", "popcnt"}), FeatureList{"popcnt"});
  EXPECT_FALSE(withImplied({"avx", "avx3"}));
  EXPECT_FALSE(withImplied({""}));
}

TEST(Features, areMissingWhereTheyAreUnknown) {
  std::string all;
  for (std::string_view name : hostFeatures())
    all += (all.empty() ? "" : ",") + std::string(name);
  EXPECT_EQ(missingFeature(all), "");
  EXPECT_EQ(missingFeature(""), "");
  EXPECT_EQ(missingFeature(all + (all.empty() ? "" : ",") + "apx,ndd"), "apx");
}

// The compiler's run time asks the same CPU in its own way.
TEST(Features, agreeWithTheCompilersRunTime) {
#if defined(__x86_64__)
  EXPECT_EQ(has(hostFeatures(), "sse4.1"), bool(__builtin_cpu_supports("sse4.1")));
  EXPECT_EQ(has(hostFeatures(), "avx"), bool(__builtin_cpu_supports("avx")));
  EXPECT_EQ(has(hostFeatures(), "avx2"), bool(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(has(hostFeatures(), "fma"), bool(__builtin_cpu_supports("fma")));
  EXPECT_EQ(has(hostFeatures(), "bmi2"), bool(__builtin_cpu_supports("bmi2")));
  EXPECT_EQ(has(hostFeatures(), "popcnt"), bool(__builtin_cpu_supports("popcnt")));
  EXPECT_EQ(has(hostFeatures(), "avx512f"), bool(__builtin_cpu_supports("avx512f")));
  EXPECT_EQ(has(hostFeatures(), "avx512bf16"), bool(__builtin_cpu_supports("avx512bf16")));
#endif
}

} // namespace
