// CallTable.h: values by call key. Finding one takes no lock and waits for nobody; adding one is an atomic exchange.
// Values are never changed or removed while the table lives, so what was found stays valid.
#pragma once

#include "jit/call/CallKey.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace nereid::jit {

template <class T> class CallTable {
public:
  CallTable() = default;
  CallTable(const CallTable &) = delete;
  ~CallTable() {
    for (std::atomic<Node *> &head : heads)
      for (Node *node = head.load(); node;)
        delete std::exchange(node, node->next);
  }

  // The value under this key, or null.
  const T *find(const CallKey &key) const {
    uint64_t hash = key.hash();
    for (Node *node = heads[hash % kBuckets].load(std::memory_order_acquire); node; node = node->next)
      if (node->hash == hash && node->key == key.bytes())
        return &node->value;
    return nullptr;
  }

  // Adds a value; where another thread was faster, both stay and either is right. Null when the table is full: values
  // that decide what is compiled (heuristics) can make any number of keys.
  const T *add(const CallKey &key, T value) {
    if (key.isTooLong() || count.fetch_add(1, std::memory_order_relaxed) >= kMaxValues)
      return nullptr;
    auto *node = new Node{nullptr, key.hash(), std::string(key.bytes()), std::move(value)};
    std::atomic<Node *> &head = heads[node->hash % kBuckets];
    node->next = head.load(std::memory_order_relaxed);
    while (!head.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return &node->value;
  }

  static constexpr size_t kMaxValues = 1 << 16;

private:
  struct Node {
    Node *next;
    uint64_t hash;
    std::string key;
    T value;
  };
  static constexpr size_t kBuckets = 256;
  std::array<std::atomic<Node *>, kBuckets> heads{};
  std::atomic<size_t> count{0};
};

} // namespace nereid::jit
