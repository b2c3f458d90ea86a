// Memory.cpp: load and store through pointers, tiles of pointers, and block pointers.
#include "lang/builtins/BlockPointer.h"

#include "dialect/Tile.h"

#include <limits>

namespace nereid::lang {

namespace {

using Choices = std::vector<std::string_view>;

// One of the allowed words; the index in `allowed`.
size_t toChoice(Emitter &emitter, const BoundArguments &args, size_t index, std::string_view what,
                const Choices &allowed) {
  std::string word = toConstantString(emitter, args[index], what);
  std::string list;
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (word == allowed[i])
      return i;
    if (!allowed[i].empty())
      list += (list.empty() ? "`" : ", `") + std::string(allowed[i]) + "`";
  }
  emitter.failAt(args.range(index), std::string(what) + " must be one of " + list + ", got `" + word + "`");
}

tile::CacheModifier loadCache(Emitter &emitter, const BoundArguments &args, size_t index) {
  using enum tile::CacheModifier;
  static constexpr tile::CacheModifier kCaches[] = {None, CA, CG, CS, CV};
  return kCaches[toChoice(emitter, args, index, "`cache_modifier` of a load", {"", ".ca", ".cg", ".cs", ".cv"})];
}

tile::CacheModifier storeCache(Emitter &emitter, const BoundArguments &args, size_t index) {
  using enum tile::CacheModifier;
  static constexpr tile::CacheModifier kCaches[] = {None, WB, CG, CS, WT};
  return kCaches[toChoice(emitter, args, index, "`cache_modifier` of a store", {"", ".wb", ".cg", ".cs", ".wt"})];
}

tile::EvictionPolicy eviction(Emitter &emitter, const BoundArguments &args, size_t index) {
  using enum tile::EvictionPolicy;
  static constexpr tile::EvictionPolicy kPolicies[] = {Normal, First, Last, Normal};
  return kPolicies[toChoice(emitter, args, index, "`eviction_policy`",
                            {"", "evict_first", "evict_last", "evict_normal"})];
}

std::vector<std::string> helpForPointer(const BoundArguments &args, std::string_view what) {
  const Value &second = args[1];
  if (what == "store" && second.isTensor() && second.tensor().type.isPointer())
    return {"the pointer comes first: `tl.store(pointer, value)`"};
  if (args[0].isTensor() && args[0].tensor().type.isInt())
    return {"offsets are added to a pointer, which comes from a parameter: `tl." + std::string(what) + "(p + offsets" +
            (what == "store" ? ", value" : "") + ")`"};
  return {};
}

Tensor toPointer(Emitter &emitter, const BoundArguments &args, std::string_view what) {
  if (!args[0].isTensor() || !args[0].tensor().type.isPointer())
    emitter.failAt(args.range(0),
                   "`" + std::string(what) + "` needs a pointer, got " +
                       (args[0].isTensor() ? args[0].tensor().type.shortName() : typeName(args[0])),
                   helpForPointer(args, what), "TypeError");
  Tensor pointer = args[0].tensor();
  if (pointer.type.pointee().isVoid())
    emitter.failAt(args.range(0), "`" + std::string(what) + "` through a pointer to void",
                   {"cast it: `p.to(tl.pointer_type(tl.float32))`"}, "TypeError");
  return pointer;
}

// In memory a boolean is a byte.
Tensor asBytes(Emitter &emitter, const Tensor &pointer) {
  if (!pointer.type.pointee().isBool())
    return pointer;
  return castTo(emitter, pointer,
                Type::pointer(Scalar::Int8, pointer.type.isConstPointer(), pointer.type.addressSpace()));
}

Tensor toMask(Emitter &emitter, const Value &value, SourceRange range) {
  Tensor mask = toTensor(emitter, value);
  if (!mask.type.isBool())
    emitter.failAt(range, "`mask` must be boolean, got " + mask.type.shortName(),
                   {mask.type.isInt()
                        ? "compare: `offsets < n`; offsets themselves are added to the pointer: `p + offsets`"
                        : "compare: `mask != 0`"});
  return mask;
}

void checkScalar(Emitter &emitter, const Tensor &tensor, std::string_view what, SourceRange range) {
  if (tensor.type.isBlock())
    emitter.failAt(range,
                   "`" + std::string(what) + "` is " + tensor.type.shortName() + " but the pointer is a single pointer",
                   {"add an offset of that shape to the pointer"});
}

// A mask or value has the shape of the pointer, or one that broadcasts with it.
void checkFits(Emitter &emitter, const Tensor &pointer, const Tensor &tensor, std::string_view what,
               SourceRange range) {
  const Shape &a = pointer.type.shape(), &b = tensor.type.shape();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    int64_t left = a[a.size() - 1 - i], right = b[b.size() - 1 - i];
    if (left != right && left != 1 && right != 1)
      emitter.failAt(range,
                     "`" + std::string(what) + "` is " + tensor.type.shortName() + " but the pointer is " +
                         pointer.type.shortName(),
                     {"both need the same shape"});
  }
}

