// UnicodeTables.h: the data behind Unicode.h, written by scripts/generate_unicode.py (Unicode 14, as CPython 3.11).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nereid::syntax {

// Sorted code points at which a property changes: off before the first, on from the first to the second, …
extern const std::span<const uint32_t> kIdentifierStartChanges;
extern const std::span<const uint32_t> kIdentifierContinueChanges;
extern const std::span<const uint32_t> kPrintableChanges;

// Full compatibility decompositions: code point << 8 | length, sorted; the targets follow each other in the pool.
extern const std::span<const uint32_t> kDecompositions;
extern const std::span<const uint32_t> kDecompositionPool;
// Combining classes: code point << 8 | class, sorted.
extern const std::span<const uint32_t> kCombiningClasses;
// Canonical compositions: first, second, composed.
struct Composition {
  uint32_t first, second, composed;
};
extern const std::span<const Composition> kCompositions; // sorted by first, then second

// Character names. The words, separated by spaces, and the names in code point order, in printable digits: see
// UnicodeName.cpp for the code.
extern const std::string_view kNameWords;
extern const std::string_view kNameCodes;

} // namespace nereid::syntax
