// ExpandDescriptors.cpp: blocks of described tensors become loads and stores of pointers with masks.
//
//   before  %desc = tile.make_desc %base, [%n], [%stride];  %x = tile.desc_load %desc[%i]
//   after   %x = tile.load %base + (%i + arange) mask %i + arange < %n other 0
#include "transforms/Passes.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

// A described tensor: where its numbers come from.
struct Described {
  Value base;
  SmallVector<Value> shape, strides;
  tile::Padding padding = tile::Padding::Zero;
};

class Expander {
public:
  Expander(Operation *op, DescriptorForm form) : builder(op->getLoc(), op), op(op), form(form) {}

  bool run() {
    splitRows();
    if (auto load = dyn_cast<tile::DescLoadOp>(op))
      return expand(load.getDesc(), load.getIndices(), {}, load.getResult().getType());
    if (auto store = dyn_cast<tile::DescStoreOp>(op))
      return expand(store.getDesc(), store.getIndices(), store.getValue(), store.getValue().getType());
    if (auto reduce = dyn_cast<tile::DescReduceOp>(op))
      return expand(reduce.getDesc(), reduce.getIndices(), reduce.getValue(), reduce.getValue().getType());
    if (auto gather = dyn_cast<tile::DescGatherOp>(op)) {
      rows = gather.getRows();
      return expand(gather.getDesc(), gather.getColumn(), {}, gather.getResult().getType());
    }
    auto scatter = cast<tile::DescScatterOp>(op);
    rows = scatter.getRows();
    return expand(scatter.getDesc(), scatter.getColumn(), scatter.getValue(), scatter.getValue().getType());
  }

private:
  // A matrix whose rows are several axes of the block: pointers have the axes of the block.
  void splitRows() {
    auto isSplit = [](RankedTensorType tile, RankedTensorType block) {
      return tile.getRank() < block.getRank() && tile.getShape() != block.getShape().take_back(tile.getRank());
    };
    if (auto load = dyn_cast<tile::DescLoadOp>(op)) {
      RankedTensorType tile = load.getType(), block = load.getDesc().getType().getBlock();
      if (!isSplit(tile, block))
        return;
      load.getResult().setType(block);
      builder.setInsertionPointAfter(op);
      auto matrix = builder.create<tile::ReshapeOp>(tile, load.getResult(), false);
      load.getResult().replaceAllUsesExcept(matrix.getResult(), matrix);
      builder.setInsertionPoint(op);
      return;
    }
    auto split = [&](auto out) {
      RankedTensorType block = out.getDesc().getType().getBlock();
      if (isSplit(out.getValue().getType(), block))
        out.getValueMutable().assign(builder.create<tile::ReshapeOp>(block, out.getValue(), false));
    };
    if (auto store = dyn_cast<tile::DescStoreOp>(op))
      split(store);
    else if (auto reduce = dyn_cast<tile::DescReduceOp>(op))
      split(reduce);
  }

  std::optional<Described> describe(Value desc) {
    Described described;
    size_t rank = cast<tile::DescType>(desc.getType()).getBlock().getRank();
    if (auto make = desc.getDefiningOp<tile::MakeDescOp>()) {
      described.base = make.getBase();
      described.shape.assign(make.getShape().begin(), make.getShape().end());
      described.strides.assign(make.getStrides().begin(), make.getStrides().end());
      described.padding = make.getPadding();
      if (form == DescriptorForm::Threads)
        stateAlignment(described);
      return described;
    }
    auto argument = dyn_cast<BlockArgument>(desc);
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
    if (!function)
      return std::nullopt;
    if (function.getArgAttr(argument.getArgNumber(), "tile.nan_padding"))
      described.padding = tile::Padding::NaN;
    // The extents and the strides of a host's descriptor follow it as arguments.
    auto all = argument.getOwner()->getArguments();
    for (size_t d = 0; d < rank; ++d) {
      described.shape.push_back(all[argument.getArgNumber() + 1 + d]);
      described.strides.push_back(all[argument.getArgNumber() + 1 + rank + d]);
    }
    auto block = cast<tile::DescType>(desc.getType()).getBlock();
    described.base = builder.create<tile::PtrCastOp>(tile::PtrType::get(block.getElementType()), desc);
    return described;
  }

