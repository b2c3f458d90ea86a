// TokenMutator.h: mutations that keep most of a text's structure. Whole words and lines go, come twice, change places or become
// others of their kind, so that what stands behind a parser is reached. A fuzzer of texts includes it once.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace nereid::fuzz {

// A run of letters, of digits, of spaces, or one other character.
inline std::vector<std::string_view> tokensOf(std::string_view text) {
  auto kindOf = [](unsigned char c) {
    return std::isalpha(c) || c == '_' || c >= 0x80 ? 1 : std::isdigit(c) || c == '.' ? 2 : c == ' ' ? 3 : 0;
  };
  std::vector<std::string_view> tokens;
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    int kind = kindOf(static_cast<unsigned char>(text[begin]));
    for (end = begin + 1; kind && end < text.size();) {
      int next = kindOf(static_cast<unsigned char>(text[end]));
      if (next != kind && !(kind == 1 && next == 2))
        break;
      ++end;
    }
    tokens.push_back(text.substr(begin, end - begin));
  }
  return tokens;
}

// Numbers at which things end.
inline constexpr std::string_view kNumbers[] = {"0",
                                                "1",
                                                "2",
                                                "3",
                                                "7",
                                                "8",
                                                "16",
                                                "31",
                                                "32",
                                                "33",
                                                "64",
                                                "65",
                                                "127",
                                                "128",
                                                "255",
                                                "256",
                                                "300",
                                                "1024",
                                                "4096",
                                                "65535",
                                                "65536",
                                                "1048576",
                                                "2147483647",
                                                "2147483648",
                                                "4294967295",
                                                "4294967296",
                                                "1000000007",
                                                "1000000000",
                                                "-1",
                                                "-2147483648",
                                                "1e30",
                                                "1e400",
                                                "0.5",
                                                "nan",
                                                "inf",
                                                "9223372036854775807",
                                                "0x10",
                                                "0xFF",
                                                "true",
                                                "false",
                                                "999999999999999999999999999999"};

class TokenMutation {
public:
  TokenMutation(std::string_view text, unsigned seed) : random(seed) {
    for (std::string_view token : tokensOf(text))
      tokens.emplace_back(token);
  }

  std::string apply() {
    for (unsigned i = 0, count = 1 + pick(4); i < count && !tokens.empty() && tokens.size() < kMostTokens; ++i)
      step();
    std::string text;
    for (const std::string &token : tokens)
      text += token;
    return text;
  }

private:
  // More is cut off anyway, and one step may repeat all of them 64 times.
  static constexpr size_t kMostTokens = 1 << 14;

  size_t pick(size_t count) { return count ? random() % count : 0; }
  bool isNumber(size_t i) const { return std::isdigit(static_cast<unsigned char>(tokens[i][0])) != 0; }

  // The tokens from one line end to another.
  std::pair<size_t, size_t> someLines() {
    size_t begin = pick(tokens.size()), end;
    while (begin > 0 && tokens[begin - 1] != "\n")
      --begin;
    end = begin;
    for (size_t lines = 1 + pick(3); end < tokens.size() && lines; ++end)
      lines -= tokens[end] == "\n";
    return {begin, end};
  }
  std::pair<size_t, size_t> someTokens() {
    size_t begin = pick(tokens.size());
    return {begin, std::min(tokens.size(), begin + 1 + pick(6))};
  }
  using At = std::vector<std::string>::difference_type;
  auto at(size_t i) { return tokens.begin() + static_cast<At>(i); }

  void step() {
    auto [begin, end] = pick(2) ? someLines() : someTokens();
    std::vector<std::string> part(at(begin), at(end));
    size_t place = pick(tokens.size());
    switch (pick(8)) {
    case 0: tokens.erase(at(begin), at(end)); break;
    case 1: // once more, elsewhere
      tokens.insert(at(place), part.begin(), part.end());
      break;
    case 2: // again and again
      for (size_t i = 0, count = pick(64); i < count; ++i)
        tokens.insert(at(begin), part.begin(), part.end());
      break;
    case 3: std::swap(tokens[begin], tokens[place]); break;
    case 4: tokens[begin] = tokens[place]; break;
    default: changeNumber(begin); break;
    }
  }
  void changeNumber(size_t from) {
    for (size_t i = 0; i < tokens.size(); ++i)
      if (size_t at = (from + i) % tokens.size(); isNumber(at)) {
        tokens[at] = kNumbers[pick(std::size(kNumbers))];
        return;
      }
    tokens[from] = kNumbers[pick(std::size(kNumbers))];
  }

  std::minstd_rand random;
  std::vector<std::string> tokens;
};

} // namespace nereid::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  if (seed % 4 == 0 || size == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text = nereid::fuzz::TokenMutation({reinterpret_cast<const char *>(data), size}, seed).apply();
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}
