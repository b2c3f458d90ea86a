// Compute.cpp: arithmetic that inline assembly of a kernel does not have (interp/ptx): carries, directed rounding, special
// registers, quotients by a reciprocal.
#include "Block.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <chrono>
#include <cmath>

namespace nereid::emulated {

namespace {

using ptx::Kind;
using ptx::Type;

// mov.u32 to, %clock
void moveSpecial(Warp &warp, const Act &act, Lanes lanes) {
  const std::string &name = act.operation().operands[1].symbol;
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t value = 0;
    if (name == "%clock" || name == "%clock64")
      value = warp.block.executed;
    else if (name == "%globaltimer")
      value = uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
    else if (name == "%smid")
      value = warp.block.index[0] % 16;
    else if (name == "%lanemask_lt")
      value = (uint64_t(1) << lane) - 1;
    else if (name == "%lanemask_eq")
      value = uint64_t(1) << lane;
    else if (name == "%nsmid")
      value = 16;
    else if (name == "%ntid.y" || name == "%ntid.z" || name.starts_with("%cluster_n") || name == "%nclusterid.x")
      value = 1;
    warp.set(act, lane, value, act.operation().type);
  });
}

// mov.b64 to, __local_depot0
void moveAddress(Warp &warp, const Act &act, Lanes lanes) {
  uint64_t address = act.operation().operands[1].immediate;
  eachLane(lanes, [&](uint32_t lane) {
    warp.set(act, lane, inFrame(address, *warp.lanes[lane].frame), act.operation().type);
  });
}

bool isKnownSpecial(const std::string &name) {
  static constexpr const char *kNames[] = {"%clock",
                                           "%clock64",
                                           "%globaltimer",
                                           "%smid",
                                           "%lanemask_lt",
                                           "%lanemask_eq",
                                           "%nsmid",
                                           "%tid.y",
                                           "%tid.z",
                                           "%ntid.y",
                                           "%ntid.z",
                                           "%cluster_ctarank",
                                           "%cluster_nctarank",
                                           "%cluster_ctaid.x",
                                           "%cluster_nctaid.x",
                                           "%clusterid.x",
                                           "%nclusterid.x"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// add.cc.u32, addc.u32, sub.cc, subc, mad.lo.cc, madc.hi: with a carry from one to the next
void carry(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  Type type = operation.type;
  bool takes = operation.name.ends_with('c'), isDifference = operation.name.starts_with("sub"),
       multiplies = operation.name.starts_with("mad");
  eachLane(lanes, [&](uint32_t lane) {
    unsigned __int128 a = warp.value(act, 1, lane), b = warp.value(act, 2, lane);
    if (multiplies) {
      unsigned __int128 product = a * b;
      if (type.kind == Kind::Signed)
        product =
            static_cast<unsigned __int128>(__int128(int64_t(uint64_t(a) << (64 - type.bits)) >> (64 - type.bits)) *
                                           (int64_t(uint64_t(b) << (64 - type.bits)) >> (64 - type.bits)));
      a = ptx::lowBits(uint64_t(operation.has("hi") ? product >> type.bits : product), type.bits);
      b = warp.value(act, 3, lane);
    }
    bool &flag = warp.lanes[lane].carry;
    unsigned __int128 sum = isDifference ? a - b - (takes && flag) : a + b + (takes && flag);
    if (operation.has("cc"))
      flag = sum >> type.bits & 1;
    warp.set(act, lane, uint64_t(sum), type);
  });
}

template <class T> T roundedTo(const std::string &name, T a, T b, T c) {
  volatile T x = a, y = b, z = c, result;
  if (name == "add")
    result = x + y;
  else if (name == "sub")
    result = x - y;
  else if (name == "mul")
    result = x * y;
  else if (name == "div")
    result = x / y;
  else if (name == "rcp")
    result = T(1) / x;
  else if (name == "sqrt")
    result = std::sqrt(x);
  else
    result = std::fma(x, y, z);
  return result;
}

// add.rz.f32, fma.rm.f64
void directed(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  std::fesetround(operation.has("rz")   ? FE_TOWARDZERO
                  : operation.has("rm") ? FE_DOWNWARD
                  : operation.has("rp") ? FE_UPWARD
                                        : FE_TONEAREST);
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t in[3] = {};
    for (size_t i = 1; i < operation.operands.size() && i < 4; ++i)
      in[i - 1] = warp.value(act, i, lane);
    uint64_t result =
        operation.type.bits == 64
            ? std::bit_cast<uint64_t>(roundedTo(operation.name, std::bit_cast<double>(in[0]),
                                                std::bit_cast<double>(in[1]), std::bit_cast<double>(in[2])))
            : std::bit_cast<uint32_t>(roundedTo(operation.name, std::bit_cast<float>(uint32_t(in[0])),
                                                std::bit_cast<float>(uint32_t(in[1])),
                                                std::bit_cast<float>(uint32_t(in[2]))));
    warp.set(act, lane, result, operation.type);
  });
  std::fesetround(FE_TONEAREST);
}

// div.full.f32, div.approx.f32: a product with the reciprocal, where that is a normal number.
void divideNearly(Warp &warp, const Act &act, Lanes lanes) {
  eachLane(lanes, [&](uint32_t lane) {
    auto a = std::bit_cast<float>(uint32_t(warp.value(act, 1, lane))),
         b = std::bit_cast<float>(uint32_t(warp.value(act, 2, lane)));
    float reciprocal = 1 / b;
    float quotient = std::isnormal(reciprocal) && std::isfinite(a) && std::isnormal(b) ? a * reciprocal : a / b;
    warp.set(act, lane, std::bit_cast<uint32_t>(quotient), kWord);
  });
}

