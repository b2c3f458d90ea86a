// Wgmma.cpp: descriptors of operands in shared memory, and the instruction itself.
//
// A descriptor has bits 0-13 the address, 16-29 the leading and 32-45 the stride offset (all in 16 bytes), 62-63 the
// swizzle. Along K: rows of `swizzle` bytes, 8 of them a stride apart from the next 8. Along M or N: boxes of `swizzle`
// bytes with all rows of K; the leading offset is the distance of boxes, the stride that of 8 rows.
#include "gpu/nvidia/Wgmma.h"

#include "gpu/lower/Turns.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/Operands.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

// An operand in shared memory.
struct Described {
  llvm::Value *start = nullptr; // of this warp group's part, as the address bits of a descriptor
  uint64_t fixed = 0;           // the other bits
  bool alongK = true;
  unsigned swizzle = 128, bytes = 2;
  int64_t rows = 0, depth = 0; // M or N, and K

  // Where a part begins: `row` along M or N, `k` along K. In bytes from the start.
  uint64_t offset(int64_t row, int64_t k) const {
    int64_t fast = (alongK ? k : row) * bytes, slow = alongK ? row : k, height = alongK ? rows : depth;
    return uint64_t(fast / swizzle * height * swizzle + slow * swizzle + fast % swizzle);
  }
};

llvm::Value *asWords(llvm::IRBuilder<> &builder, llvm::Value *vector) {
  auto *type = llvm::cast<llvm::FixedVectorType>(vector->getType());
  unsigned words = type->getNumElements() * type->getScalarSizeInBits() / 32;
  return builder.CreateBitCast(vector, llvm::FixedVectorType::get(builder.getInt32Ty(), words));
}

class WgmmaProduct {
public:
  WgmmaProduct(Lowering &lowering, tile::DotOp op)
      : lowering(lowering), builder(lowering.builder), op(op), shape(op.getResult().getType().getShape()) {
    auto warps = wgmmaWarps(shape, lowering.options.numWarps);
    groupsM = warps[0] / 4, groupsN = warps[1];
    columns = wgmmaColumns(shape, lowering.options.numWarps);
    depth = op.getLhs().getType().getShape()[1];
    element = op.getLhs().getType().getElementType();
    step = 256 / element.getIntOrFloatBitWidth();
    kept = op.getPlaces() ? 2 : 1;
  }

