// Integer.cpp: moves, bits, integer arithmetic, comparisons and selection.
#include "interp/ptx/Ptx.h"

#include <algorithm>
#include <bit>
#include <map>
#include <type_traits>

namespace nereid::interp::ptx {

namespace {

// An operation on the parts of one type: f(a, b, type).
template <auto function> uint64_t onParts(Type type, uint64_t a, uint64_t b) {
  if (type.lanes == 1)
    return function(a, b, type);
  uint64_t result = 0;
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    unsigned shift = lane * type.bits;
    auto part = [&](uint64_t value) { return lowBits(value >> shift, type.bits); };
    result |= lowBits(function(part(a), part(b), type), type.bits) << shift;
  }
  return result;
}

template <auto function> void onIntegers(const Operation &op, uint64_t *r, unsigned lanes) {
  Type type = op.type;
  LaneValues a(op, 1, r, type, lanes);
  if (op.operands.size() == 2)
    return writeEach(op, r, lanes, type, [&](unsigned i) { return onParts<function>(type, a.of[i], 0); });
  LaneValues b(op, 2, r, type, lanes);
  writeEach(op, r, lanes, type, [&](unsigned i) { return onParts<function>(type, a.of[i], b.of[i]); });
}

template <auto function> void signedOrNot(const Operation &op, uint64_t *r, unsigned lanes) {
  onIntegers<[](uint64_t a, uint64_t b, Type type) -> uint64_t {
    if (type.kind == Kind::Signed)
      return uint64_t(function(signedOf(a, type.bits), signedOf(b, type.bits)));
    return uint64_t(function(a, b));
  }>(op, r, lanes);
}

// mul and mad: .lo, .hi or .wide of the product, plus c.
void multiply(const Operation &op, uint64_t *r, unsigned lanes) {
  Type type = op.type, wide = type;
  bool isSigned = type.kind == Kind::Signed, isHigh = op.has("hi"), isSum = op.operands.size() > 3;
  if (op.has("wide"))
    wide.bits *= 2;
  LaneValues a(op, 1, r, type, lanes), b(op, 2, r, type, lanes), c(op, isSum ? 3 : 1, r, wide, lanes);
  writeEach(op, r, lanes, wide, [&](unsigned i) {
    __int128 product = isSigned ? __int128(signedOf(a.of[i], type.bits)) * signedOf(b.of[i], type.bits)
                                : __int128(static_cast<unsigned __int128>(a.of[i]) * b.of[i]);
    return uint64_t(isHigh ? product >> type.bits : product) + (isSum ? c.of[i] : 0);
  });
}

constexpr Type kWord{Kind::Unsigned, 32};

void shiftLeft(const Operation &op, uint64_t *r, unsigned lanes) {
  Type type = op.type;
  LaneValues value(op, 1, r, type, lanes), amount(op, 2, r, kWord, lanes);
  writeEach(op, r, lanes, type, [&](unsigned i) { return amount.of[i] < type.bits ? value.of[i] << amount.of[i] : 0; });
}

void shiftRight(const Operation &op, uint64_t *r, unsigned lanes) {
  Type type = op.type;
  LaneValues value(op, 1, r, type, lanes), amount(op, 2, r, kWord, lanes);
  writeEach(op, r, lanes, type, [&](unsigned i) {
    if (type.kind == Kind::Signed)
      return uint64_t(signedOf(value.of[i], type.bits) >> std::min<uint64_t>(amount.of[i], type.bits - 1));
    return amount.of[i] < type.bits ? value.of[i] >> amount.of[i] : 0;
  });
}

// shf: 64 bits (b, a) shifted; the high half of a left shift, the low half of a right one.
void funnelShift(const Operation &op, uint64_t *r) {
  Type type{Kind::Bits, 32};
  uint64_t both = read(op, 2, r, type) << 32 | read(op, 1, r, type), amount = read(op, 3, r, type);
  amount = op.has("wrap") ? amount & 31 : std::min<uint64_t>(amount, 32);
  write(op, r, op.has("l") ? both << amount >> 32 : both >> amount, type);
}

void permute(const Operation &op, uint64_t *r) {
  Type type{Kind::Bits, 32};
  uint64_t bytes = read(op, 2, r, type) << 32 | read(op, 1, r, type), selector = read(op, 3, r, type), result = 0;
  for (int i = 0; i < 4; ++i) {
    uint64_t nibble = selector >> (4 * i) & 15, byte = bytes >> (8 * (nibble & 7)) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  write(op, r, result, type);
}

void lookUp3(const Operation &op, uint64_t *r) {
  Type type{Kind::Bits, 32};
  uint64_t a = read(op, 1, r, type), b = read(op, 2, r, type), c = read(op, 3, r, type), table = read(op, 4, r, type),
           result = 0;
  for (int i = 0; i < 32; ++i) {
    uint64_t row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    result |= (table >> row & 1) << i;
  }
  write(op, r, result, type);
}

void extractBits(const Operation &op, uint64_t *r) {
  Type type = op.type;
  uint64_t value = read(op, 1, r, type), at = read(op, 2, r, type) & 0xff, length = read(op, 3, r, type) & 0xff;
  if (length == 0)
    return write(op, r, 0, type);
  uint64_t sign = value >> std::min<uint64_t>(std::min<uint64_t>(at + length, type.bits) - 1, type.bits - 1) & 1;
  uint64_t field = at < type.bits ? value >> at : 0;
  uint64_t kept = std::min<uint64_t>(length, at < type.bits ? type.bits - at : 0);
  field = lowBits(field, unsigned(kept));
  if (type.kind == Kind::Signed && sign)
    field |= kept >= 64 ? 0 : ~uint64_t(0) << kept;
  write(op, r, field, type);
}

void insertBits(const Operation &op, uint64_t *r) {
  Type type = op.type;
  uint64_t field = read(op, 1, r, type), value = read(op, 2, r, type), at = read(op, 3, r, type) & 0xff,
           length = read(op, 4, r, type) & 0xff;
  uint64_t mask =
      at < type.bits ? lowBits(lowBits(~uint64_t(0), unsigned(std::min<uint64_t>(length, 64))) << at, type.bits) : 0;
  write(op, r, (value & ~mask) | ((at < type.bits ? field << at : 0) & mask), type);
}

void move(const Operation &op, uint64_t *r, unsigned lanes) {
  LaneValues value(op, 1, r, op.type, lanes);
  writeEach(op, r, lanes, op.type, [&](unsigned i) { return value.of[i]; });
}

void select(const Operation &op, uint64_t *r, unsigned lanes) {
  LaneValues a(op, 1, r, op.type, lanes), b(op, 2, r, op.type, lanes), isFirst(op, 3, r, {Kind::Predicate, 1}, lanes);
  writeEach(op, r, lanes, op.type, [&](unsigned i) { return isFirst.of[i] ? a.of[i] : b.of[i]; });
}

// For which of less, equal, greater and unordered a comparison is true. "ltu" and the like are true for NaN; lo, ls, hi and hs
// are what lt, le, gt and ge are called for unsigned numbers.
enum : uint8_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
constexpr std::pair<Word, uint8_t> kComparisons[] = {{"eq", kEqual},
                                                     {"ne", kLess | kGreater},
                                                     {"lt", kLess},
                                                     {"ge", kGreater | kEqual},
                                                     {"gt", kGreater},
                                                     {"le", kLess | kEqual},
                                                     {"lo", kLess},
                                                     {"ls", kLess | kEqual},
                                                     {"hi", kGreater},
                                                     {"hs", kGreater | kEqual},
                                                     {"equ", kEqual | kUnordered},
                                                     {"neu", kLess | kGreater | kUnordered},
                                                     {"ltu", kLess | kUnordered},
                                                     {"leu", kLess | kEqual | kUnordered},
                                                     {"gtu", kGreater | kUnordered},
                                                     {"geu", kGreater | kEqual | kUnordered},
                                                     {"num", kLess | kEqual | kGreater},
                                                     {"nan", kUnordered}};

// 0: the first modifier is no comparison.
uint8_t comparisonOf(const Operation &op) {
  if (!op.modifiers.empty())
    for (auto [word, comparison] : kComparisons)
      if (op.modifiers[0] == word)
        return comparison;
  return 0;
}

uint8_t relationOf(auto a, auto b) { return a < b ? kLess : a > b ? kGreater : a == b ? kEqual : kUnordered; }

uint8_t relationOf(uint64_t a, uint64_t b, Type type, const Operation &op) {
  if (type.kind == Kind::Float || type.kind == Kind::BFloat)
    return relationOf(toDouble(flushed(a, type, op), type), toDouble(flushed(b, type, op), type));
  return type.kind == Kind::Signed ? relationOf(signedOf(a, type.bits), signedOf(b, type.bits)) : relationOf(a, b);
}

void setPredicate(const Operation &op, uint64_t *r, unsigned lanes) {
  Type type = op.type;
  LaneValues a(op, 1, r, type, lanes), b(op, 2, r, type, lanes);
  const std::vector<uint32_t> &targets = op.operands[0].registers;
  uint8_t wanted = comparisonOf(op);
  for (unsigned i = 0; i < lanes; ++i) {
    bool result = wanted & relationOf(a.of[i], b.of[i], type, op);
    r[targets[0] + i] = result;
    if (targets.size() > 1)
      r[targets[1] + i] = !result;
  }
}

uint64_t reverse(uint64_t value, unsigned bits) {
  uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i)
    result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

// As the interpreter defines division: by zero gives all ones, and nothing traps.
constexpr auto quotient = [](auto a, auto b) -> decltype(a) {
  if (b == 0)
    return decltype(a)(-1);
  if (std::is_signed_v<decltype(b)> && b == decltype(b)(-1))
    return decltype(a)(0 - uint64_t(a));
  return a / b;
};
constexpr auto remainder = [](auto a, auto b) -> decltype(a) {
  if (b == 0)
    return a;
  return std::is_signed_v<decltype(b)> && b == decltype(b)(-1) ? 0 : a % b;
};

// min and max; .relu of signed numbers: 0 where the result is below it.
template <auto function> void extremum(const Operation &op, uint64_t *r, unsigned lanes) {
  signedOrNot<function>(op, r, lanes);
  if (!op.has("relu"))
    return;
  Type type = op.type;
  LaneValues result(op, 0, r, type, lanes);
  writeEach(op, r, lanes, type, [&](unsigned i) {
    uint64_t value = result.of[i];
    for (unsigned lane = 0; lane < type.lanes; ++lane)
      if (value >> (lane * type.bits + type.bits - 1) & 1)
        value &= ~(lowBits(~uint64_t(0), type.bits) << (lane * type.bits));
    return value;
  });
}

struct IntegerRow {
  Execute execute;
  size_t operands;
  std::string_view modifiers = "";
};

} // namespace

Execute findInteger(const Operation &op) {
  using Lanes = uint64_t;
  static const std::map<std::string_view, IntegerRow> kAnyType = {
      {"mov", {move, 2}},
      {"selp", {select, 4}},
      {"setp", {setPredicate, 3, "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan ftz"}},
      {"shf", {inEach<funnelShift>, 4, "l r wrap clamp"}},
      {"prmt", {inEach<permute>, 4}},
      {"lop3", {inEach<lookUp3>, 5}}};
  static const std::map<std::string_view, IntegerRow> kIntegers = {
      {"add", {onIntegers<[](Lanes a, Lanes b, Type) { return a + b; }>, 3}},
      {"sub", {onIntegers<[](Lanes a, Lanes b, Type) { return a - b; }>, 3}},
      {"and", {onIntegers<[](Lanes a, Lanes b, Type) { return a & b; }>, 3}},
      {"or", {onIntegers<[](Lanes a, Lanes b, Type) { return a | b; }>, 3}},
      {"xor", {onIntegers<[](Lanes a, Lanes b, Type) { return a ^ b; }>, 3}},
      {"not", {onIntegers<[](Lanes a, Lanes, Type) { return ~a; }>, 2}},
      {"neg", {onIntegers<[](Lanes a, Lanes, Type) { return 0 - a; }>, 2}},
      {"abs", {onIntegers<[](Lanes a, Lanes, Type t) { return signedOf(a, t.bits) < 0 ? 0 - a : a; }>, 2}},
      {"popc", {onIntegers<[](Lanes a, Lanes, Type) { return Lanes(std::popcount(a)); }>, 2}},
      {"clz", {onIntegers<[](Lanes a, Lanes, Type t) { return Lanes(std::countl_zero(a)) - (64 - t.bits); }>, 2}},
      {"brev", {onIntegers<[](Lanes a, Lanes, Type t) { return reverse(a, t.bits); }>, 2}},
      {"min", {extremum<[](auto a, auto b) { return std::min(a, b); }>, 3, "relu"}},
      {"max", {extremum<[](auto a, auto b) { return std::max(a, b); }>, 3, "relu"}},
      {"div", {signedOrNot<quotient>, 3}},
      {"rem", {signedOrNot<remainder>, 3}},
      {"mul", {multiply, 3, "lo hi wide"}},
      {"mad", {multiply, 4, "lo hi wide"}},
      {"shl", {shiftLeft, 3}},
      {"shr", {shiftRight, 3}},
      {"bfe", {inEach<extractBits>, 4}},
      {"bfi", {inEach<insertBits>, 5}}};
  bool isInteger = op.type.kind == Kind::Bits || op.type.kind == Kind::Unsigned || op.type.kind == Kind::Signed ||
                   op.type.kind == Kind::Predicate;
  for (const auto *table : {&kAnyType, &kIntegers}) {
    auto found = table->find(op.name);
    if (found == table->end() || (table == &kIntegers && !isInteger) || op.operands.size() != found->second.operands)
      continue;
    if (op.operands[0].isImmediate || !op.hasOnly(found->second.modifiers) || op.resultType != op.type ||
        (op.name == "setp" && !comparisonOf(op)) || (op.has("wide") && op.type.bits > 32))
      return nullptr;
    return found->second.execute;
  }
  return nullptr;
}

} // namespace nereid::interp::ptx
