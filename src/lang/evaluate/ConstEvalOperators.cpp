// ConstEvalOperators.cpp: Python's binary and unary operators on constants.
#include "lang/evaluate/Arithmetic.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>
#include <cmath>

namespace nereid::lang {

using syntax::BinaryOperator;
using syntax::UnaryOperator;

namespace {

struct OperatorNames {
  const char *symbol, *forward, *reflected;
};

OperatorNames namesOf(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Add: return {"+", "__add__", "__radd__"};
  case BinaryOperator::Sub: return {"-", "__sub__", "__rsub__"};
  case BinaryOperator::Mult: return {"*", "__mul__", "__rmul__"};
  case BinaryOperator::MatMult: return {"@", "__matmul__", "__rmatmul__"};
  case BinaryOperator::Div: return {"/", "__truediv__", "__rtruediv__"};
  case BinaryOperator::Mod: return {"%", "__mod__", "__rmod__"};
  case BinaryOperator::Pow: return {"**", "__pow__", "__rpow__"};
  case BinaryOperator::LShift: return {"<<", "__lshift__", "__rlshift__"};
  case BinaryOperator::RShift: return {">>", "__rshift__", "__rrshift__"};
  case BinaryOperator::BitOr: return {"|", "__or__", "__ror__"};
  case BinaryOperator::BitXor: return {"^", "__xor__", "__rxor__"};
  case BinaryOperator::BitAnd: return {"&", "__and__", "__rand__"};
  case BinaryOperator::FloorDiv: return {"//", "__floordiv__", "__rfloordiv__"};
  }
  return {"?", "", ""};
}

} // namespace

Value ConstEval::integerBinary(BinaryOperator op, Integer lhs, Integer rhs) {
  Integer result = 0;
  bool overflow = false;
  auto isDivision = op == BinaryOperator::Div || op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  if (isDivision && rhs == 0)
    session.fail("division by zero", {}, "ZeroDivisionError");
  if ((op == BinaryOperator::LShift || op == BinaryOperator::RShift) && rhs < 0)
    session.fail("negative shift count");
  switch (op) {
  case BinaryOperator::Add: overflow = __builtin_add_overflow(lhs, rhs, &result); break;
  case BinaryOperator::Sub: overflow = __builtin_sub_overflow(lhs, rhs, &result); break;
  case BinaryOperator::Mult: overflow = __builtin_mul_overflow(lhs, rhs, &result); break;
  case BinaryOperator::Div: return trueDivide(lhs, rhs);
  case BinaryOperator::FloorDiv:
    if (rhs == -1)
      overflow = __builtin_sub_overflow(Integer(0), lhs, &result);
    else
      result = floorDivide(lhs, rhs);
    break;
  case BinaryOperator::Mod: result = rhs == -1 ? 0 : floorModulo(lhs, rhs); break;
  case BinaryOperator::Pow:
    if (rhs < 0)
      return floatBinary(op, double(lhs), double(rhs));
    result = integerPower(session, lhs, rhs);
    break;
  case BinaryOperator::LShift: result = shiftLeft(session, lhs, rhs); break;
  case BinaryOperator::RShift: result = lhs >> int(std::min(rhs, Integer(127))); break;
  case BinaryOperator::BitOr: result = lhs | rhs; break;
  case BinaryOperator::BitXor: result = lhs ^ rhs; break;
  case BinaryOperator::BitAnd: result = lhs & rhs; break;
  case BinaryOperator::MatMult: return {};
  }
  if (overflow)
    failOverflow(session);
  return result;
}

Value ConstEval::floatBinary(BinaryOperator op, double lhs, double rhs) {
  bool isDivision = op == BinaryOperator::Div || op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  if (isDivision && rhs == 0)
    session.fail("float division by zero", {}, "ZeroDivisionError");
  switch (op) {
  case BinaryOperator::Add: return lhs + rhs;
  case BinaryOperator::Sub: return lhs - rhs;
  case BinaryOperator::Mult: return lhs * rhs;
  case BinaryOperator::Div: return lhs / rhs;
  case BinaryOperator::FloorDiv: return floatFloorDivide(lhs, rhs);
  case BinaryOperator::Mod: return floatModulo(lhs, rhs);
  case BinaryOperator::Pow: return floatPower(session, lhs, rhs);
  default: return {};
  }
}