  void run() {
    Described a, b;
    Values words;
    llvm::Value *group = lowering.warpGroup;
    std::optional<SharedOperand> left = sharedOperand(op.getLhs(), 0);
    llvm::Value *alongM = builder.CreateURem(group, builder.getInt32(groupsM));
    llvm::Value *alongN = builder.CreateUDiv(group, builder.getInt32(groupsM));
    if (left)
      a = describe(*left, 0, alongM, 64);
    else
      words = toWords(lowering.get(op.getLhs()));
    b = describe(*sharedOperand(op.getRhs(), 1), 1, alongN, columns);
    if (op.getPlaces())
      places = toWords(lowering.get(op.getPlaces()));
    sums = toSums(lowering.get(op.getAcc()));
    startsAtZero = llvm::all_of(sums, [](llvm::Value *value) {
      auto *constant = llvm::dyn_cast<llvm::Constant>(value);
      return constant && constant->isNullValue();
    });
    bool hasTurn = takesTurns(lowering, op);
    bool givesTurn = hasTurn && !sharesTurn(lowering, op, Neighbour::Behind);
    if (hasTurn && !sharesTurn(lowering, op, Neighbour::Before))
      takeTurn(lowering);
    if (standsApart(op))
      keepApart(lowering);
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_wgmma_fence_sync_aligned, {});
    unsigned steps = unsigned(depth / step), rowParts = unsigned(shape[0] / (64 * groupsM)),
             columnParts = unsigned(shape[1] / (columns * groupsN)), chunk = stepsOfSum(steps);
    bool isWhole = chunk == 0;
    Values total = toSums(lowering.get(op.getAcc()));
    for (unsigned k = 0; k < steps; ++k) {
      bool isFirst = isWhole ? startsAtZero && k == 0 : k % chunk == 0;
      // The other group needs some time to start its product: it does so while the second half of this one is under way.
      if (givesTurn && isWhole && k > 0 && k == steps - steps / 2)
        builder.CreateIntrinsic(llvm::Intrinsic::nvvm_wgmma_commit_group_sync_aligned, {});
      for (unsigned i = 0; i < rowParts; ++i)
        for (unsigned j = 0; j < columnParts; ++j) {
          Values operands = left ? Values{descriptor(a, a.offset(int64_t(i) * 64 * groupsM, int64_t(k) * step))}
                                 : Values(llvm::ArrayRef(words).slice((i * steps + k) * 4, 4));
          operands.push_back(descriptor(b, b.offset(int64_t(j) * columns * groupsN, int64_t(k) * step * kept)));
          // A word has the places of two steps: those of the first in lanes 0 and 1 of each four, of the second in 2 and 3.
          if (!places.empty())
            operands.push_back(places[i * places.size() / rowParts + k / 2]);
          emit(operands, i * columnParts + j, left && !a.alongK, !b.alongK, isFirst, k % 2);
        }
      if (!isWhole && (k + 1) % chunk == 0)
        addTo(total);
    }
    if (!isWhole) {
      lowering.set(op.getResult(), lowering.pack(total));
      if (givesTurn)
        giveTurn(lowering);
      return;
    }
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_wgmma_commit_group_sync_aligned, {});
    if (givesTurn) {
      Values none;
      if (steps > 1)
        lowering.instructions.waitForProducts(lowering, 1, none);
      giveTurn(lowering);
    }
    llvm::Value *result = fromSums();
    // What the instructions read must stay as it is until they have ended: the wait takes the places too.
    Values held{result};
    if (!places.empty())
      held.push_back(lowering.pack(places));
    if (!op->hasAttr(warp::kAsyncAttribute))
      lowering.instructions.waitForProducts(lowering, 0, held);
    lowering.set(op.getResult(), held[0]);
  }