void checkNoBoundaries(Emitter &emitter, const BoundArguments &args, size_t boundaryIndex) {
  const Values *dimensions = itemsOf(args[boundaryIndex]);
  if (dimensions ? !dimensions->empty() : !args[boundaryIndex].isNone())
    emitter.failAt(args.range(boundaryIndex),
                   "`boundary_check` needs a block pointer; the extents of a plain pointer are not known",
                   {"use `mask`, or make the pointer with `tl.make_block_ptr`"});
}

Tensor createLoad(Emitter &emitter, const BoundArguments &args, const Tensor &pointer, const Tensor *mask,
                  const Tensor *other) {
  Type type = pointer.type.withScalar(pointer.type.pointee());
  bool isVolatile = toConstantBool(emitter, args[7], "`volatile`");
  auto op = emitter.create<tile::LoadOp>(type.ir(emitter.context()), pointer.ir, mask ? mask->ir : mlir::Value(),
                                         other ? other->ir : mlir::Value(), loadCache(emitter, args, 5),
                                         eviction(emitter, args, 6), isVolatile);
  return {op, type};
}

// What a load gives outside the tensor. Without `padding_option` it is undefined by the book; kernels rely on the
// zero that every release gave.
Tensor padding(Emitter &emitter, const Type &type, bool isNaN) {
  if (isNaN && type.isInt())
    emitter.fail("`padding_option` `nan` needs a floating-point block, got " + type.shortName());
  return constant(emitter, type, isNaN ? Value(std::numeric_limits<double>::quiet_NaN()) : Value(0));
}

Value loadBlock(Emitter &emitter, const BoundArguments &args, const BlockPointer &pointer) {
  for (size_t index : {1, 2})
    if (!args[index].isNone())
      emitter.failAt(args.range(index), "a load through a block pointer takes no `mask` and no `other`",
                     {"use `boundary_check` and `padding_option`"});
  size_t option = toChoice(emitter, args, 4, "`padding_option`", {"", "zero", "nan"});
  BlockAccess access = expandBlockPointer(emitter, pointer, args[3]);
  if (!access.mask)
    return createLoad(emitter, args, access.pointers, nullptr, nullptr);
  Tensor other = padding(emitter, access.pointers.type.withScalar(access.pointers.type.pointee()), option == 2);
  return createLoad(emitter, args, access.pointers, &*access.mask, &other);
}

Value emitLoad(Emitter &emitter, const BoundArguments &args) {
  if (auto *block = args[0].constant<BlockPointer>())
    return loadBlock(emitter, args, *block);
  Tensor pointer = toPointer(emitter, args, "load");
  checkNoBoundaries(emitter, args, 3);
  if (!toConstantString(emitter, args[4], "`padding_option`").empty())
    emitter.failAt(args.range(4), "`padding_option` needs a block pointer", {"use `other`"});
  if (args[1].isNone() && !args[2].isNone())
    emitter.failAt(args.range(2), "`other` needs a `mask`: without one every element is loaded");

  std::optional<Tensor> mask, other;
  bool isBool = pointer.type.pointee().isBool();
  if (!args[1].isNone())
    mask = toMask(emitter, args[1], args.range(1));
  if (!args[2].isNone())
    other = castTo(emitter, toTensor(emitter, args[2]), isBool ? Type(Scalar::Int8) : pointer.type.pointee());
  if (!pointer.type.isBlock() && mask)
    checkScalar(emitter, *mask, "mask", args.range(1));
  if (!pointer.type.isBlock() && other)
    checkScalar(emitter, *other, "other", args.range(2));
  if (mask)
    checkFits(emitter, pointer, *mask, "mask", args.range(1));
  if (other)
    checkFits(emitter, pointer, *other, "other", args.range(2));
  std::vector<Tensor> all{pointer};
  if (mask)
    all.push_back(*mask);
  if (other)
    all.push_back(*other);
  broadcastAll(emitter, all);
  Tensor result =
      createLoad(emitter, args, asBytes(emitter, all[0]), mask ? &all[1] : nullptr, other ? &all[2] : nullptr);
  return isBool ? castTo(emitter, result, Scalar::Int1) : result;
}

