// Aliases.h: which aggregates may be one object. Where paths of control flow meet each name gets a value of its own, so a method
// that changes its object would not reach the other names that stand for it on some path: such changes are refused.
#pragma once

#include "lang/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <set>

namespace nereid::lang {

class Aliases {
public:
  // A new value stands for what `other` stands for, part by part.
  void add(const Value &value, const Value &other);
  bool mayBeOne(const Instance *a, const Instance *b) const;
  // Whether any parts of the two may be.
  bool mayShare(const Value &a, const Value &b) const;

private:
  using Objects = std::set<const Instance *>;
  Objects objectsOf(const Instance *instance) const; // itself where nothing else is known

  std::map<const Instance *, Objects> known;
  Values kept; // so that no address is another object's
};

// All aggregates of a value: itself, and its parts (items, fields, what a method is bound to).
void visitAggregates(const Value &value, llvm::function_ref<void(const Instance *, bool isPart)> visit);

} // namespace nereid::lang