  // A descriptor's address and strides are multiples of 16 bytes. Of arguments the launch knows whether they are, and code for others works
  // too; of what a kernel loads nobody knows, and it is taken at its word.
  void stateAlignment(Described &described) {
    int64_t bytes =
        std::max(1u, cast<tile::PtrType>(described.base.getType()).getPointee().getIntOrFloatBitWidth() / 8);
    auto state = [&](Value &number, int64_t divisor) {
      if (divisor > 1 && isLoaded(number))
        number = builder.create<tile::HintOp>(number, builder.getDenseI64ArrayAttr({divisor}), nullptr, nullptr);
    };
    state(described.base, 16);
    for (Value &stride : MutableArrayRef(described.strides).drop_back())
      state(stride, 16 / bytes);
  }

  // Whether memory has a part in the number.
  static bool isLoaded(Value number, unsigned depth = 0) {
    constexpr unsigned kMaxDepth = 16;
    Operation *op = number.getDefiningOp();
    if (!op || depth > kMaxDepth)
      return false;
    return isa<tile::LoadOp>(op) || (op->getNumRegions() == 0 && llvm::any_of(op->getOperands(), [&](Value operand) {
                                       return isLoaded(operand, depth + 1);
                                     }));
  }

  // `line` (1-D, along dimension d) in the shape of the block.
  Value spread(Value line, unsigned d, ArrayRef<int64_t> shape) {
    auto element = getElementTypeOrSelf(line.getType());
    SmallVector<int64_t> thin(shape.size(), 1);
    thin[d] = shape[d];
    if (shape.size() > 1)
      line = builder.create<tile::ReshapeOp>(RankedTensorType::get(thin, element), line, false);
    auto type = RankedTensorType::get(shape, element);
    return line.getType() == type ? line : builder.create<tile::BroadcastOp>(type, line).getResult();
  }

  // The first axes, of one element each, which the tile has not: the base moves. Whether that is inside of the tensor.
  Value skipAxes(Described &described, ValueRange indices, size_t skipped) {
    Value inside;
    for (size_t d = 0; d < skipped; ++d) {
      Value start = builder.create<arith::ExtSIOp>(builder.getI64Type(), indices[d]);
      start = builder.create<arith::MulIOp>(start, described.strides[d]);
      described.base = builder.create<tile::AddPtrOp>(described.base.getType(), described.base, start);
      // As an unsigned number a negative index is beyond every extent.
      Value isHere = builder.create<arith::CmpIOp>(arith::CmpIPredicate::ult, indices[d], described.shape[d]);
      inside = inside ? builder.create<arith::AndIOp>(inside, isHere).getResult() : isHere;
    }
    return inside;
  }

  Value within(Value mask, Value inside) {
    if (!inside)
      return mask;
    return builder.create<arith::AndIOp>(mask, builder.create<tile::SplatOp>(mask.getType(), inside));
  }