private:
  // Tensor cores add products of 8-bit floats with fewer bits than f32 has: after how many steps the sum so far is added
  // outside of them; 0: never.
  unsigned stepsOfSum(unsigned steps) {
    int64_t most = op.getMaxImpreciseAcc();
    if (!isa<Float8E4M3FNType, Float8E5M2Type>(element) || most <= 0 || most > depth)
      return 0;
    unsigned chunk = std::max(1u, unsigned(most / step));
    while (steps % chunk)
      --chunk;
    return chunk;
  }

  void addTo(Values &total) {
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_wgmma_commit_group_sync_aligned, {});
    llvm::Value *part = lowering.pack(sums);
    lowering.instructions.waitForProducts(lowering, 0, part);
    sums = lowering.unpack(part);
    llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
    llvm::FastMathFlags flags;
    flags.setAllowContract(true);
    builder.setFastMathFlags(flags);
    for (auto [whole, added] : llvm::zip(total, sums))
      whole = builder.CreateFAdd(whole, added);
    // The registers of the next sum may be those that were read here.
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_wgmma_fence_sync_aligned, {});
  }

  // The address bits of a place in the slot that is read. Where little may stand before the product, those of the first slot are found
  // ahead of the loop, and the others lie multiples behind it: all addresses have fewer bits than descriptors hold.
  llvm::Value *startBits(warp::ReadOp read, llvm::Value *offset) {
    auto cut = [&](llvm::Value *address) {
      return builder.CreateLShr(builder.CreateAnd(address, builder.getInt32(0x3FFFF)), 4);
    };
    if (!op->hasAttr(warp::kFreeAttribute))
      return cut(lowering.addressIn(read.getBuffer(), read.getSlot(), offset));
    llvm::Value *first = builder.CreatePtrToInt(lowering.get(read.getBuffer()), builder.getInt32Ty());
    auto slotBytes = uint32_t(read.getBuffer().getType().slotBytes());
    return builder.CreateAdd(cut(builder.CreateAdd(first, offset)),
                             builder.CreateMul(lowering.get(read.getSlot()), builder.getInt32(slotBytes >> 4)));
  }

  // Where the rows of a group begin, `unit` each. A box may hold those of several groups, and the next one those of the others.
  llvm::Value *startOfGroup(const Described &operand, llvm::Value *group, int64_t unit) {
    auto number = [&](uint64_t value) { return builder.getInt32(uint32_t(value)); };
    uint64_t inBox = operand.alongK ? 1 : std::max<uint64_t>(operand.swizzle / (unit * operand.bytes), 1);
    if (inBox == 1 || operand.rows * operand.bytes <= operand.swizzle)
      return builder.CreateMul(group, number(operand.offset(unit, 0)));
    return builder.CreateAdd(
        builder.CreateMul(builder.CreateUDiv(group, number(inBox)), number(operand.offset(int64_t(inBox) * unit, 0))),
        builder.CreateMul(builder.CreateURem(group, number(inBox)), number(operand.offset(unit, 0))));
  }

  // `group`: which part of the rows, of `unit` rows each.
  Described describe(const SharedOperand &operand, unsigned index, llvm::Value *group, int64_t unit) {
    auto read = operand.read;
    warp::BufferType type = read.getBuffer().getType();
    Described described;
    described.alongK = operand.fastAxis() == (index == 0 ? 1u : 0u);
    described.swizzle = type.getSwizzle(), described.bytes = type.elementBytes();
    described.rows = index == 0 ? shape[0] : shape[1];
    described.depth = index == 0 ? depth : depth * kept;
    described.start = builder.CreateZExt(startBits(read, startOfGroup(described, group, unit)), builder.getInt64Ty());
    uint64_t mode = described.swizzle == 128 ? 1 : described.swizzle == 64 ? 2 : described.swizzle == 32 ? 3 : 0;
    uint64_t stride = 8 * described.swizzle, leading = described.alongK ? 16 : described.depth * described.swizzle;
    described.fixed = mode << 62 | (stride >> 4) << 32 | (leading >> 4) << 16;
    return described;
  }

  llvm::Value *descriptor(const Described &operand, uint64_t offset) {
    llvm::Value *bits = builder.CreateOr(operand.start, builder.getInt64(operand.fixed));
    return builder.CreateAdd(bits, builder.getInt64(offset >> 4));
  }

  Values toWords(llvm::Value *vector) { return lowering.unpack(asWords(builder, lowering.toBits(vector))); }

  // Sums as registers: two of f16 share one.
  bool packsSums() { return op.getAcc().getType().getElementType().isF16(); }
  Values toSums(llvm::Value *tile) { return packsSums() ? toWords(tile) : lowering.unpack(tile); }
  llvm::Value *fromSums() {
    llvm::Value *packed = lowering.pack(sums);
    return packsSums() ? builder.CreateBitCast(packed, lowering.typeOf(op.getResult().getType())) : packed;
  }

  std::string typeNames() {
    auto name = [&](Type type, bool isUnsigned) -> std::string {
      if (type.isF16())
        return ".f16";
      if (type.isBF16())
        return ".bf16";
      if (type.isF32())
        return ".tf32";
      if (type.isInteger())
        return isUnsigned ? ".u8" : ".s8";
      return isa<Float8E4M3FNType>(type) ? ".e4m3" : ".e5m2";
    };
    return (element.isInteger() ? ".s32"
            : packsSums()       ? ".f16"
                                : ".f32") +
           name(element, op.getLhsUnsigned()) + name(op.getRhs().getType().getElementType(), op.getRhsUnsigned());
  }

  // `isFirst`: what the accumulators hold does not count. `selector`: which lanes have the places of a sparse operand.
  void emit(llvm::ArrayRef<llvm::Value *> operands, unsigned part, bool transposeA, bool transposeB, bool isFirst,
            unsigned selector) {
    unsigned count = columns / (packsSums() ? 4 : 2), next = 0; // accumulators of a thread
    auto list = [&](unsigned size) {
      std::string text;
      for (unsigned i = 0; i < size; ++i)
        text += (i ? ", $" : "$") + std::to_string(next++);
      return text;
    };
    bool isHalf = element.isF16() || element.isBF16(), isSparse = kept == 2;
    bool fromRegisters = !isSparse && operands.size() > 2;
    std::string text = std::string("wgmma.mma_async") + (isSparse ? ".sp" : "") + ".sync.aligned.m64n" +
                       std::to_string(columns) + "k" + std::to_string(step * kept) + typeNames();
    text += " {" + list(count) + "}, ";
    // Sums that start from nothing have registers of their own: the assembler takes what is computed of others for the same after
    // a product that overwrites them.
    next += isFirst ? 0 : count; // the tied inputs
    text += fromRegisters ? "{" + list(4) + "}, " : list(1) + ", ";
    text += list(1);
    text += isSparse ? ", " + list(1) + ", " + std::to_string(selector) : "";
    text += isFirst ? ", 0" : ", 1";
    if (!element.isInteger())
      text += ", 1, 1";
    if (isHalf)
      text += fromRegisters ? "" : transposeA ? ", 1" : ", 0";
    if (isHalf)
      text += transposeB ? ", 1" : ", 0";
    llvm::Type *type = sums[0]->getType();
    std::string letter = type->isFloatTy() ? "f" : "r", constraints;
    Values arguments;
    for (unsigned i = 0; i < count; ++i)
      constraints += (i ? ",=" : "=") + letter;
    for (unsigned i = 0; i < count && !isFirst; ++i) {
      arguments.push_back(sums[part * count + i]);
      constraints += "," + std::to_string(i);
    }
    for (llvm::Value *operand : operands) {
      constraints += operand->getType()->isIntegerTy(64) ? ",l" : ",r";
      arguments.push_back(operand);
    }
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    llvm::Type *result = llvm::StructType::get(lowering.context, llvm::SmallVector<llvm::Type *>(count, type));
    auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text + ";", constraints, true);
    llvm::CallInst *call = builder.CreateCall(code, arguments);
    call->addFnAttr(llvm::Attribute::Convergent);
    call->setDoesNotThrow();
    for (unsigned i = 0; i < count; ++i)
      sums[part * count + i] = builder.CreateExtractValue(call, i);
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::DotOp op;
  ArrayRef<int64_t> shape;
  Type element;
  unsigned groupsM, groupsN, columns, step;
  unsigned kept; // 2: the left operand has one of two elements along K, and `places` where they stand
  int64_t depth; // of the left operand
  Values sums, places;
  bool startsAtZero = false;
};

} // namespace

