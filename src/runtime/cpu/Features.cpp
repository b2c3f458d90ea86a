// Features.cpp: a row for each feature: where CPUID tells of it, what the system must save, and what it implies.
#include "runtime/cpu/Features.h"

#include <algorithm>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace nereid::cpu {

namespace {

enum Register : uint8_t { EAX, EBX, ECX, EDX };

// Bits of XCR0: the upper halves of ymm registers; masks and zmm registers; tiles and their shapes.
constexpr uint64_t kNothing = 0, kYmm = 0x6, kZmm = 0xe6, kTiles = 0x60000;

struct Feature {
  std::string_view name;
  uint32_t leaf, part;
  Register word;
  uint8_t bit;
  uint64_t registers;
  std::string_view implied; // with commas between; rows above this one
};

constexpr uint32_t kExtended = 0x80000001;
constexpr Feature kFeatures[] = {
    {"sse3", 1, 0, ECX, 0, kNothing, ""},
    {"ssse3", 1, 0, ECX, 9, kNothing, "sse3"},
    {"sse4.1", 1, 0, ECX, 19, kNothing, "ssse3"},
    {"sse4.2", 1, 0, ECX, 20, kNothing, "sse4.1"},
    {"popcnt", 1, 0, ECX, 23, kNothing, ""},
    {"lzcnt", kExtended, 0, ECX, 5, kNothing, ""},
    {"movbe", 1, 0, ECX, 22, kNothing, ""},
    {"bmi", 7, 0, EBX, 3, kNothing, ""},
    {"bmi2", 7, 0, EBX, 8, kNothing, ""},
    {"avx", 1, 0, ECX, 28, kYmm, "sse4.2"},
    {"f16c", 1, 0, ECX, 29, kYmm, "avx"},
    {"fma", 1, 0, ECX, 12, kYmm, "avx"},
    {"avx2", 7, 0, EBX, 5, kYmm, "avx"},
    {"avxvnni", 7, 1, EAX, 4, kYmm, "avx2"},
    {"avx512f", 7, 0, EBX, 16, kZmm, "avx2,fma,f16c"},
    {"avx512bw", 7, 0, EBX, 30, kZmm, "avx512f"},
    {"avx512cd", 7, 0, EBX, 28, kZmm, "avx512f"},
    {"avx512dq", 7, 0, EBX, 17, kZmm, "avx512f"},
    {"avx512vl", 7, 0, EBX, 31, kZmm, "avx512f"},
    {"avx512vnni", 7, 0, ECX, 11, kZmm, "avx512f"},
    {"avx512bf16", 7, 1, EAX, 5, kZmm, "avx512bw"},
    {"avx512fp16", 7, 0, EDX, 23, kZmm, "avx512bw,avx512dq,avx512vl"},
    {"avx512ifma", 7, 0, EBX, 21, kZmm, "avx512f"},
    {"avx512vbmi", 7, 0, ECX, 1, kZmm, "avx512bw"},
    {"avx512vbmi2", 7, 0, ECX, 6, kZmm, "avx512bw"},
    {"avx512bitalg", 7, 0, ECX, 12, kZmm, "avx512bw"},
    {"avx512vpopcntdq", 7, 0, ECX, 14, kZmm, "avx512f"},
    {"gfni", 7, 0, ECX, 8, kNothing, ""},
    {"amx-tile", 7, 0, EDX, 24, kTiles, ""},
    {"amx-bf16", 7, 0, EDX, 22, kTiles, "amx-tile"},
    {"amx-int8", 7, 0, EDX, 25, kTiles, "amx-tile"},
};

bool contains(const FeatureList &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

FeatureList split(std::string_view text) {
  FeatureList names;
  while (!text.empty()) {
    names.push_back(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(names.back().size() + 1, text.size()));
  }
  return names;
}

// Those of `chosen`, in the order of the table, less the ones that imply something which is not there.
FeatureList closed(const std::function<bool(const Feature &)> &isChosen) {
  FeatureList names;
  for (const Feature &feature : kFeatures) {
    FeatureList implied = split(feature.implied);
    if (isChosen(feature) && std::all_of(implied.begin(), implied.end(), [&](auto n) { return contains(names, n); }))
      names.push_back(feature.name);
  }
  return names;
}

#if defined(__x86_64__)
std::array<uint32_t, 4> askThisCpu(uint32_t leaf, uint32_t part) {
  std::array<uint32_t, 4> words{};
  if (!__get_cpuid_count(leaf, part, &words[EAX], &words[EBX], &words[ECX], &words[EDX]))
    return {};
  return words;
}

uint64_t registersSavedHere() {
  constexpr uint32_t kSavesByXsave = 1u << 27;
  if (!(askThisCpu(1, 0)[ECX] & kSavesByXsave))
    return 0; // the instruction below would be illegal
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}
#endif

} // namespace

FeatureList featuresOf(const Processor &processor) {
  return closed([&](const Feature &feature) {
    bool isThere = processor.ask(feature.leaf, feature.part)[feature.word] >> feature.bit & 1;
    bool isSaved = (processor.savedRegisters & feature.registers) == feature.registers;
    return isThere && isSaved && (feature.name != "amx-tile" || processor.allowTiles());
  });
}

#if defined(__x86_64__)
const FeatureList &hostFeatures() {
  static const FeatureList features = featuresOf({askThisCpu, registersSavedHere(), allowTileRegisters});
  return features;
}

uint64_t vectorRegistersSavedHere() { return registersSavedHere() & kZmm; }

uint64_t bytesToSave(uint64_t registers) {
  constexpr uint32_t kLeafOfXsave = 0xd, kFirstBeyondSse = 2;
  uint64_t bytes = 576; // FXSAVE's area and XSAVE's header
  for (uint32_t part = kFirstBeyondSse; registers >> part; ++part)
    if (registers >> part & 1) {
      std::array<uint32_t, 4> words = askThisCpu(kLeafOfXsave, part);
      bytes = std::max<uint64_t>(bytes, uint64_t(words[EAX]) + words[EBX]); // its size and its place
    }
  return bytes;
}

bool allowTileRegisters() {
  static const bool isAllowed = [] {
    constexpr long kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
    constexpr long kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return isAllowed;
}
#else
const FeatureList &hostFeatures() {
  static const FeatureList features{"neon"};
  return features;
}

bool allowTileRegisters() { return false; }
#endif

std::optional<FeatureList> withImplied(const FeatureList &names) {
  FeatureList wanted = names;
  // From the last row up: what a row implies stands above it.
  for (size_t i = std::size(kFeatures); i-- > 0;)
    if (contains(wanted, kFeatures[i].name))
      for (std::string_view name : split(kFeatures[i].implied))
        wanted.push_back(name);
  FeatureList result = closed([&](const Feature &feature) { return contains(wanted, feature.name); });
  for (std::string_view name : names)
    if (!contains(result, name))
      return std::nullopt;
  return result;
}

std::string missingFeature(std::string_view features) {
  for (std::string_view name : split(features))
    if (!contains(hostFeatures(), name))
      return std::string(name);
  return {};
}

} // namespace nereid::cpu