  bool expand(Value desc, ValueRange indices, Value stored, RankedTensorType type) {
    auto described = describe(desc);
    if (!described)
      return false;
    auto shape = type.getShape();
    auto blockRank = described->shape.size();
    // The block may have dimensions of one element that the value has not.
    size_t skipped = blockRank - std::min(blockRank, shape.size());
    Value offset, mask;
    Type i64 = builder.getI64Type();
    auto combine = [&](Value &into, Value more, bool isMask) {
      into = !into    ? more
             : isMask ? builder.create<arith::AndIOp>(into, more).getResult()
                      : builder.create<arith::AddIOp>(into, more).getResult();
    };
    if (form == DescriptorForm::Threads)
      return expandForThreads(*described, indices, stored, type, skipped);
    Value isThere = rows ? Value() : skipAxes(*described, indices, skipped);
    for (size_t d = 0; d < shape.size(); ++d) {
      auto lineType = RankedTensorType::get({shape[d]}, i64);
      Value line;
      if (rows && d == 0) {
        line = builder.create<arith::ExtSIOp>(lineType, rows);
      } else {
        Value index = indices[rows ? 0 : d + skipped];
        Value lanes = builder.create<tile::ArangeOp>(RankedTensorType::get({shape[d]}, builder.getI32Type()), 0,
                                                     int32_t(shape[d]));
        Value start = builder.create<tile::SplatOp>(lineType, builder.create<arith::ExtSIOp>(i64, index));
        line = builder.create<arith::AddIOp>(start, builder.create<arith::ExtSIOp>(lineType, lanes));
      }
      Value extent =
          builder.create<tile::SplatOp>(lineType, builder.create<arith::ExtSIOp>(i64, described->shape[d + skipped]));
      Value zero = builder.create<arith::ConstantOp>(DenseElementsAttr::get(lineType, builder.getI64IntegerAttr(0)));
      Value inside =
          builder.create<arith::AndIOp>(builder.create<arith::CmpIOp>(arith::CmpIPredicate::sge, line, zero),
                                        builder.create<arith::CmpIOp>(arith::CmpIPredicate::slt, line, extent));
      combine(mask, spread(inside, unsigned(d), shape), true);
      // The last dimension of a described tensor is contiguous.
      if (d + 1 < shape.size())
        line = builder.create<arith::MulIOp>(line,
                                             builder.create<tile::SplatOp>(lineType, described->strides[d + skipped]));
      combine(offset, spread(line, unsigned(d), shape), false);
    }
    Value base =
        builder.create<tile::SplatOp>(RankedTensorType::get(shape, described->base.getType()), described->base);
    Value pointers = builder.create<tile::AddPtrOp>(base.getType(), base, offset);
    finish(pointers, within(mask, isThere), stored, type, described->padding);
    return true;
  }

  // For many threads: what is the same for the whole block is computed as a scalar, and only 32-bit numbers are
  // compared.
  bool expandForThreads(Described described, ValueRange indices, Value stored, RankedTensorType type, size_t skipped) {
    auto shape = type.getShape();
    Value isThere = rows ? Value() : skipAxes(described, indices, skipped);
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    Value base = described.base, offset, mask;
    for (size_t d = 0; d < shape.size(); ++d) {
      auto lineType = RankedTensorType::get({shape[d]}, i32), wideType = RankedTensorType::get({shape[d]}, i64);
      bool isLast = d + 1 == shape.size();
      Value line, steps;
      if (rows && d == 0) {
        line = steps = rows;
      } else {
        Value index = indices[rows ? 0 : d + skipped];
        steps = builder.create<tile::ArangeOp>(lineType, 0, int32_t(shape[d]));
        line = builder.create<arith::AddIOp>(builder.create<tile::SplatOp>(lineType, index), steps);
        Value start = builder.create<arith::ExtSIOp>(i64, index);
        if (!isLast)
          start = builder.create<arith::MulIOp>(start, described.strides[d + skipped]);
        base = builder.create<tile::AddPtrOp>(base.getType(), base, start);
      }
      // As an unsigned number a negative index is beyond every extent.
      Value extent = builder.create<tile::SplatOp>(lineType, described.shape[d + skipped]);
      Value inside = spread(builder.create<arith::CmpIOp>(arith::CmpIPredicate::ult, line, extent), unsigned(d), shape);
      mask = mask ? builder.create<arith::AndIOp>(mask, inside).getResult() : inside;
      steps = builder.create<arith::ExtSIOp>(wideType, steps);
      if (!isLast)
        steps = builder.create<arith::MulIOp>(steps,
                                              builder.create<tile::SplatOp>(wideType, described.strides[d + skipped]));
      steps = spread(steps, unsigned(d), shape);
      offset = offset ? builder.create<arith::AddIOp>(offset, steps).getResult() : steps;
    }
    Value start = builder.create<tile::SplatOp>(RankedTensorType::get(shape, base.getType()), base);
    Value pointers = builder.create<tile::AddPtrOp>(start.getType(), start, offset);
    finish(pointers, within(mask, isThere), stored, type, described.padding);
    return true;
  }

