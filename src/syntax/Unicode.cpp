#include "syntax/Unicode.h"

#include "syntax/UnicodeTables.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace nereid::syntax {

static constexpr char32_t kReplacement = 0xFFFD;

static unsigned sequenceLength(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

char32_t decodeUtf8(const char *&p, const char *end) {
  unsigned char lead = static_cast<unsigned char>(*p);
  unsigned length = sequenceLength(lead);
  if (length == 0 || length > static_cast<size_t>(end - p)) {
    ++p;
    return kReplacement;
  }
  char32_t c = length == 1 ? lead : lead & (0x7F >> length);
  for (unsigned i = 1; i < length; ++i) {
    unsigned char next = static_cast<unsigned char>(p[i]);
    if ((next & 0xC0) != 0x80) {
      ++p;
      return kReplacement;
    }
    c = c << 6 | (next & 0x3F);
  }
  p += length;
  return c;
}

void appendUtf8(std::string &out, char32_t c) {
  auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::optional<size_t> findInvalidUtf8(std::string_view text) {
  const char *begin = text.data(), *end = begin + text.size(), *p = begin;
  while (p < end) {
    uint64_t word;
    while (end - p >= 8 && (std::memcpy(&word, p, 8), (word & 0x8080808080808080ull) == 0))
      p += 8; // eight ASCII characters at once
    if (p == end)
      break;
    const char *at = p;
    unsigned length = sequenceLength(static_cast<unsigned char>(*p));
    char32_t c = decodeUtf8(p, end);
    bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
    bool surrogate = c >= 0xD800 && c < 0xE000;
    if (length == 0 || p != at + length || overlong || surrogate || c > 0x10FFFF)
      return at - begin;
  }
  return std::nullopt;
}

static bool holds(std::span<const uint32_t> changes, char32_t c) {
  return (std::upper_bound(changes.begin(), changes.end(), c) - changes.begin()) % 2 == 1;
}

bool isIdentifierStart(char32_t c) { return holds(kIdentifierStartChanges, c); }
bool isIdentifierContinue(char32_t c) { return holds(kIdentifierContinueChanges, c); }
bool isPrintable(char32_t c) { return c < 0x7F ? c >= 0x20 : holds(kPrintableChanges, c); }

// Hangul syllables decompose and compose by arithmetic.
static constexpr char32_t kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7;
static constexpr unsigned kLeadCount = 19, kVowelCount = 21, kTailCount = 28;
static constexpr unsigned kSyllableCount = kLeadCount * kVowelCount * kTailCount;

static void decompose(std::vector<char32_t> &out, char32_t c) {
  if (c >= kSyllables && c < kSyllables + kSyllableCount) {
    unsigned index = c - kSyllables;
    out.push_back(kLeads + index / (kVowelCount * kTailCount));
    out.push_back(kVowels + index % (kVowelCount * kTailCount) / kTailCount);
    if (index % kTailCount != 0)
      out.push_back(kTails + index % kTailCount);
    return;
  }
  static const std::vector<uint32_t> kOffsets = [] { // where each decomposition begins in the pool
    std::vector<uint32_t> offsets;
    uint32_t offset = 0;
    for (uint32_t entry : kDecompositions) {
      offsets.push_back(offset);
      offset += entry & 0xFF;
    }
    return offsets;
  }();
  auto found = std::lower_bound(kDecompositions.begin(), kDecompositions.end(), static_cast<uint32_t>(c) << 8);
  if (found == kDecompositions.end() || *found >> 8 != c) {
    out.push_back(c);
    return;
  }
  auto targets = kDecompositionPool.subspan(kOffsets[found - kDecompositions.begin()], *found & 0xFF);
  out.insert(out.end(), targets.begin(), targets.end());
}

static unsigned combiningClass(char32_t c) {
  auto found = std::lower_bound(kCombiningClasses.begin(), kCombiningClasses.end(), static_cast<uint32_t>(c) << 8);
  return found != kCombiningClasses.end() && *found >> 8 == c ? *found & 0xFF : 0;
}

static char32_t compose(char32_t first, char32_t second) {
  if (first >= kLeads && first < kLeads + kLeadCount && second >= kVowels && second < kVowels + kVowelCount)
    return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTailCount;
  if (first >= kSyllables && first < kSyllables + kSyllableCount && (first - kSyllables) % kTailCount == 0 &&
      second > kTails && second < kTails + kTailCount)
    return first + (second - kTails);
  auto less = [](const Composition &a, std::pair<uint32_t, uint32_t> key) {
    return std::pair(a.first, a.second) < key;
  };
  auto found =
      std::lower_bound(kCompositions.begin(), kCompositions.end(), std::pair<uint32_t, uint32_t>(first, second), less);
  return found != kCompositions.end() && found->first == first && found->second == second ? found->composed : 0;
}

// Sorts each run of combining marks by class, keeping the order within a class.
static void orderMarks(std::vector<char32_t> &text) {
  std::vector<std::pair<unsigned, size_t>> order; // class and place of each mark of a run
  for (size_t begin = 0; begin < text.size(); begin += order.size() + 1) {
    order.clear();
    for (size_t i = begin; i < text.size() && combiningClass(text[i]) != 0; ++i)
      order.push_back({combiningClass(text[i]), i});
    std::sort(order.begin(), order.end());
    std::vector<char32_t> marks;
    for (auto [mark, place] : order)
      marks.push_back(text[place]);
    std::copy(marks.begin(), marks.end(), text.begin() + begin);
  }
}

std::string normalizeIdentifier(std::string_view name) {
  std::vector<char32_t> text;
  for (const char *p = name.data(), *end = p + name.size(); p < end;)
    decompose(text, decodeUtf8(p, end));
  orderMarks(text);
  std::vector<char32_t> result;
  size_t starter = SIZE_MAX; // the last character that marks can join
  int lastClass = -1;        // of the character before, or -1 when that is the starter itself
  for (char32_t c : text) {
    int mark = static_cast<int>(combiningClass(c));
    char32_t joined = starter != SIZE_MAX && lastClass < mark ? compose(result[starter], c) : 0;
    if (joined) {
      result[starter] = joined;
      continue;
    }
    result.push_back(c);
    lastClass = mark;
    if (mark == 0) {
      starter = result.size() - 1;
      lastClass = -1;
    }
  }
  std::string out;
  for (char32_t c : result)
    appendUtf8(out, c);
  return out;
}

std::string codePointName(char32_t c) {
  char number[16];
  std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(c));
  if (!isPrintable(c))
    return number;
  std::string shown = "`";
  appendUtf8(shown, c);
  return shown + "` (" + number + ")";
}

} // namespace nereid::syntax
