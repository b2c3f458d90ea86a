// Features.h: what a CPU can do, asked feature by feature: the name of a CPU or of a level promises things that virtual
// machines and systems take away again. Names are LLVM's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::cpu {

using FeatureList = std::vector<std::string_view>;

// What a CPU and its system say of themselves; tests make up their own.
struct Processor {
  // The instruction CPUID: EAX, EBX, ECX and EDX of a leaf and its part; zeros where there is no such leaf.
  std::function<std::array<uint32_t, 4>(uint32_t leaf, uint32_t part)> ask;
  // XCR0, a bit for each kind of registers that the system saves; 0 where it knows no more than those of SSE.
  uint64_t savedRegisters = 0;
  // Asks the system for the tile registers of AMX.
  std::function<bool()> allowTiles;
};

// All features that code for x86-64 may use beyond its base, which is SSE2. One counts only where the CPU has it, the
// system saves its registers, and all that LLVM takes it to imply counts too.
FeatureList featuresOf(const Processor &processor);
// The features of the CPU that this process runs on.
const FeatureList &hostFeatures();

// Features of x86-64 and all that they imply, each once, in the order of featuresOf; nothing where a name is unknown.
std::optional<FeatureList> withImplied(const FeatureList &names);

// The first of `features` (names with commas between) that this CPU does not have; empty: it has all. A name that is
// not known here counts as missing: code that uses it may do anything.
std::string missingFeature(std::string_view features);

// Of the registers that the system saves, those of vectors and masks, as bits for XSAVE; 0 without XSAVE. And the bytes
// that it writes for them.
uint64_t vectorRegistersSavedHere();
uint64_t bytesToSave(uint64_t registers);

// Linux hands out the tile registers of AMX only to a process that asks: 8 KB for each thread to save. Asked once.
bool allowTileRegisters();

} // namespace nereid::cpu