  void finish(Value pointers, Value mask, Value stored, RankedTensorType type, tile::Padding padding) {
    if (auto reduce = dyn_cast<tile::DescReduceOp>(op)) {
      builder.create<tile::AtomicRmwOp>(type, reduce.getKind(), tile::MemSem::Relaxed, tile::MemScope::Gpu, pointers,
                                        stored, mask);
    } else if (stored) {
      builder.create<tile::StoreOp>(pointers, stored, mask);
    } else {
      Attribute zero = builder.getZeroAttr(type.getElementType());
      if (auto number = dyn_cast<FloatType>(type.getElementType()); number && padding == tile::Padding::NaN)
        zero = FloatAttr::get(number, APFloat::getNaN(number.getFloatSemantics()));
      Value other = builder.create<arith::ConstantOp>(DenseElementsAttr::get(type, zero));
      Value loaded = builder.create<tile::LoadOp>(type, pointers, mask, other);
      op->getResult(0).replaceAllUsesWith(loaded);
    }
    op->erase();
  }

  ImplicitLocOpBuilder builder;
  Operation *op;
  DescriptorForm form;
  Value rows;
};

// A host's descriptor is the pointer to its tensor from here on.
void passBases(func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments()) {
    auto desc = dyn_cast<tile::DescType>(argument.getType());
    if (!desc || !llvm::all_of(argument.getUsers(), [](Operation *user) { return isa<tile::PtrCastOp>(user); }))
      continue;
    argument.setType(tile::PtrType::get(desc.getBlock().getElementType()));
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      if (isa<tile::PtrCastOp>(user)) {
        user->getResult(0).replaceAllUsesWith(argument);
        user->erase();
      }
  }
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), kernel.getBody().front().getArgumentTypes(),
                                           kernel.getFunctionType().getResults()));
}

// The op that cannot be expanded, or null.
Operation *expandDescriptors(func::FuncOp kernel, DescriptorForm form, StringRef keep) {
  SmallVector<Operation *> work, made;
  auto isKept = [&](Operation *op) { return !keep.empty() && op->hasAttr(keep); };
  kernel.walk([&](Operation *op) {
    if (isKept(op))
      return;
    if (std::optional<tile::Access> access = tile::accessOf(op); access && !access->isByPointer())
      work.push_back(op);
    else if (isa<tile::MakeDescOp>(op))
      made.push_back(op);
  });
  for (Operation *op : work)
    if (!Expander(op, form).run())
      return op;
  passBases(kernel);
  for (Operation *op : made) {
    if (op->use_empty())
      op->erase();
    else if (!llvm::all_of(op->getUsers(), isKept))
      return op;
  }
  return nullptr;
}

struct ExpandDescriptorsPass : PassWrapper<ExpandDescriptorsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandDescriptorsPass)
  ExpandDescriptorsPass(DescriptorForm form, const std::string &keep) {
    forThreads = form == DescriptorForm::Threads;
    this->keep = keep;
  }
  ExpandDescriptorsPass(const ExpandDescriptorsPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "tile-expand-descriptors"; }
  StringRef getDescription() const final {
    return "Make loads and stores of pointers with masks from blocks of described tensors";
  }
  void getDependentDialects(DialectRegistry &registry) const final { registry.insert<arith::ArithDialect>(); }
  void runOnOperation() final {
    DescriptorForm form = forThreads ? DescriptorForm::Threads : DescriptorForm::Loops;
    if (Operation *op = expandDescriptors(getOperation(), form, keep)) {
      op->emitError("a descriptor that is chosen at run time is not supported here");
      signalPassFailure();
    }
  }

  Option<bool> forThreads{*this, "threads", llvm::cl::desc("put what all threads share into scalars")};
  Option<std::string> keep{*this, "keep", llvm::cl::desc("an attribute of blocks that stay as they are")};
};

} // namespace

std::unique_ptr<Pass> createExpandDescriptorsPass(DescriptorForm form, const std::string &keep) {
  return std::make_unique<ExpandDescriptorsPass>(form, keep);
}

} // namespace nereid::transforms