Value ConstEval::repeat(const Value &sequence, Integer count) {
  if (count != Integer(int64_t(count))) // CPython asks before it looks at the sequence
    session.fail("a sequence cannot be repeated so often: the count has more than 64 bits", {}, "OverflowError");
  count = std::max(count, Integer(0));
  auto repeated = [&](const Values &items) {
    allocate(size_t(std::min(Integer(items.size()) * std::min(count, Integer(1) << 40), Integer(1) << 60)));
    Values result;
    for (Integer i = 0; i < count && !items.empty(); ++i)
      result.insert(result.end(), items.begin(), items.end());
    return result;
  };
  if (auto *text = sequence.str()) {
    allocateText(size_t(std::min(Integer(text->size()) * std::min(count, Integer(1) << 40), Integer(1) << 60)));
    std::string result;
    session.step(text->empty() ? 0 : size_t(count) / 16);
    for (Integer i = 0; i < count && !text->empty(); ++i)
      result += *text;
    return result;
  }
  if (auto *tuple = sequence.asTuple())
    return Value::tuple(repeated(tuple->items));
  if (auto *list = sequence.object<ListObject>())
    return makeList(repeated(list->items));
  return {};
}

Value ConstEval::setBinary(BinaryOperator op, const SetObject &lhs, const SetObject &rhs) {
  using nereid::lang::contains;
  auto result = std::make_shared<SetObject>();
  result->isFrozen = lhs.isFrozen;
  session.make((lhs.items.size() + rhs.items.size()) * sizeof(Value));
  if (op == BinaryOperator::BitAnd) {
    // Of two equal items (1 and 1.0) the one of the smaller set stays, as in CPython.
    bool isLeft = lhs.items.size() < rhs.items.size();
    for (const Value &item : (isLeft ? lhs : rhs).items)
      if (contains(isLeft ? rhs : lhs, item))
        result->items.push_back(item);
  } else if (op == BinaryOperator::Sub || op == BinaryOperator::BitXor) {
    for (const Value &item : lhs.items)
      if (!contains(rhs, item))
        result->items.push_back(item);
  } else if (op == BinaryOperator::BitOr) {
    result->items = lhs.items;
  } else {
    return {};
  }
  if (op == BinaryOperator::BitOr || op == BinaryOperator::BitXor)
    for (const Value &item : rhs.items)
      if (!contains(lhs, item))
        result->items.push_back(item);
  return result;
}

Value ConstEval::sequenceBinary(BinaryOperator op, const Value &lhs, const Value &rhs) {
  auto joined = [&](const Values &a, const Values &b) {
    allocate(a.size() + b.size());
    Values items = a;
    items.insert(items.end(), b.begin(), b.end());
    return items;
  };
  if (op == BinaryOperator::Add) {
    if (lhs.str() && rhs.str()) {
      allocateText(lhs.str()->size() + rhs.str()->size());
      return *lhs.str() + *rhs.str();
    }
    if (lhs.asTuple() && rhs.asTuple())
      return Value::tuple(joined(lhs.asTuple()->items, rhs.asTuple()->items));
    if (auto *a = lhs.object<ListObject>(), *b = rhs.object<ListObject>(); a && b)
      return makeList(joined(a->items, b->items));
  }
  if (op == BinaryOperator::Mult) {
    if (auto count = rhs.integer())
      return repeat(lhs, *count);
    if (auto count = lhs.integer())
      return repeat(rhs, *count);
  }
  if ((viewedDict(lhs) && asSet(lhs)) || (viewedDict(rhs) && asSet(rhs)))
    return viewBinary(op, lhs, rhs);
  if (auto *a = lhs.object<SetObject>(), *b = rhs.object<SetObject>(); a && b)
    return setBinary(op, *a, *b);
  if (auto *a = lhs.object<DictObject>(), *b = rhs.object<DictObject>(); a && b && op == BinaryOperator::BitOr) {
    allocate(a->items.size() + b->items.size());
    auto merged = std::make_shared<DictObject>(*a);
    for (auto &[key, value] : b->items)
      setItem(*merged, key, value);
    return merged;
  }
  if (op == BinaryOperator::Mod && lhs.str())
    if (Value formatter = attribute(lhs, "__mod__"))
      return call(formatter, Values{rhs});
  return {};
}

