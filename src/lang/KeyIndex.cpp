// KeyIndex.cpp: keys of dicts and items of sets, found by their hash.
#include "lang/KeyIndex.h"

#include "lang/evaluate/LibraryFunction.h"

#include "llvm/ADT/Hashing.h"

#include <bit>
#include <cmath>

namespace nereid::lang {

namespace {

// Fewer are compared one by one.
constexpr size_t kMinIndexed = 16;

uint64_t combine(uint64_t a, uint64_t b) { return llvm::hash_combine(a, b); }

uint64_t hashInteger(Integer value) { return combine(uint64_t(value), uint64_t(value >> 64)); }

// An `__eq__` of its own, or that of a dataclass, takes the hash away.
bool isUnhashable(const Instance *instance) {
  if (!instance || instance->cls->lookup("__hash__"))
    return false;
  bool isDataclass = instance->cls->kind == Class::Kind::Dataclass;
  return isDataclass ? !instance->cls->isHashable : bool(instance->cls->lookup("__eq__"));
}

uint64_t hashAt(const Value &value, int depth) {
  Session::charge(1);
  constexpr int kMaxNesting = 200;
  if (depth > kMaxNesting)
    Session::refuse("a key is nested too deeply");
  if (auto whole = value.integer())
    return hashInteger(*whole);
  if (auto *real = value.get<double>()) {
    bool isWhole = std::isfinite(*real) && *real == std::floor(*real) && std::abs(*real) < 1e38;
    return isWhole ? hashInteger(Integer(*real)) : uint64_t(llvm::hash_value(std::bit_cast<uint64_t>(*real)));
  }
  if (auto *text = value.str()) {
    Session::charge(text->size() / 64);
    return llvm::hash_value(*text);
  }
  if (auto *tuple = value.asTuple()) {
    uint64_t hash = tuple->items.size();
    for (const Value &item : tuple->items)
      hash = combine(hash, hashAt(item, depth + 1));
    return hash;
  }
  auto *set = value.object<SetObject>();
  if (value.object<ListObject>() || isUnhashable(value.object<Instance>()) || value.object<DictObject>() ||
      (set && !set->isFrozen))
    Session::refuse("a `" + typeName(value) + "` has no hash: it cannot be a key of a dict or an item of a set",
                    "TypeError");
  // What else is a key is told apart by comparing.
  return value.storage().index();
}

} // namespace

uint64_t hashOf(const Value &value) { return hashAt(value, 0); }

template <class KeyAt> size_t KeyIndex::find(size_t count, const Value &key, KeyAt keyAt) {
  uint64_t hash = hashOf(key);
  if (count < kMinIndexed) {
    for (size_t i = 0; i < count; ++i)
      if (equalItems(keyAt(i), key))
        return i;
    return kNone;
  }
  if (known > count)
    forget();
  for (; known < count; ++known)
    positions.emplace(hashOf(keyAt(known)), known);
  auto [first, last] = positions.equal_range(hash);
  for (auto each = first; each != last; ++each)
    if (equalItems(keyAt(each->second), key))
      return each->second;
  return kNone;
}

static size_t positionOf(DictObject &dict, const Value &key) {
  return dict.index.find(dict.items.size(), key, [&](size_t i) -> const Value & { return dict.items[i].first; });
}

static size_t positionOf(SetObject &set, const Value &item) {
  return set.index.find(set.items.size(), item, [&](size_t i) -> const Value & { return set.items[i]; });
}

Value *findItem(DictObject &dict, const Value &key) {
  size_t position = positionOf(dict, key);
  return position == KeyIndex::kNone ? nullptr : &dict.items[position].second;
}

void setItem(DictObject &dict, const Value &key, Value value) {
  if (Value *found = findItem(dict, key))
    *found = std::move(value);
  else
    dict.items.emplace_back(key, std::move(value));
}

Value removeItem(DictObject &dict, const Value &key) {
  size_t position = positionOf(dict, key);
  if (position == KeyIndex::kNone)
    return {};
  Value value = std::move(dict.items[position].second);
  Session::charge((dict.items.size() - position) / 8);
  dict.items.erase(dict.items.begin() + position);
  dict.index.forget();
  return value;
}

bool contains(const SetObject &set, const Value &item) {
  return positionOf(const_cast<SetObject &>(set), item) != KeyIndex::kNone;
}

void addItem(SetObject &set, const Value &item) {
  if (!contains(set, item))
    set.items.push_back(item);
}

bool removeItem(SetObject &set, const Value &item) {
  size_t position = positionOf(set, item);
  if (position == KeyIndex::kNone)
    return false;
  Session::charge((set.items.size() - position) / 8);
  set.items.erase(set.items.begin() + position);
  set.index.forget();
  return true;
}

} // namespace nereid::lang