// cvt.pack.sat.s8.s32.b32 to, a, b, c: two numbers in bytes, in front of what c has
void packBytes(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  bool isSigned = operation.has("s8") || operation.has("s16");
  unsigned bits = operation.has("s16") || operation.has("u16") ? 16 : 8;
  auto narrow = [&](uint64_t word) {
    int64_t low = isSigned ? -(int64_t(1) << (bits - 1)) : 0,
            high = isSigned ? (int64_t(1) << (bits - 1)) - 1 : (int64_t(1) << bits) - 1;
    return ptx::lowBits(uint64_t(std::clamp<int64_t>(int32_t(word), low, high)), bits);
  };
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t both = narrow(warp.value(act, 1, lane, kWord)) << bits | narrow(warp.value(act, 2, lane, kWord));
    if (operation.operands.size() > 3 && bits == 8)
      both |= warp.value(act, 3, lane, kWord) << 16;
    warp.set(act, lane, both, kWord);
  });
}

void copySign(Warp &warp, const Act &act, Lanes lanes) {
  Type type = act.operation().type;
  uint64_t sign = uint64_t(1) << (type.bits - 1);
  eachLane(lanes, [&](uint32_t lane) {
    warp.set(act, lane, (warp.value(act, 1, lane) & sign) | (warp.value(act, 2, lane) & ~sign), type);
  });
}

// testp.finite.f32 is, a
void testNumber(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  eachLane(lanes, [&](uint32_t lane) {
    double value = ptx::toDouble(warp.value(act, 1, lane), operation.type);
    bool isSubnormal = value != 0 && std::fabs(value) < (operation.type.bits == 64 ? 0x1p-1022 : 0x1p-126);
    bool is = operation.has("finite")       ? std::isfinite(value)
              : operation.has("infinite")   ? std::isinf(value)
              : operation.has("number")     ? !std::isnan(value)
              : operation.has("notanumber") ? std::isnan(value)
              : operation.has("subnormal")  ? isSubnormal
                                            : std::isfinite(value) && value != 0 && !isSubnormal;
    warp.registers(lane)[operation.operands[0].registers[0]] = is;
  });
}

// The same of three operands, two at a time: max.f32 to, a, b, c
void twice(Warp &warp, const Act &act, Lanes lanes) {
  ptx::Operation operation = act.operation();
  ptx::Operand last = operation.operands[3];
  operation.operands.pop_back();
  ptx::Execute execute = ptx::findOperation(operation);
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t third = warp.value(act, 3, lane);
    execute(operation, warp.registers(lane), 1);
    ptx::Operation second = operation;
    second.operands[1] = operation.operands[0];
    second.operands[2] = {.immediate = third, .isImmediate = true};
    execute(second, warp.registers(lane), 1);
  });
}

void assertFailed(Warp &, const Act &, Lanes) { throw Fault(Fault::Kind::Assert, "an assertion of the kernel failed"); }
void nothing(Warp &, const Act &, Lanes) {}

Act::Perform performOf(const Act &act) {
  const ptx::Operation &operation = act.operation();
  auto is = [&](const char *name) { return operation.name == name; };
  static constexpr const char *kNothing[] = {"nanosleep", "pmevent"};
  if (std::ranges::find(kNothing, operation.name) != std::end(kNothing))
    return nothing;
  if (is("call"))
    return !operation.operands.empty() && operation.operands[0].symbol.find("__assertfail") != std::string::npos
               ? assertFailed
               : nullptr;
  if (operation.operands.size() < 2 || operation.operands[0].registers.empty())
    return nullptr;
  const std::string &symbol = operation.operands[1].symbol;
  if (is("mov") && symbol.starts_with('%'))
    return isKnownSpecial(symbol) ? moveSpecial : nullptr;
  if (is("mov") && !symbol.empty())
    return moveAddress;
  if (operation.has("cc") || is("addc") || is("subc") || is("madc"))
    return carry;
  bool isPlainFloat = operation.type.kind == Kind::Float && operation.type.lanes == 1 && operation.type.bits >= 32 &&
                      !operation.has("sat");
  bool isDirected = operation.has("rz") || operation.has("rm") || operation.has("rp");
  static constexpr const char *kRounded[] = {"add", "sub", "mul", "div", "rcp", "sqrt", "fma", "mad"};
  if (isPlainFloat && isDirected && std::ranges::find(kRounded, operation.name) != std::end(kRounded))
    return directed;
  if (is("div") && isPlainFloat && (operation.has("full") || operation.has("approx")))
    return divideNearly;
  if (is("cvt") && operation.has("pack"))
    return packBytes;
  if (is("copysign"))
    return copySign;
  if (is("testp"))
    return testNumber;
  return nullptr;
}

} // namespace

bool decodeCompute(Act &act) {
  const ptx::Operation &operation = act.operation();
  if (act.callee && operation.name == "call")
    return true;
  if ((act.perform = performOf(act)))
    return true;
  if (operation.name == "call" ||
      (operation.name == "mov" && operation.operands.size() > 1 && operation.operands[1].symbol.starts_with('%')))
    return false;
  auto &own = const_cast<ptx::KernelInstruction &>(*act.instruction).operation;
  own.execute = ptx::findOperation(operation);
  if (!own.execute && operation.operands.size() == 4 && (operation.name == "min" || operation.name == "max")) {
    ptx::Operation shorter = operation;
    shorter.operands.pop_back();
    if (ptx::findOperation(shorter))
      return act.perform = twice, true;
  }
  return own.execute != nullptr;
}

} // namespace nereid::emulated
