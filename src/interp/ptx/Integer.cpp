// Integer.cpp: moves, bits, integer arithmetic, comparisons and selection.
#include "interp/ptx/Ptx.h"

#include <algorithm>
#include <bit>
#include <map>
#include <type_traits>

namespace nereid::interp::ptx {

uint64_t read(const Operation &operation, size_t index, const uint64_t *registers, Type type) {
  const Operand &operand = operation.operands[index];
  uint64_t value = 0;
  if (operand.isImmediate) {
    value = operand.immediate;
  } else if (operand.isVector) {
    unsigned part = type.width() / unsigned(operand.registers.size());
    for (size_t i = 0; i < operand.registers.size(); ++i)
      value |= lowBits(registers[operand.registers[i]], part) << (part * i);
  } else {
    value = registers[operand.registers[0]];
  }
  return lowBits(operand.isNegated ? ~value : value, type.width());
}

void write(const Operation &operation, uint64_t *registers, uint64_t value, Type type) {
  const Operand &operand = operation.operands[0];
  if (!operand.isVector) {
    registers[operand.registers.empty() ? 0 : operand.registers[0]] = lowBits(value, type.width());
    return;
  }
  unsigned part = type.width() / unsigned(operand.registers.size());
  for (size_t i = 0; i < operand.registers.size(); ++i)
    registers[operand.registers[i]] = lowBits(value >> (part * i), part);
}

namespace {

int64_t signedOf(uint64_t value, unsigned bits) { return int64_t(value << (64 - bits)) >> (64 - bits); }

// An operation on the lanes of one type: f(a, b, c, type).
template <auto function> void onIntegers(const Operation &op, uint64_t *r) {
  Type type = op.type;
  uint64_t in[3] = {0, 0, 0}, result = 0;
  for (size_t i = 1; i < op.operands.size() && i < 4; ++i)
    in[i - 1] = read(op, i, r, type);
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    unsigned shift = lane * type.bits;
    auto part = [&](uint64_t value) { return lowBits(value >> shift, type.bits); };
    result |= lowBits(function(part(in[0]), part(in[1]), part(in[2]), type), type.bits) << shift;
  }
  write(op, r, result, type);
}

template <auto function> void signedOrNot(const Operation &op, uint64_t *r) {
  onIntegers<[](uint64_t a, uint64_t b, uint64_t, Type type) -> uint64_t {
    if (type.kind == Kind::Signed)
      return uint64_t(function(signedOf(a, type.bits), signedOf(b, type.bits)));
    return uint64_t(function(a, b));
  }>(op, r);
}

// mul and mad: .lo, .hi or .wide of the product, plus c.
void multiply(const Operation &op, uint64_t *r) {
  Type type = op.type;
  uint64_t a = read(op, 1, r, type), b = read(op, 2, r, type);
  __int128 product = type.kind == Kind::Signed ? __int128(signedOf(a, type.bits)) * signedOf(b, type.bits)
                                               : __int128(static_cast<unsigned __int128>(a) * b);
  Type wide = type;
  if (op.has("wide"))
    wide.bits *= 2;
  uint64_t value = uint64_t(op.has("hi") ? product >> type.bits : product);
  if (op.operands.size() > 3)
    value += read(op, 3, r, wide);
  write(op, r, value, wide);
}

void shift(const Operation &op, uint64_t *r) {
  Type type = op.type;
  uint64_t value = read(op, 1, r, type), amount = read(op, 2, r, {Kind::Unsigned, 32});
  bool isLeft = op.name == "shl";
  if (isLeft)
    value = amount < type.bits ? value << amount : 0;
  else if (type.kind == Kind::Signed)
    value = uint64_t(signedOf(value, type.bits) >> std::min<uint64_t>(amount, type.bits - 1));
  else
    value = amount < type.bits ? value >> amount : 0;
  write(op, r, value, type);
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

void move(const Operation &op, uint64_t *r) { write(op, r, read(op, 1, r, op.type), op.type); }

void select(const Operation &op, uint64_t *r) {
  bool isFirst = read(op, 3, r, {Kind::Predicate, 1});
  write(op, r, read(op, isFirst ? 1 : 2, r, op.type), op.type);
}

bool compareOrdered(std::string_view how, auto a, auto b) {
  if (how == "eq")
    return a == b;
  if (how == "ne")
    return a != b;
  if (how == "lt" || how == "lo")
    return a < b;
  if (how == "le" || how == "ls")
    return a <= b;
  return how == "gt" || how == "hi" ? a > b : a >= b;
}

void setPredicate(const Operation &op, uint64_t *r) {
  Type type = op.type;
  uint64_t a = flushed(read(op, 1, r, type), type, op), b = flushed(read(op, 2, r, type), type, op);
  std::string_view how = op.modifiers[0];
  bool result;
  if (type.kind == Kind::Float || type.kind == Kind::BFloat) {
    double x = toDouble(a, type), y = toDouble(b, type);
    bool isUnordered = x != x || y != y;
    // "ltu" and the like are true for NaN; so is "nan", and "num" is its opposite.
    if (how == "nan" || how == "num")
      result = isUnordered == (how == "nan");
    else if (how.size() == 3 && how.back() == 'u')
      result = isUnordered || compareOrdered(how.substr(0, 2), x, y);
    else
      result = !isUnordered && compareOrdered(how, x, y);
  } else if (type.kind == Kind::Signed) {
    result = compareOrdered(how, signedOf(a, type.bits), signedOf(b, type.bits));
  } else {
    result = compareOrdered(how == "hs" ? "ge" : how, a, b);
  }
  const std::vector<uint32_t> &targets = op.operands[0].registers;
  r[targets[0]] = result;
  if (targets.size() > 1)
    r[targets[1]] = !result;
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
template <auto function> void extremum(const Operation &op, uint64_t *r) {
  signedOrNot<function>(op, r);
  if (!op.has("relu"))
    return;
  Type type = op.type;
  uint64_t value = read(op, 0, r, type);
  for (unsigned lane = 0; lane < type.lanes; ++lane)
    if (value >> (lane * type.bits + type.bits - 1) & 1)
      value &= ~(lowBits(~uint64_t(0), type.bits) << (lane * type.bits));
  write(op, r, value, type);
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
      {"shf", {funnelShift, 4, "l r wrap clamp"}},
      {"prmt", {permute, 4}},
      {"lop3", {lookUp3, 5}}};
  static const std::map<std::string_view, IntegerRow> kIntegers = {
      {"add", {onIntegers<[](Lanes a, Lanes b, Lanes, Type) { return a + b; }>, 3}},
      {"sub", {onIntegers<[](Lanes a, Lanes b, Lanes, Type) { return a - b; }>, 3}},
      {"and", {onIntegers<[](Lanes a, Lanes b, Lanes, Type) { return a & b; }>, 3}},
      {"or", {onIntegers<[](Lanes a, Lanes b, Lanes, Type) { return a | b; }>, 3}},
      {"xor", {onIntegers<[](Lanes a, Lanes b, Lanes, Type) { return a ^ b; }>, 3}},
      {"not", {onIntegers<[](Lanes a, Lanes, Lanes, Type) { return ~a; }>, 2}},
      {"neg", {onIntegers<[](Lanes a, Lanes, Lanes, Type) { return 0 - a; }>, 2}},
      {"abs", {onIntegers<[](Lanes a, Lanes, Lanes, Type t) { return signedOf(a, t.bits) < 0 ? 0 - a : a; }>, 2}},
      {"popc", {onIntegers<[](Lanes a, Lanes, Lanes, Type) { return Lanes(std::popcount(a)); }>, 2}},
      {"clz",
       {onIntegers<[](Lanes a, Lanes, Lanes, Type t) { return Lanes(std::countl_zero(a)) - (64 - t.bits); }>, 2}},
      {"brev", {onIntegers<[](Lanes a, Lanes, Lanes, Type t) { return reverse(a, t.bits); }>, 2}},
      {"min", {extremum<[](auto a, auto b) { return std::min(a, b); }>, 3, "relu"}},
      {"max", {extremum<[](auto a, auto b) { return std::max(a, b); }>, 3, "relu"}},
      {"div", {signedOrNot<quotient>, 3}},
      {"rem", {signedOrNot<remainder>, 3}},
      {"mul", {multiply, 3, "lo hi wide"}},
      {"mad", {multiply, 4, "lo hi wide"}},
      {"shl", {shift, 3}},
      {"shr", {shift, 3}},
      {"bfe", {extractBits, 4}},
      {"bfi", {insertBits, 5}}};
  bool isInteger = op.type.kind == Kind::Bits || op.type.kind == Kind::Unsigned || op.type.kind == Kind::Signed ||
                   op.type.kind == Kind::Predicate;
  for (const auto *table : {&kAnyType, &kIntegers}) {
    auto found = table->find(op.name);
    if (found == table->end() || (table == &kIntegers && !isInteger) || op.operands.size() != found->second.operands)
      continue;
    if (op.operands[0].isImmediate || !op.hasOnly(found->second.modifiers) || op.resultType != op.type)
      return nullptr;
    return found->second.execute;
  }
  return nullptr;
}

} // namespace nereid::interp::ptx
