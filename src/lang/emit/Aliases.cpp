#include "lang/emit/Aliases.h"

#include "lang/Session.h"

#include <algorithm>

namespace nereid::lang {

static void visitFrom(const Value &value, bool isPart, llvm::function_ref<void(const Instance *, bool isPart)> visit) {
  Session::charge(1);
  if (Instance *instance = value.object<Instance>()) {
    visit(instance, isPart);
    for (const auto &[name, field] : instance->fields)
      visitFrom(field, true, visit);
  } else if (const Tuple *tuple = value.asTuple()) {
    for (const Value &item : tuple->items)
      visitFrom(item, true, visit);
  } else if (ListObject *list = value.object<ListObject>()) {
    for (const Value &item : list->items)
      visitFrom(item, true, visit);
  } else if (auto *method = value.constant<BoundMethod>()) {
    visitFrom(method->self, true, visit);
  }
}

void visitAggregates(const Value &value, llvm::function_ref<void(const Instance *, bool isPart)> visit) {
  visitFrom(value, false, visit);
}

Aliases::Objects Aliases::objectsOf(const Instance *instance) const {
  auto found = known.find(instance);
  return found == known.end() ? Objects{instance} : found->second;
}

// The parts of two values of one kind come in the same order.
void Aliases::add(const Value &value, const Value &other) {
  std::vector<const Instance *> parts;
  visitAggregates(other, [&](const Instance *part, bool) { parts.push_back(part); });
  if (parts.empty())
    return;
  kept.push_back(value);
  kept.push_back(other);
  size_t place = 0;
  visitAggregates(value, [&](const Instance *part, bool) {
    if (place < parts.size() && part != parts[place])
      known[part].merge(objectsOf(parts[place]));
    ++place;
  });
}

bool Aliases::mayBeOne(const Instance *a, const Instance *b) const {
  Objects left = objectsOf(a), right = objectsOf(b);
  return a == b || std::ranges::any_of(left, [&](const Instance *object) { return right.contains(object); });
}

bool Aliases::mayShare(const Value &a, const Value &b) const {
  bool shares = false;
  visitAggregates(a, [&](const Instance *left, bool) {
    visitAggregates(b, [&](const Instance *right, bool) { shares = shares || mayBeOne(left, right); });
  });
  return shares;
}

} // namespace nereid::lang
