// Descriptor.cpp: tensor descriptors: made in the kernel, passed from the host, or read from memory, and their
// accesses.
#include "lang/builtins/Arguments.h"
#include "lang/builtins/Atomic.h"
#include "lang/builtins/BlockPointer.h"

#include "dialect/Tile.h"

namespace nereid::lang {

namespace {

using DescriptorRef = std::shared_ptr<const Descriptor>;

Tensor toBase(Emitter &emitter, const BoundArguments &args) {
  Tensor base = toTensor(emitter, args[0]);
  if (!base.type.isPointer() || base.type.isBlock())
    emitter.failAt(args.range(0), quotedName(args) + " needs a single pointer, got " + base.type.shortName(), {},
                   "TypeError");
  return base;
}

size_t countOf(const Value &value) { return itemsOf(value) ? itemsOf(value)->size() : 1; }

// The hardware wants 1 to 5 dimensions, the last one contiguous and at least 16 bytes of it in a block.
void checkGeometry(Emitter &emitter, const BoundArguments &args, const Type &block) {
  size_t rank = countOf(args[1]);
  if (rank < 1 || rank > 5)
    emitter.failAt(args.range(1), "a descriptor has 1 to 5 dimensions, got " + std::to_string(rank));
  if (countOf(args[2]) != rank)
    emitter.failAt(args.range(2), "`strides` has " + std::to_string(countOf(args[2])) + " entries but `shape` has " +
                                      std::to_string(rank));
  if (block.shape().size() != rank)
    emitter.failAt(args.range(3), "`block_shape` has " + std::to_string(block.shape().size()) +
                                      " entries but `shape` has " + std::to_string(rank));
  int64_t bytes = block.shape().back() * block.bitWidth() / 8;
  if (bytes < 16)
    emitter.failAt(args.range(3), "descriptor block shape must have at least 16 bytes in the last dimension, got " +
                                      std::to_string(block.shape().back()) + " elements of " +
                                      block.scalar().shortName() + " (" + std::to_string(bytes) + " bytes)");
  const Values *strides = itemsOf(args[2]);
  const Value &last = strides ? strides->back() : args[2];
  if (auto number = last.integer(); !number || *number != 1)
    emitter.failAt(args.range(2),
                   "the last stride of a descriptor must be the constant 1, got " +
                       (last.isTensor() ? "a run-time value" : repr(last)),
                   {"a descriptor needs a tensor that is contiguous in its last dimension"});
}

std::vector<mlir::Value> irOf(const std::vector<Tensor> &tensors) {
  std::vector<mlir::Value> values;
  for (const Tensor &tensor : tensors)
    values.push_back(tensor.ir);
  return values;
}

Value makeDescriptor(Emitter &emitter, const Tensor &base, std::vector<Tensor> shape, std::vector<Tensor> strides,
                     const Type &block, bool nanPadding) {
  auto irType = tile::DescType::get(emitter.context(), mlir::cast<mlir::RankedTensorType>(block.ir(emitter.context())));
  auto result = std::make_shared<Descriptor>();
  result->ir = emitter.create<tile::MakeDescOp>(irType, base.ir, irOf(shape), irOf(strides),
                                                nanPadding ? tile::Padding::NaN : tile::Padding::Zero);
  result->block = block;
  result->shape = std::move(shape);
  result->strides = std::move(strides);
  result->nanPadding = nanPadding;
  return DescriptorRef(std::move(result));
}

// Extents may have 64 bits in the kernel; the descriptor keeps 32.
std::vector<Tensor> toExtents(Emitter &emitter, const Value &value) {
  std::vector<Tensor> extents = toScalars(emitter, value, Scalar::Int64, "`shape`");
  for (Tensor &extent : extents)
    extent = castTo(emitter, extent, Scalar::Int32);
  return extents;
}

Value emitMake(Emitter &emitter, const BoundArguments &args) {
  Tensor base = toBase(emitter, args);
  Type block = base.type.pointee().withShape(toShape(emitter, args[3]));
  checkGeometry(emitter, args, block);
  std::string padding = toConstantString(emitter, args[4], "`padding_option`");
  if (padding != "" && padding != "zero" && padding != "nan")
    emitter.failAt(args.range(4), "`padding_option` must be `zero` or `nan`, got `" + padding + "`");
  if (padding == "nan" && block.isInt())
    emitter.failAt(args.range(4),
                   "`padding_option` `nan` needs a floating-point tensor, got " + block.scalar().shortName());
  return makeDescriptor(emitter, base, toExtents(emitter, args[1]),
                        toScalars(emitter, args[2], Scalar::Int64, "`strides`"), block, padding == "nan");
}

// A descriptor in memory, as tl.extra.cuda.experimental_device_tensormap_create writes it (Cuda.cpp): the address, then
// the extents, as 64-bit words; the tensor is contiguous.
Value loadDescriptor(Emitter &emitter, const Tensor &pointer, const Type &block) {
  using enum syntax::BinaryOperator;
  Tensor words = castTo(emitter, pointer, Type::pointer(Scalar::Int64));
  auto word = [&](size_t index) {
    Tensor at = emitBinary(emitter, Add, words, int64_t(index)).tensor();
    return Tensor{emitter.create<tile::LoadOp>(emitter.builder.getI64Type(), at.ir, mlir::Value(), mlir::Value()),
                  Scalar::Int64};
  };
  Tensor base = castTo(emitter, word(0), Type::pointer(block.scalar()));
  size_t rank = block.shape().size();
  std::vector<Tensor> shape(rank), strides(rank);
  Tensor stride = constant(emitter, Scalar::Int64, 1);
  for (size_t i = rank; i-- > 0;) {
    Tensor extent = word(i + 1);
    shape[i] = castTo(emitter, extent, Scalar::Int32);
    strides[i] = stride;
    stride = emitBinary(emitter, Mult, stride, extent, false).tensor();
  }
  return makeDescriptor(emitter, base, std::move(shape), std::move(strides), block, false);
}

// A descriptor value as it is, or one read through a pointer to it.
Value toDescriptor(Emitter &emitter, const Value &value, const Type &block, SourceRange range) {
  if (value.constant<Descriptor>())
    return value;
  if (value.isTensor() && value.tensor().type.isPointer() && !value.tensor().type.isBlock())
    return loadDescriptor(emitter, value.tensor(), block);
  emitter.failAt(range, "expected a descriptor or a pointer to one, got " + typeName(value), {}, "TypeError");
}

Value emitReinterpret(Emitter &emitter, const BoundArguments &args) {
  Type block = toScalarType(emitter, args[2], "`dtype`").withShape(toShape(emitter, args[1]));
  return toDescriptor(emitter, args[0], block, args.range(0));
}

const Descriptor &descriptorArgument(Emitter &emitter, const BoundArguments &args) {
  auto *descriptor = args[0].constant<Descriptor>();
  if (!descriptor)
    emitter.failAt(args.range(0), quotedName(args) + " needs a tensor descriptor, got " + typeName(args[0]),
                   {"make one with `tl.make_tensor_descriptor`"}, "TypeError");
  return *descriptor;
}

std::vector<mlir::Value> toOffsets(Emitter &emitter, const Descriptor &descriptor, const Value &value,
                                   SourceRange range) {
  std::vector<Tensor> offsets = toScalars(emitter, value, Scalar::Int32, "offsets of a descriptor");
  if (offsets.size() != descriptor.block.shape().size())
    emitter.failAt(range, "the descriptor has " + std::to_string(descriptor.block.shape().size()) +
                              " dimensions, but " + std::to_string(offsets.size()) + " offsets are given");
  return irOf(offsets);
}

Tensor loadBlock(Emitter &emitter, const Descriptor &descriptor, const std::vector<mlir::Value> &offsets) {
  return {emitter.create<tile::DescLoadOp>(descriptor.block.ir(emitter.context()), descriptor.ir, offsets),
          descriptor.block};
}

// The value in the block's type and shape. A scalar fills the block.
Tensor toBlock(Emitter &emitter, const Descriptor &descriptor, const Value &value, SourceRange range) {
  Tensor tensor = castTo(emitter, toTensor(emitter, value), descriptor.block.scalar());
  if (tensor.type.isBlock() && tensor.type.shape() != descriptor.block.shape())
    emitter.failAt(range, "`value` is " + tensor.type.shortName() + " but the descriptor's block is " +
                              descriptor.block.shortName());
  return broadcastTo(emitter, tensor, descriptor.block.shape());
}

Value emitLoad(Emitter &emitter, const BoundArguments &args) {
  const Descriptor &descriptor = descriptorArgument(emitter, args);
  return loadBlock(emitter, descriptor, toOffsets(emitter, descriptor, args[1], args.range(1)));
}

Value emitStore(Emitter &emitter, const BoundArguments &args) {
  const Descriptor &descriptor = descriptorArgument(emitter, args);
  auto offsets = toOffsets(emitter, descriptor, args[1], args.range(1));
  emitter.create<tile::DescStoreOp>(descriptor.ir, offsets, toBlock(emitter, descriptor, args[2], args.range(2)).ir);
  return None{};
}

Value emitOldLoad(Emitter &emitter, const BoundArguments &args) {
  Type block = toScalarType(emitter, args[3], "`dtype`").withShape(toShape(emitter, args[2]));
  Value object = toDescriptor(emitter, args[0], block, args.range(0));
  const Descriptor &descriptor = *object.constant<Descriptor>();
  return loadBlock(emitter, descriptor, toOffsets(emitter, descriptor, args[1], args.range(1)));
}

Value emitOldStore(Emitter &emitter, const BoundArguments &args) {
  Tensor value = toTensor(emitter, args[1]);
  Value object = toDescriptor(emitter, args[0], value.type, args.range(0));
  const Descriptor &descriptor = *object.constant<Descriptor>();
  auto offsets = toOffsets(emitter, descriptor, args[2], args.range(2));
  emitter.create<tile::DescStoreOp>(descriptor.ir, offsets, toBlock(emitter, descriptor, value, args.range(1)).ir);
  return None{};
}

void checkReducible(Emitter &emitter, const BoundArguments &args, const Type &element, tile::RmwKind kind) {
  using enum tile::RmwKind;
  bool isHalf = element.scalarKind() == Scalar::Fp16 || element.scalarKind() == Scalar::Bf16;
  bool isWideInt = element.isInt() && element.bitWidth() >= 32;
  bool allowed = isWideInt || (kind == Add && (isHalf || element.scalarKind() == Scalar::Fp32)) ||
                 ((kind == Max || kind == Min) && isHalf);
  if (!allowed)
    emitter.failAt(args.range(0), quotedName(args) + " of a descriptor does not support " + element.shortName());
}

template <tile::RmwKind kind> Value emitReduce(Emitter &emitter, const BoundArguments &args) {
  const Descriptor &descriptor = descriptorArgument(emitter, args);
  checkReducible(emitter, args, descriptor.block.scalar(), kind);
  auto offsets = toOffsets(emitter, descriptor, args[1], args.range(1));
  Tensor value = toBlock(emitter, descriptor, args[2], args.range(2));
  emitter.create<tile::DescReduceOp>(rmwKindFor(kind, descriptor.block.scalar()), descriptor.ir, offsets, value.ir);
  return None{};
}

// The rows of a gather or scatter, as i32, after checking what the hardware can do.
Tensor toRows(Emitter &emitter, const BoundArguments &args, const Descriptor &descriptor, size_t index) {
  const Shape &block = descriptor.block.shape();
  if (block.size() != 2 || block[0] != 1)
    emitter.failAt(args.range(0), quotedName(args) + " needs a descriptor whose block is one row, got " +
                                      descriptor.block.shortName());
  Tensor rows = toTensor(emitter, args[index]);
  if (rows.type.shape().size() != 1 || !rows.type.isInt() || rows.type.bitWidth() > 32)
    emitter.failAt(args.range(index), "the rows must be a 1-D tensor of 32-bit integers, got " + rows.type.shortName(),
                   {}, "TypeError");
  if (rows.type.elementCount() < 8)
    emitter.failAt(args.range(index),
                   quotedName(args) + " takes at least 8 rows, got " + std::to_string(rows.type.elementCount()));
  int64_t least = 32 / int64_t(descriptor.block.bitWidth()) * 8;
  if (block[1] < least)
    emitter.failAt(args.range(0), quotedName(args) + " of " + descriptor.block.scalar().shortName() +
                                      " takes at least " + std::to_string(least) + " columns, got " +
                                      std::to_string(block[1]));
  return castTo(emitter, rows, Scalar::Int32);
}

mlir::Value toColumn(Emitter &emitter, const BoundArguments &args, size_t index) {
  return toScalars(emitter, args[index], Scalar::Int32, "the column offset").front().ir;
}

Value emitGather(Emitter &emitter, const BoundArguments &args) {
  const Descriptor &descriptor = descriptorArgument(emitter, args);
  Tensor rows = toRows(emitter, args, descriptor, 1);
  Type type = descriptor.block.withShape({rows.type.elementCount(), descriptor.block.shape()[1]});
  return Tensor{emitter.create<tile::DescGatherOp>(type.ir(emitter.context()), descriptor.ir, rows.ir,
                                                   toColumn(emitter, args, 2)),
                type};
}

Value emitScatter(Emitter &emitter, const BoundArguments &args) {
  const Descriptor &descriptor = descriptorArgument(emitter, args);
  Tensor rows = toRows(emitter, args, descriptor, 2);
  Type type = descriptor.block.withShape({rows.type.elementCount(), descriptor.block.shape()[1]});
  Tensor value = castTo(emitter, toTensor(emitter, args[1]), type.scalar());
  if (!(value.type == type))
    emitter.failAt(args.range(1),
                   "`value` is " + value.type.shortName() + " but the rows and the block make " + type.shortName());
  emitter.create<tile::DescScatterOp>(descriptor.ir, rows.ir, toColumn(emitter, args, 3), value.ir);
  return None{};
}

} // namespace

BuiltinTable descriptorBuiltins() {
  static const Builtin kRows[] = {
      {"make_tensor_descriptor(base, shape, strides, block_shape, padding_option=\"zero\")",
       "A descriptor of a strided tensor in memory.", emitMake},
      {"load_tensor_descriptor(desc, offsets)", "Read the block at the offsets.", emitLoad},
      {"store_tensor_descriptor(desc, offsets, value)", "Write the block at the offsets.", emitStore},
      {"reinterpret_tensor_descriptor(desc_ptr, block_shape, dtype)", "The descriptor that lies in memory.",
       emitReinterpret},
      {"_experimental_make_tensor_descriptor(base, shape, strides, block_shape, padding_option=\"zero\")",
       "Older name of `make_tensor_descriptor`.", emitMake},
      {"_experimental_reinterpret_tensor_descriptor(desc_ptr, block_shape, dtype)",
       "Older name of `reinterpret_tensor_descriptor`.", emitReinterpret},
      {"_experimental_descriptor_load(desc_pointer, offsets, shape, dtype)",
       "Read a block through a descriptor in memory.", emitOldLoad},
      {"_experimental_descriptor_store(desc_pointer, value, offsets)", "Write a block through a descriptor in memory.",
       emitOldStore},
  };
  return {"tl", kRows};
}

BuiltinTable descriptorMethods() {
  using enum tile::RmwKind;
  static const Builtin kRows[] = {
      {"load(self, offsets)", "Read the block at the offsets.", emitLoad},
      {"store(self, offsets, value)", "Write the block at the offsets.", emitStore},
      {"atomic_add(self, offsets, value)", "Add the block to memory.", emitReduce<Add>},
      {"atomic_max(self, offsets, value)", "The larger values into memory.", emitReduce<Max>},
      {"atomic_min(self, offsets, value)", "The smaller values into memory.", emitReduce<Min>},
      {"atomic_and(self, offsets, value)", "Bitwise and into memory.", emitReduce<And>},
      {"atomic_or(self, offsets, value)", "Bitwise or into memory.", emitReduce<Or>},
      {"atomic_xor(self, offsets, value)", "Bitwise exclusive or into memory.", emitReduce<Xor>},
      {"gather(self, x_offsets, y_offset)", "Read rows, from a column on.", emitGather},
      {"scatter(self, value, x_offsets, y_offset)", "Write rows, from a column on.", emitScatter},
  };
  return {"descriptor", kRows};
}

} // namespace nereid::lang