void emitWgmmaProduct(Lowering &lowering, tile::DotOp op) { WgmmaProduct(lowering, op).run(); }

void Instructions::waitForProducts(Lowering &lowering, unsigned pending, llvm::MutableArrayRef<llvm::Value *> tiles) {
  Values registers;
  auto isPacked = [](llvm::Value *tile) { return tile->getType()->getScalarSizeInBits() < 32; };
  for (llvm::Value *tile : tiles) // two halves share a register
    registers.append(lowering.unpack(isPacked(tile) ? asWords(builder, tile) : tile));
  std::string constraints;
  llvm::SmallVector<llvm::Type *> types;
  for (auto [i, value] : llvm::enumerate(registers)) {
    constraints += std::string("=") + (value->getType()->isFloatTy() ? "f" : "r") + ",";
    types.push_back(value->getType());
  }
  for (unsigned i = 0; i < registers.size(); ++i)
    constraints += std::to_string(i) + ",";
  constraints += "~{memory}";
  llvm::Type *result = types.empty()       ? builder.getVoidTy()
                       : types.size() == 1 ? types[0]
                                           : llvm::StructType::get(lowering.context, types);
  auto *code =
      llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false),
                           "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";", constraints, true);
  llvm::CallInst *call = builder.CreateCall(code, registers);
  call->addFnAttr(llvm::Attribute::Convergent);
  unsigned next = 0;
  for (llvm::Value *&tile : tiles) {
    Values parts;
    auto *type = llvm::cast<llvm::FixedVectorType>(tile->getType());
    for (unsigned i = 0, n = type->getNumElements() / (isPacked(tile) ? 2 : 1); i < n; ++i, ++next)
      parts.push_back(types.size() == 1 ? static_cast<llvm::Value *>(call) : builder.CreateExtractValue(call, next));
    tile = builder.CreateBitCast(lowering.pack(parts), type);
  }
}

} // namespace nereid::gpu
