// ConstEvalAssign.cpp: targets of assignments and `del`.
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>
#include <set>

namespace nereid::lang {

using namespace syntax;

namespace {

size_t listIndex(Session &session, const ListObject &list, const Value &index) {
  auto position = index.integer();
  if (!position)
    session.fail("list indices must be integers, not `" + typeName(index) + "`", {}, "TypeError");
  Integer actual = *position < 0 ? *position + Integer(list.items.size()) : *position;
  if (actual < 0 || actual >= Integer(list.items.size()))
    session.fail("list index " + integerText(*position) + " is out of range", {}, "IndexError");
  return size_t(actual);
}

// `list[a:b] = items` replaces a part by any number of items; with a step, one by one.
void setSlice(ConstEval &eval, ListObject &list, const SliceObject &slice, const Value &value) {
  Values fresh = eval.iterate(value);
  Progression part = eval.selected(slice, Integer(list.items.size()));
  eval.allocate(list.items.size() + fresh.size());
  bool isPlain = !slice.step || slice.step.isNone() || slice.step.integer() == Integer(1);
  if (isPlain) {
    auto first = list.items.begin() + size_t(part.start);
    list.items.erase(first, first + size_t(part.count));
    list.items.insert(list.items.begin() + size_t(part.start), fresh.begin(), fresh.end());
    return;
  }
  if (Integer(fresh.size()) != part.count)
    eval.session.fail("cannot assign " + std::to_string(fresh.size()) + " items to a slice of " +
                      integerText(part.count));
  for (size_t i = 0; i < fresh.size(); ++i)
    list.items[size_t(part.start + Integer(i) * part.step)] = fresh[i];
}

void setElement(ConstEval &eval, const Value &object, const Value &index, const Value &value) {
  if (auto *list = object.object<ListObject>(); list && index.constant<SliceObject>()) {
    setSlice(eval, *list, *index.constant<SliceObject>(), value);
  } else if (list) {
    list->items[listIndex(eval.session, *list, index)] = value;
  } else if (auto *dict = object.object<DictObject>()) {
    setItem(*dict, index, value);
    if (dict->items.size() > ConstEval::kMaxItems)
      eval.allocate(dict->items.size());
  } else if (Value method = object.object<Instance>() ? eval.attribute(object, "__setitem__") : Value()) {
    eval.call(method, Values{index, value});
  } else if (!object.constant<Opaque>()) {
    eval.session.fail("`" + typeName(object) + "` does not support item assignment", {}, "TypeError");
  }
}

void deleteElement(ConstEval &eval, const Value &object, const Value &index) {
  if (auto *dict = object.object<DictObject>()) {
    if (!removeItem(*dict, index))
      eval.session.fail("the dict has no key " + repr(index), {}, "KeyError");
  } else if (auto *list = object.object<ListObject>(); list && index.constant<SliceObject>()) {
    Progression part = eval.selected(*index.constant<SliceObject>(), Integer(list->items.size()));
    std::set<size_t> gone;
    for (Integer i = 0; i < part.count; ++i)
      gone.insert(size_t(part.start + i * part.step));
    eval.allocate(list->items.size());
    Values kept;
    for (size_t i = 0; i < list->items.size(); ++i)
      if (!gone.contains(i))
        kept.push_back(list->items[i]);
    list->items = std::move(kept);
  } else if (list) {
    size_t at = listIndex(eval.session, *list, index);
    eval.session.step((list->items.size() - at) / 8);
    list->items.erase(list->items.begin() + at);
  } else if (Value method = object.object<Instance>() ? eval.attribute(object, "__delitem__") : Value()) {
    eval.call(method, Values{index});
  } else if (!object.constant<Opaque>()) {
    eval.session.fail("`" + typeName(object) + "` does not support the deletion of items", {}, "TypeError");
  }
}

} // namespace

void ConstEval::bind(std::string_view name, const Value &value, const std::shared_ptr<Scope> &scope) {
  if (activation && scope == activation->scope) {
    if (activation->globals.contains(name)) {
      activation->module->globals->names.insert_or_assign(std::string(name), value);
      return;
    }
    if (activation->nonlocals.contains(name) && scope->parent)
      if (Value *outer = scope->parent->find(name)) {
        *outer = value;
        return;
      }
  }
  scope->names.insert_or_assign(std::string(name), value);
}

void ConstEval::assign(const Expr *target, const Value &value, const std::shared_ptr<Scope> &scope) {
  if (auto *name = dynCast<Name>(target))
    return bind(name->id, value, scope);
  if (auto *attribute = dynCast<Attribute>(target))
    return setAttribute(evaluate(attribute->value, scope), std::string(attribute->attr), value);
  if (auto *subscript = dynCast<Subscript>(target)) {
    Value object = evaluate(subscript->value, scope);
    return setElement(*this, object, evaluate(subscript->slice, scope), value);
  }
  if (auto *starred = dynCast<Starred>(target))
    return assign(starred->value, value, scope);
  if (target->kind != ExprKind::Tuple && target->kind != ExprKind::List)
    session.fail("this cannot be assigned to", {}, "SyntaxError");
  ExprList targets = cast<TupleExpr>(target).elts; // ListExpr has the same layout
  if (value.constant<Opaque>()) {
    for (const Expr *each : targets)
      assign(each, makeOpaque("a part of " + toString(value)), scope);
    return;
  }
  Values items = iterate(value);
  auto star = std::ranges::find_if(targets, [](const Expr *e) { return e->kind == ExprKind::Starred; });
  bool fits = star == targets.end() ? items.size() == targets.size() : items.size() + 1 >= targets.size();
  if (!fits)
    session.fail("cannot unpack " + std::to_string(items.size()) + " values into " + std::to_string(targets.size()) +
                 " names");
  size_t index = 0, surplus = star == targets.end() ? 0 : items.size() + 1 - targets.size();
  for (const Expr *each : targets) {
    if (each->kind != ExprKind::Starred) {
      assign(each, items[index++], scope);
      continue;
    }
    assign(each, makeList(Values(items.begin() + index, items.begin() + index + surplus)), scope);
    index += surplus;
  }
}

void ConstEval::unbind(std::string_view name) {
  bool isGlobal = activation->globals.contains(name) && activation->module;
  auto &names = (isGlobal ? activation->module->globals : activation->scope)->names;
  if (auto found = names.find(name); found != names.end())
    names.erase(found);
}

void ConstEval::executeDelete(const Expr *target) {
  const std::shared_ptr<Scope> &scope = activation->scope;
  if (auto *name = dynCast<Name>(target))
    return unbind(name->id);
  if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List) {
    for (const Expr *each : cast<TupleExpr>(target).elts)
      executeDelete(each);
    return;
  }
  if (auto *attribute = dynCast<Attribute>(target))
    return deleteAttribute(evaluate(attribute->value, scope), std::string(attribute->attr));
  auto *subscript = dynCast<Subscript>(target);
  if (!subscript)
    return;
  Value object = evaluate(subscript->value, scope);
  deleteElement(*this, object, evaluate(subscript->slice, scope));
}

} // namespace nereid::lang