// The keys and items of a dict go together with anything that can be looped over, and give a set.
Value ConstEval::viewBinary(BinaryOperator op, const Value &lhs, const Value &rhs) {
  if (op != BinaryOperator::BitOr && op != BinaryOperator::BitAnd && op != BinaryOperator::BitXor &&
      op != BinaryOperator::Sub)
    return {};
  auto toSet = [&](const Value &value) {
    auto set = std::make_shared<SetObject>();
    for (const Value &item : iterate(value))
      addItem(*set, item);
    return set;
  };
  auto a = toSet(lhs), b = toSet(rhs);
  if (op != BinaryOperator::BitAnd)
    return setBinary(op, *a, *b);
  // Of two equal items (1 and 1.0) that of the view stays only beside a set that is no smaller, or a view that is larger.
  bool isViewLeft = viewedDict(lhs) != nullptr;
  SetObject &view = isViewLeft ? *a : *b, &other = isViewLeft ? *b : *a;
  const Value &operand = isViewLeft ? rhs : lhs;
  auto *set = operand.object<SetObject>();
  bool keepsView = viewedDict(operand) && asSet(operand)
                       ? other.items.size() > view.items.size()
                       : set && !set->isFrozen && view.items.size() <= other.items.size();
  SetObject &kept = keepsView ? view : other, &asked = keepsView ? other : view;
  std::erase_if(kept.items, [&](const Value &item) { return !nereid::lang::contains(asked, item); });
  return keepsView == isViewLeft ? a : b;
}

Value ConstEval::userOperator(const char *forward, const char *reflected, const Value &lhs, const Value &rhs) {
  Value answer = askObject(lhs, forward, rhs);
  return answer ? answer : askObject(rhs, reflected, lhs);
}

Value ConstEval::binary(BinaryOperator op, const Value &lhs, const Value &rhs) {
  session.step();
  OperatorNames names = namesOf(op);
  Value result;
  if (lhs.constant<Opaque>() || rhs.constant<Opaque>())
    return makeOpaque(briefly(lhs) + " " + names.symbol + " " + briefly(rhs));
  auto a = lhs.integer(), b = rhs.integer();
  if (lhs.is<bool>() && rhs.is<bool>() &&
      (op == BinaryOperator::BitAnd || op == BinaryOperator::BitOr || op == BinaryOperator::BitXor))
    result = integerBinary(op, *a, *b).integer() != 0;
  else if (a && b)
    result = integerBinary(op, *a, *b);
  else if (lhs.number() && rhs.number())
    result = floatBinary(op, *lhs.number(), *rhs.number());
  else if (result = userOperator(names.forward, names.reflected, lhs, rhs); !result)
    result = sequenceBinary(op, lhs, rhs);
  if (result)
    return result;
  bool isUnion = op == BinaryOperator::BitOr && (lhs.object<Class>() || rhs.object<Class>());
  if (isUnion) // `int | None`: only ever an annotation
    return makeOpaque(toString(lhs) + " | " + toString(rhs));
  std::vector<std::string> notes;
  if (lhs.isTensor() || rhs.isTensor())
    notes.push_back("this code runs at compile time, but " + typeName(lhs.isTensor() ? lhs : rhs) +
                    " is known only at run time");
  else if (lhs.isNone() || rhs.isNone())
    notes.push_back("was an argument left out?");
  session.fail("`" + std::string(names.symbol) + "` is not defined for " + typeName(lhs) + " and " + typeName(rhs),
               notes, "TypeError");
}

Value ConstEval::augmented(BinaryOperator op, const Value &current, const Value &operand) {
  std::string method = std::string("__i") + (namesOf(op).forward + std::string_view("__").size());
  Value changed = askObject(current, method.c_str(), operand);
  return changed ? changed : binary(op, current, operand);
}

Value ConstEval::unary(UnaryOperator op, const Value &operand) {
  session.step();
  if (op == UnaryOperator::Not && !operand.constant<Opaque>())
    return !truth(operand);
  if (operand.constant<Opaque>())
    return makeOpaque((op == UnaryOperator::Not ? "not " : op == UnaryOperator::USub ? "-" : "~") + toString(operand));
  if (auto whole = operand.integer()) {
    if (op == UnaryOperator::USub)
      return integerBinary(BinaryOperator::Sub, 0, *whole);
    return op == UnaryOperator::Invert ? ~*whole : *whole;
  }
  if (auto *real = operand.get<double>(); real && op != UnaryOperator::Invert)
    return op == UnaryOperator::USub ? -*real : *real;
  const char *name = op == UnaryOperator::USub ? "__neg__" : op == UnaryOperator::UAdd ? "__pos__" : "__invert__";
  if (auto *instance = operand.object<Instance>(); instance && instance->cls->lookup(name))
    return call(attribute(operand, name), Values{});
  const char *symbol = op == UnaryOperator::USub ? "-" : op == UnaryOperator::UAdd ? "+" : "~";
  session.fail(std::string("bad operand type for unary ") + symbol + ": `" + typeName(operand) + "`", {}, "TypeError");
}

} // namespace nereid::lang
