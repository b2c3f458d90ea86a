// Sha256.h: SHA-256 (FIPS 180-4): names what the caches keep, and tells damaged entries from whole ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nereid {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
public:
  void update(const void *data, size_t size);
  void update(std::string_view text) { update(text.data(), text.size()); }
  // A field of a record: its length first, so that no two lists of fields give the same bytes.
  void field(std::string_view text);
  void field(uint64_t number);
  // The digest of everything so far. The object is used up.
  Digest finish();

private:
  void block(const uint8_t *bytes);

  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t pending[64];
  size_t pendingSize = 0;
  uint64_t total = 0;
};

Digest sha256(std::string_view text);
// 64 digits.
std::string hexText(const Digest &digest);

} // namespace nereid