void createStore(Emitter &emitter, const BoundArguments &args, const Tensor &pointer, const Tensor &value,
                 const Tensor *mask) {
  emitter.create<tile::StoreOp>(pointer.ir, value.ir, mask ? mask->ir : mlir::Value(), storeCache(emitter, args, 4),
                                eviction(emitter, args, 5));
}

void checkWritable(Emitter &emitter, const BoundArguments &args, const Type &pointer) {
  if (pointer.isConstPointer())
    emitter.failAt(args.range(0), "cannot store to a constant pointer", {"the parameter is annotated `tl.const`"});
}

Value storeBlock(Emitter &emitter, const BoundArguments &args, const BlockPointer &pointer) {
  if (!args[2].isNone())
    emitter.failAt(args.range(2), "a store through a block pointer takes no `mask`", {"use `boundary_check`"});
  checkWritable(emitter, args, pointer.base.type);
  Type element = pointer.base.type.pointee();
  Tensor value = toTensor(emitter, args[1]);
  if (value.type.isBlock() && value.type.shape() != pointer.blockShape)
    emitter.failAt(args.range(1), "`value` is " + value.type.shortName() + " but the block pointer's block is " +
                                      element.withShape(pointer.blockShape).shortName());
  if (value.type.isBlock() && !(value.type.scalar() == element) && !value.type.isBool())
    emitter.failAt(args.range(1),
                   "`value` has type " + value.type.scalar().shortName() + " but the block pointer stores " +
                       element.shortName(),
                   {"write `value.to(tl." + languageName(element) + ")`"});
  value = broadcastTo(emitter, castTo(emitter, value, element), pointer.blockShape);
  BlockAccess access = expandBlockPointer(emitter, pointer, args[3]);
  createStore(emitter, args, access.pointers, value, access.mask ? &*access.mask : nullptr);
  return None{};
}

Value emitStore(Emitter &emitter, const BoundArguments &args) {
  if (auto *block = args[0].constant<BlockPointer>())
    return storeBlock(emitter, args, *block);
  Tensor pointer = toPointer(emitter, args, "store");
  checkWritable(emitter, args, pointer.type);
  checkNoBoundaries(emitter, args, 3);
  Tensor value = toTensor(emitter, args[1]);
  std::optional<Tensor> mask;
  if (!args[2].isNone())
    mask = toMask(emitter, args[2], args.range(2));
  if (!pointer.type.isBlock()) {
    checkScalar(emitter, value, "value", args.range(1));
    if (mask)
      checkScalar(emitter, *mask, "mask", args.range(2));
  }
  checkFits(emitter, pointer, value, "value", args.range(1));
  if (mask)
    checkFits(emitter, pointer, *mask, "mask", args.range(2));
  // Casts before broadcasts: a number becomes one constant.
  if (pointer.type.pointee().isBool())
    value = castTo(emitter, castTo(emitter, value, Scalar::Int1), Scalar::Int8);
  else
    value = castTo(emitter, value, pointer.type.pointee());
  std::vector<Tensor> all{asBytes(emitter, pointer), value};
  if (mask)
    all.push_back(*mask);
  broadcastAll(emitter, all);
  if (all[0].type.shape() != pointer.type.shape())
    emitter.failAt(args.range(0), "the pointer has shape " + shapeText(pointer.type.shape()) +
                                      " but the value and mask make " + shapeText(all[0].type.shape()));
  createStore(emitter, args, all[0], all[1], mask ? &all[2] : nullptr);
  return None{};
}

} // namespace

BuiltinTable memoryBuiltins() {
  static const Builtin kRows[] = {
      {"load(pointer, mask=None, other=None, boundary_check=(), padding_option=\"\", cache_modifier=\"\", "
       "eviction_policy=\"\", volatile=False)",
       "Read from memory; where the mask is false, `other`.", emitLoad},
      {"store(pointer, value, mask=None, boundary_check=(), cache_modifier=\"\", eviction_policy=\"\")",
       "Write to memory where the mask is true.", emitStore, true},
  };
  return {"tl", kRows};
}

} // namespace nereid::lang
