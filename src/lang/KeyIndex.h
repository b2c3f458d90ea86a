// KeyIndex.h: where the keys of a dict or the items of a set stand, by their hash. They are kept in the order of their
// insertion; the index grows behind them when somebody asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace nereid::lang {

class Value;

// Equal for values that are equal() as keys; cheap for long texts and deep tuples.
uint64_t hashOf(const Value &value);

class KeyIndex {
public:
  static constexpr size_t kNone = SIZE_MAX;
  // The position among `count` keys, of which `keyAt` gives each, of one that is equal to `key`.
  template <class KeyAt> size_t find(size_t count, const Value &key, KeyAt keyAt);
  // After a key was taken away, the positions of those behind it are wrong.
  void forget() { positions.clear(), known = 0; }

private:
  std::unordered_multimap<uint64_t, size_t> positions;
  size_t known = 0; // keys whose positions are recorded
};

} // namespace nereid::lang
