// UnicodeName.cpp: \N{…}. The names are stored as numbers of words, each name relative to the one before it
// (scripts/generate_unicode.py writes them); the first use unpacks them into a sorted list.
#include "syntax/Unicode.h"
#include "syntax/UnicodeTables.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace nereid::syntax {

namespace {

constexpr unsigned kShortWords = 40; // digits that are a whole word number; later ones begin a longer number
constexpr unsigned kLongLeads = 5;   // of those, how many begin a number of three digits

class NameReader {
public:
  NameReader() {
    unsigned next = 0;
    for (int c = 0x21; c < 0x7F; ++c)
      if (c != '"' && c != '\\' && c != '?')
        digitValues[c] = next++;
    radix = next;
    for (size_t begin = 0; begin < kNameWords.size();) {
      size_t end = std::min(kNameWords.find(' ', begin), kNameWords.size());
      words.push_back(kNameWords.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  template <class Visit> void readAll(Visit visit) {
    char32_t code = static_cast<char32_t>(-1);
    std::vector<unsigned> name;
    while (position < kNameCodes.size()) {
      unsigned step = digit();
      code = step == radix - 1 ? number(4) : code + step;
      name.resize(digit());
      for (unsigned count = digit(); count > 0; --count)
        name.push_back(wordNumber());
      std::string text;
      for (unsigned word : name)
        (text.empty() ? text : text += ' ').append(words[word]);
      visit(std::move(text), code);
    }
  }

private:
  unsigned digit() { return digitValues[static_cast<unsigned char>(kNameCodes[position++])]; }
  unsigned number(unsigned width) {
    unsigned value = 0;
    for (unsigned i = 0; i < width; ++i)
      value = value * radix + digit();
    return value;
  }
  unsigned wordNumber() {
    unsigned lead = digit();
    if (lead < kShortWords)
      return lead;
    unsigned middle = radix - kShortWords - kLongLeads;
    if (lead < kShortWords + middle)
      return kShortWords + (lead - kShortWords) * radix + number(1);
    return kShortWords + middle * radix + (lead - kShortWords - middle) * radix * radix + number(2);
  }

  unsigned digitValues[128] = {};
  unsigned radix = 0;
  size_t position = 0;
  std::vector<std::string_view> words;
};

} // namespace

static std::optional<char32_t> hangulSyllable(std::string_view name) {
  static constexpr std::string_view kLeads[] = {"G",  "GG", "N", "D",  "DD", "R", "M", "B", "BB", "S",
                                                "SS", "",   "J", "JJ", "C",  "K", "T", "P", "H"};
  static constexpr std::string_view kVowels[] = {"A",  "AE", "YA", "YAE", "EO", "E",  "YEO", "YE", "O",  "WA", "WAE",
                                                 "OE", "YO", "U",  "WEO", "WE", "WI", "YU",  "EU", "YI", "I"};
  static constexpr std::string_view kTails[] = {"",   "G",  "GG", "GS", "N",  "NJ", "NH", "D", "L",  "LG",
                                                "LM", "LB", "LS", "LT", "LP", "LH", "M",  "B", "BS", "S",
                                                "SS", "NG", "J",  "C",  "K",  "T",  "P",  "H"};
  for (size_t lead = 0; lead < std::size(kLeads); ++lead) {
    if (!name.starts_with(kLeads[lead]))
      continue;
    std::string_view afterLead = name.substr(kLeads[lead].size());
    for (size_t vowel = 0; vowel < std::size(kVowels); ++vowel) {
      if (!afterLead.starts_with(kVowels[vowel]))
        continue;
      auto tail = std::find(std::begin(kTails), std::end(kTails), afterLead.substr(kVowels[vowel].size()));
      if (tail != std::end(kTails))
        return 0xAC00 + (lead * std::size(kVowels) + vowel) * std::size(kTails) + (tail - std::begin(kTails));
    }
  }
  return std::nullopt;
}

static std::optional<char32_t> unifiedIdeograph(std::string_view digits) {
  static constexpr char32_t kRanges[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0x20000, 0x2A6DF},
                                            {0x2A700, 0x2B738}, {0x2B740, 0x2B81D}, {0x2B820, 0x2CEA1},
                                            {0x2CEB0, 0x2EBE0}, {0x30000, 0x3134A}};
  if (digits.size() != 4 && digits.size() != 5)
    return std::nullopt;
  char32_t code = 0;
  for (char c : digits) {
    bool letter = c >= 'A' && c <= 'F';
    if (!letter && !(c >= '0' && c <= '9'))
      return std::nullopt;
    code = code * 16 + (letter ? c - 'A' + 10 : c - '0');
  }
  for (auto [first, last] : kRanges)
    if (code >= first && code <= last)
      return code;
  return std::nullopt;
}

std::optional<char32_t> characterByName(std::string_view given) {
  constexpr std::string_view kHangul = "HANGUL SYLLABLE ", kIdeograph = "CJK UNIFIED IDEOGRAPH-";
  if (given.starts_with(kHangul)) // computed names are in capitals; stored ones in any case, as CPython has it
    return hangulSyllable(given.substr(kHangul.size()));
  if (given.starts_with(kIdeograph))
    return unifiedIdeograph(given.substr(kIdeograph.size()));
  std::string name(given);
  for (char &c : name)
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
  static const std::unordered_map<std::string, char32_t> kNames = [] {
    std::unordered_map<std::string, char32_t> names;
    NameReader().readAll([&](std::string text, char32_t code) { names.emplace(std::move(text), code); });
    return names;
  }();
  auto found = kNames.find(name);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

} // namespace nereid::syntax
