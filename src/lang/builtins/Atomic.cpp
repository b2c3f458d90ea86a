// Atomic.cpp: read-modify-write of memory, compare-and-swap, loads and stores that order others, and waiting for a value.
#include "lang/builtins/Atomic.h"

#include "lang/builtins/Arguments.h"

namespace nereid::lang {

tile::RmwKind rmwKindFor(tile::RmwKind kind, const Type &element) {
  using enum tile::RmwKind;
  switch (kind) {
  case Add: return element.isFloat() ? FAdd : Add;
  case Max: return element.isFloat() ? FMax : element.isSignedInt() ? Max : UMax;
  case Min: return element.isFloat() ? FMin : element.isSignedInt() ? Min : UMin;
  default: return kind;
  }
}

namespace {

tile::MemSem toSem(Emitter &emitter, const BoundArguments &args, size_t index, tile::MemSem byDefault) {
  std::string word = toConstantString(emitter, args[index], "`sem`");
  if (word.empty())
    return byDefault;
  if (auto sem = tile::symbolizeMemSem(word))
    return *sem;
  emitter.failAt(args.range(index), "`sem` must be `acquire`, `release`, `acq_rel` or `relaxed`, got `" + word + "`");
}

tile::MemScope toScope(Emitter &emitter, const BoundArguments &args, size_t index) {
  std::string word = toConstantString(emitter, args[index], "`scope`");
  if (word.empty())
    return tile::MemScope::Gpu;
  if (auto scope = tile::symbolizeMemScope(word))
    return *scope;
  emitter.failAt(args.range(index), "`scope` must be `gpu`, `cta` or `sys`, got `" + word + "`");
}

Tensor toPointer(Emitter &emitter, const BoundArguments &args) {
  Tensor pointer = toTensor(emitter, args[0]);
  if (!pointer.type.isPointer())
    emitter.failAt(args.range(0), quotedName(args) + " needs a pointer, got " + pointer.type.shortName(), {},
                   "TypeError");
  if (pointer.type.isConstPointer())
    emitter.failAt(args.range(0), quotedName(args) + " writes, but the pointer is to const");
  return pointer;
}

[[noreturn]] void failElement(Emitter &emitter, const BoundArguments &args, const Type &element,
                              std::vector<std::string> notes = {}) {
  emitter.failAt(args.range(0), quotedName(args) + " does not support " + element.shortName(), std::move(notes));
}

// What memory of each type can do: 16-bit floats only add, 8-bit and 16-bit integers nothing.
void checkElement(Emitter &emitter, const BoundArguments &args, const Type &element, tile::RmwKind kind) {
  if (element.isPointer())
    failElement(emitter, args, element, {"cast the pointer to a pointer to `tl.int64`"});
  bool isHalf = element.scalarKind() == Scalar::Fp16 || element.scalarKind() == Scalar::Bf16;
  if (isHalf && kind != tile::RmwKind::Add)
    failElement(emitter, args, element, {"only `atomic_add` works on 16-bit floats"});
  if (element.bitWidth() < 16 || (element.isInt() && element.bitWidth() == 16))
    failElement(emitter, args, element, {"use 32-bit or 64-bit memory"});
  bool isBitwise = kind == tile::RmwKind::And || kind == tile::RmwKind::Or || kind == tile::RmwKind::Xor;
  if (isBitwise && !element.isInt())
    failElement(emitter, args, element, {"it works on integers"});
}

Tensor toShapeOf(Emitter &emitter, const Tensor &pointer, const Tensor &tensor, std::string_view what,
                 SourceRange range) {
  if (!pointer.type.isBlock() && tensor.type.isBlock())
    emitter.failAt(range,
                   "`" + std::string(what) + "` is " + tensor.type.shortName() + " but the pointer is a single pointer",
                   {"add an offset of that shape to the pointer, or reduce the block first: `tl.sum(x)`"});
  Session::At at(emitter.session, range);
  return broadcastTo(emitter, tensor, pointer.type.shape());
}

// None where there is none.
mlir::Value toMask(Emitter &emitter, const BoundArguments &args, size_t index, const Tensor &pointer) {
  if (args[index].isNone())
    return {};
  Tensor given = toTensor(emitter, args[index]);
  if (!given.type.isBool())
    emitter.failAt(args.range(index), "`mask` must be boolean, got " + given.type.shortName(),
                   {"compare: `mask != 0`"});
  return toShapeOf(emitter, pointer, given, "mask", args.range(index)).ir;
}

template <tile::RmwKind kind> Value emitRmw(Emitter &emitter, const BoundArguments &args) {
  Tensor pointer = toPointer(emitter, args);
  Type element = pointer.type.pointee();
  checkElement(emitter, args, element, kind);
  Tensor value =
      toShapeOf(emitter, pointer, castTo(emitter, toTensor(emitter, args[1]), element), "val", args.range(1));
  mlir::Value mask = toMask(emitter, args, 2, pointer);
  auto op = emitter.create<tile::AtomicRmwOp>(value.type.ir(emitter.context()), rmwKindFor(kind, element),
                                              toSem(emitter, args, 3, tile::MemSem::AcqRel), toScope(emitter, args, 4),
                                              pointer.ir, value.ir, mask);
  return Tensor{op, value.type};
}

// A load or store that orders others is an exchange of bits which changes nothing, or whose result nobody takes.
Tensor exchangeBits(Emitter &emitter, const BoundArguments &args, tile::RmwKind kind, const Tensor &pointer,
                    const Tensor &value, size_t rest, tile::MemSem byDefault) {
  unsigned width = pointer.type.pointee().bitWidth();
  if (width != 32 && width != 64)
    failElement(emitter, args, pointer.type.pointee(), {"use 32-bit or 64-bit memory"});
  Type bits = width == 32 ? Scalar::Int32 : Scalar::Int64;
  tile::MemSem sem = toSem(emitter, args, rest + 1, byDefault);
  if (sem != byDefault && sem != tile::MemSem::Relaxed)
    emitter.failAt(args.range(rest + 1), "`sem` of " + quotedName(args) + " must be `" +
                                             tile::stringifyMemSem(byDefault).str() + "` or `relaxed`");
  Tensor given = toShapeOf(emitter, pointer, bitcastTo(emitter, value, bits), "val", args.range(1));
  auto op = emitter.create<tile::AtomicRmwOp>(
      given.type.ir(emitter.context()), kind, sem, toScope(emitter, args, rest + 2),
      castTo(emitter, pointer, Type::pointer(bits)).ir, given.ir, toMask(emitter, args, rest, pointer));
  return Tensor{op, given.type};
}

Value emitAtomicLoad(Emitter &emitter, const BoundArguments &args) {
  Tensor pointer = toPointer(emitter, args);
  Type element = pointer.type.pointee();
  Tensor zero = castTo(emitter, toTensor(emitter, Value(0)), element.bitWidth() == 64 ? Scalar::Int64 : Scalar::Int32);
  return bitcastTo(emitter, exchangeBits(emitter, args, tile::RmwKind::Or, pointer, zero, 1, tile::MemSem::Acquire),
                   element);
}

Value emitAtomicStore(Emitter &emitter, const BoundArguments &args) {
  Tensor pointer = toPointer(emitter, args);
  Tensor value = castTo(emitter, toTensor(emitter, args[1]), pointer.type.pointee());
  exchangeBits(emitter, args, tile::RmwKind::Xchg, pointer, value, 2, tile::MemSem::Release);
  return None{};
}

Value emitCas(Emitter &emitter, const BoundArguments &args) {
  Tensor pointer = toPointer(emitter, args);
  Type element = pointer.type.pointee();
  if (unsigned bits = element.bitWidth(); bits != 16 && bits != 32 && bits != 64)
    failElement(emitter, args, element, {"use memory of 16, 32 or 64 bits"});
  Tensor expected =
      toShapeOf(emitter, pointer, castTo(emitter, toTensor(emitter, args[1]), element), "cmp", args.range(1));
  Tensor value =
      toShapeOf(emitter, pointer, castTo(emitter, toTensor(emitter, args[2]), element), "val", args.range(2));
  auto op =
      emitter.create<tile::AtomicCasOp>(value.type.ir(emitter.context()), toSem(emitter, args, 3, tile::MemSem::AcqRel),
                                        toScope(emitter, args, 4), pointer.ir, expected.ir, value.ir);
  return Tensor{op, value.type};
}

Value emitPoll(Emitter &emitter, const BoundArguments &args) {
  Tensor pointer = toTensor(emitter, args[0]);
  if (!pointer.type.isPointer() || pointer.type.isBlock())
    emitter.failAt(args.range(0), "`atomic_poll` needs a single pointer, got " + pointer.type.shortName(), {},
                   "TypeError");
  Type element = pointer.type.pointee();
  if (!element.isInt() || element.bitWidth() < 16)
    failElement(emitter, args, element, {"it waits for an integer of 16, 32 or 64 bits"});
  Tensor expected = toShapeOf(emitter, pointer, castTo(emitter, toTensor(emitter, args[1]), element), "expected_value",
                              args.range(1));
  tile::MemSem sem = toSem(emitter, args, 2, tile::MemSem::Acquire);
  if (sem != tile::MemSem::Acquire && sem != tile::MemSem::Relaxed)
    emitter.failAt(args.range(2), "`sem` of `atomic_poll` must be `acquire` or `relaxed`");
  mlir::Value timeout;
  if (!args[4].isNone()) {
    if (auto number = args[4].integer(); number && *number < 0)
      emitter.failAt(args.range(4), "`timeout_ns` must not be negative");
    Tensor given = toTensor(emitter, args[4]);
    if (!given.type.isInt() || given.type.isBlock())
      emitter.failAt(args.range(4), "`timeout_ns` must be a single integer, got " + given.type.shortName(), {},
                     "TypeError");
    timeout = castTo(emitter, given, Scalar::Int64).ir;
  }
  auto op = emitter.create<tile::AtomicPollOp>(emitter.builder.getI1Type(), sem, toScope(emitter, args, 3), pointer.ir,
                                               expected.ir, timeout);
  return Tensor{op, Scalar::Int1};
}

} // namespace

BuiltinTable atomicBuiltins() {
  using enum tile::RmwKind;
  static const Builtin kRows[] = {
      {"atomic_add(pointer, val, mask=None, sem=None, scope=None)", "Add to memory; the value from before.",
       emitRmw<Add>, true},
      {"atomic_max(pointer, val, mask=None, sem=None, scope=None)",
       "The larger value into memory; the value from before.", emitRmw<Max>, true},
      {"atomic_min(pointer, val, mask=None, sem=None, scope=None)",
       "The smaller value into memory; the value from before.", emitRmw<Min>, true},
      {"atomic_and(pointer, val, mask=None, sem=None, scope=None)", "Bitwise and into memory; the value from before.",
       emitRmw<And>, true},
      {"atomic_or(pointer, val, mask=None, sem=None, scope=None)", "Bitwise or into memory; the value from before.",
       emitRmw<Or>, true},
      {"atomic_xor(pointer, val, mask=None, sem=None, scope=None)",
       "Bitwise exclusive or into memory; the value from before.", emitRmw<Xor>, true},
      {"atomic_xchg(pointer, val, mask=None, sem=None, scope=None)", "A value into memory; the value from before.",
       emitRmw<Xchg>, true},
      {"atomic_cas(pointer, cmp, val, sem=None, scope=None)",
       "`val` into memory where it equals `cmp`; the value from before.", emitCas, true},
      {"atomic_load(pointer, mask=None, sem=None, scope=None)",
       "Read memory that others write meanwhile; what they did before is seen after it.", emitAtomicLoad, true},
      {"atomic_store(pointer, val, mask=None, sem=None, scope=None)",
       "Write memory that others read meanwhile; what was done before it is seen by them.", emitAtomicStore, true},
      {"atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None)",
       "Wait until memory equals a value; whether it did.", emitPoll, true},
  };
  return {"tl", kRows};
}

} // namespace nereid::lang
