// Mma.cpp: one instruction for each 16 x 8 part of the result and each step along K. The layouts of the operands put
// the registers of one instruction next to each other, steps along K before those along M and N.
#include "gpu/nvidia/Mma.h"

#include "codegen/Arithmetic.h"
#include "codegen/Lanes.h"
#include "gpu/lower/FloatCast.h"
#include "gpu/products/DotPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

using layout::Dim;

// An instruction: its shape and types in PTX's words, and how many elements of each side a thread has.
struct Instruction {
  std::string name;
  unsigned a, b, c;   // elements of a thread; registers of the accumulator
  llvm::Type *word;   // of an operand's register
  llvm::Type *result; // of an accumulator's register
};

// f32 operands that are split into several narrower ones.
enum class Split { None, Tf32, Tf32x3, Bf16x3, Bf16x6 };

class MmaProduct {
public:
  MmaProduct(Lowering &lowering, tile::DotOp op, bool isDouble)
      : lowering(lowering), builder(lowering.builder), op(op), left(warp::layoutOf(op.getLhs().getType())),
        right(warp::layoutOf(op.getRhs().getType())), out(warp::layoutOf(op.getResult().getType())),
        isDouble(isDouble) {
    chooseInstruction();
    isShort = !isDouble && out.shape()[out.rank() - 2] < 16;
    if (isShort)
      instruction.a /= 2, instruction.c /= 2;
  }

  void run() {
    countSteps();
    Type type = op.getAcc().getType();
    llvm::Value *acc = lowering.get(op.getAcc());
    sums = packsSums ? toWords(acc) : lowering.unpack(widenFloat(lowering, acc, type));
    llvm::SmallVector<Words> parts;
    for (auto [a, b] : products())
      parts.push_back({toWords(a), toWords(b)});
    if (parts.size() == 1)
      multiplyRows(parts[0], 0, rows);
    else
      for (unsigned row = 0; row < rows; ++row)
        addPartsOfRow(parts, row);
    llvm::Value *result = lowering.pack(sums);
    lowering.set(op.getResult(), packsSums ? builder.CreateBitCast(result, acc->getType())
                                           : narrowFloat(lowering, result, type, false));
  }

private:
  // The operands of a product in registers.
  struct Words {
    Values lhs, rhs;
  };

  void multiplyRows(const Words &words, unsigned first, unsigned end) {
    for (unsigned k = 0; k < steps; ++k)
      for (unsigned i = first; i < end; ++i)
        for (unsigned j = 0; j < columns; ++j)
          for (unsigned p = 0; p < batch; ++p)
            emit(words.lhs, words.rhs, p * rows + i, p * columns + j, (p * rows + i) * columns + j, k);
  }

  // Products of the small parts come first: they are added to small sums. An infinity has NaN as its small part, and so have products
  // of it with the small part 0 of others: what it gives is known from the large parts alone. The instruction cuts off what it adds to a
  // sum: so that parts are worth it, theirs start from nothing, and are added by themselves.
  void addPartsOfRow(llvm::ArrayRef<Words> parts, unsigned row) {
    Values before = sums;
    llvm::Value *zero = llvm::ConstantFP::get(instruction.result, 0);
    auto change = [&](llvm::function_ref<llvm::Value *(unsigned)> to) {
      for (unsigned p = 0; p < batch; ++p)
        for (unsigned i = 0; i < columns * instruction.c; ++i) {
          unsigned index = (p * rows + row) * columns * instruction.c + i;
          sums[index] = to(index);
        }
    };
    change([&](unsigned) { return zero; });
    for (const Words &part : parts.drop_back())
      multiplyRows(part, row, row + 1);
    change([&](unsigned i) { return builder.CreateSelect(builder.CreateFCmpUNO(sums[i], sums[i]), zero, sums[i]); });
    multiplyRows(parts.back(), row, row + 1);
    if (!matchPattern(op.getAcc(), m_AnyZeroFloat()))
      change([&](unsigned i) { return builder.CreateFAdd(before[i], sums[i]); });
  }

  void chooseInstruction() {
    Type element = op.getLhs().getType().getElementType(), other = op.getRhs().getType().getElementType();
    llvm::Type *i32 = builder.getInt32Ty(), *f32 = builder.getFloatTy();
    if (isDouble) {
      chooseForDoubles();
    } else if (element.isF32()) {
      switch (op.getPrecision()) {
      case tile::InputPrecision::TF32x3: split = Split::Tf32x3; break;
      case tile::InputPrecision::BF16x3: split = Split::Bf16x3; break;
      case tile::InputPrecision::BF16x6: split = Split::Bf16x6; break;
      default: split = Split::Tf32;
      }
      bool isTf32 = split == Split::Tf32 || split == Split::Tf32x3;
      instruction = isTf32 ? Instruction{"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, i32, f32}
                           : Instruction{"m16n8k16.row.col.f32.bf16.bf16.f32", 8, 4, 4, i32, f32};
    } else if (element.isInteger(8)) {
      std::string a = op.getLhsUnsigned() ? ".u8" : ".s8", b = op.getRhsUnsigned() ? ".u8" : ".s8";
      // Sums wrap around, as everywhere else. Where they cannot, the name is the one that Triton's has.
      std::string sums = cannotOverflow() ? ".satfinite.s32" : ".s32";
      instruction = {"m16n8k32.row.col" + sums + a + b + ".s32", 16, 8, 4, i32, i32};
    } else if (element.isF16() && op.getAcc().getType().getElementType().isF16()) {
      // Two sums share a register.
      packsSums = true;
      instruction = {"m16n8k16.row.col.f16.f16.f16.f16", 8, 4, 2, i32, i32};
    } else if (element.isF16() || element.isBF16()) {
      std::string name = element.isF16() ? ".f16" : ".bf16";
      instruction = {"m16n8k16.row.col.f32" + name + name + ".f32", 8, 4, 4, i32, f32};
    } else {
      auto name = [](Type type) { return isa<Float8E4M3FNType>(type) ? ".e4m3" : ".e5m2"; };
      instruction = {std::string("m16n8k32.row.col.f32") + name(element) + name(other) + ".f32", 16, 8, 4, i32, f32};
    }
  }

  // The longest that the target has, and the product room for.
  void chooseForDoubles() {
    llvm::Type *f64 = builder.getDoubleTy();
    hasHalfRows = !usesLongDoubleMma(op, lowering.options);
    bool isLongest = op.getLhs().getType().getShape().back() >= 16;
    instruction = hasHalfRows ? Instruction{"m8n8k4", 1, 1, 2, f64, f64}
                  : isLongest ? Instruction{"m16n8k16", 8, 4, 4, f64, f64}
                              : Instruction{"m16n8k8", 4, 2, 4, f64, f64};
    instruction.name += ".row.col.f64.f64.f64.f64";
  }

  // A sum of products of bytes that begins at zero.
  bool cannotOverflow() {
    bool startsAtZero = matchPattern(op.getAcc(), m_Zero());
    return startsAtZero && op.getLhs().getType().getShape().back() * 255 * 255 <= std::numeric_limits<int32_t>::max();
  }

  // How often the instruction is repeated in registers.
  void countSteps() {
    unsigned rank = out.rank();
    auto along = [&](const LinearLayout &layout, unsigned axis) {
      unsigned count = 1;
      for (unsigned bit = 0; bit < layout.bits(Dim::Register); ++bit)
        count *= layout.basis(Dim::Register, bit, layout::axisDim(axis)) ? 2 : 1;
      return count;
    };
    rows = along(out, rank - 2) / (hasHalfRows || isShort ? 1 : 2);
    columns = along(out, rank - 1) / 2;
    batch = 1;
    for (unsigned axis = 0; axis + 2 < rank; ++axis)
      batch *= along(out, axis);
    steps = left.registers() / (instruction.a * rows * batch);
  }

  // The pairs of operands to multiply; each is a vector of elements.
  llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>> products() {
    llvm::Value *a = lowering.get(op.getLhs()), *b = lowering.get(op.getRhs());
    if (split == Split::None)
      return {{a, b}};
    if (split == Split::Tf32)
      return {{nearTf32(a, op.getLhs()), nearTf32(b, op.getRhs())}};
    bool isTf32 = split == Split::Tf32x3;
    llvm::SmallVector<llvm::Value *> left = cut(a, isTf32), right = cut(b, isTf32);
    if (split == Split::Bf16x6)
      return {{left[1], right[1]}, {left[0], right[2]}, {left[2], right[0]},
              {left[0], right[1]}, {left[1], right[0]}, {left[0], right[0]}};
    return {{left[1], right[0]}, {left[0], right[1]}, {left[0], right[0]}};
  }

  // The instruction cuts off the last 13 bits, which alone makes every number smaller. A little more than three eighths of
  // what is cut off at most is added before, in one multiplication, where rounding to nearest takes three instructions:
  // numbers that tf32 has stay as they are, others are off by 0.69 of its last place at most, and by none on average.
  llvm::Value *nearTf32(llvm::Value *vector, Value tile) {
    while (Operation *source = tile.getDefiningOp()) {
      if (!isa<warp::ConvertLayoutOp, tile::TransOp>(source)) {
        auto wide = dyn_cast<arith::ExtFOp>(source); // of types with fewer bits: nothing is cut off
        if (wide && getElementTypeOrSelf(wide.getIn().getType()).getIntOrFloatBitWidth() <= 16)
          return vector;
        break;
      }
      tile = source->getOperand(0);
    }
    return builder.CreateFMul(vector, aboveOne(vector->getType()));
  }

  static llvm::Constant *aboveOne(llvm::Type *type) { return llvm::ConstantFP::get(type, 1.0 + 5.0 / 16384); }

  // A near number of tf32, as above, cut off here: the rest is another part. Two instructions, where rounding to nearest
  // (`cvt.rna.tf32.f32`) takes three; NaN stays NaN, whatever its bits are.
  llvm::Value *cutToTf32(llvm::Value *vector) {
    llvm::Value *bits = lowering.toBits(builder.CreateFMul(vector, aboveOne(vector->getType())));
    bits = builder.CreateAnd(bits, llvm::ConstantInt::get(bits->getType(), 0xffffe000));
    return builder.CreateBitCast(bits, vector->getType());
  }

  // f32 as a sum of narrower numbers, the largest first. The last part of tf32 is cut off by the product's instruction: it has
  // either sign as often as the other, so that nothing is lost on average.
  llvm::SmallVector<llvm::Value *> cut(llvm::Value *vector, bool isTf32) {
    llvm::SmallVector<llvm::Value *> parts;
    for (unsigned i = 0; i < (isTf32 ? 2 : 3); ++i) {
      llvm::Type *narrow = codegen::withLanes(builder.getBFloatTy(), vector);
      llvm::Value *part = !isTf32 ? builder.CreateFPTrunc(vector, narrow) : i == 0 ? cutToTf32(vector) : vector;
      parts.push_back(part);
      vector = builder.CreateFSub(vector, isTf32 ? part : builder.CreateFPExt(part, vector->getType()));
    }
    return parts;
  }

  // The registers of an operand as PTX takes them.
  Values toWords(llvm::Value *vector) {
    if (instruction.word->isDoubleTy())
      return lowering.unpack(vector);
    llvm::Value *bits = lowering.toBits(vector);
    auto *type = llvm::cast<llvm::FixedVectorType>(bits->getType());
    unsigned words = type->getNumElements() * type->getScalarSizeInBits() / 32;
    return lowering.unpack(builder.CreateBitCast(bits, llvm::FixedVectorType::get(builder.getInt32Ty(), words)));
  }

  void emit(llvm::ArrayRef<llvm::Value *> lhs, llvm::ArrayRef<llvm::Value *> rhs, unsigned row, unsigned column,
            unsigned place, unsigned step) {
    unsigned perA = lhs.size() / (rows * batch * steps), perB = rhs.size() / (columns * batch * steps),
             c = instruction.c;
    Values arguments;
    for (unsigned i = 0; i < perA; ++i) {
      arguments.push_back(lhs[(row * steps + step) * perA + i]);
      if (isShort)
        arguments.push_back(llvm::Constant::getNullValue(instruction.word));
    }
    arguments.append(rhs.begin() + (column * steps + step) * perB, rhs.begin() + (column * steps + step + 1) * perB);
    arguments.append(sums.begin() + place * c, sums.begin() + (place + 1) * c);
    if (isShort)
      arguments.append(c, llvm::Constant::getNullValue(instruction.result));
    unsigned times = isShort ? 2 : 1;
    llvm::CallInst *call = builder.CreateCall(code(times * perA, perB, times * c), arguments);
    call->addFnAttr(llvm::Attribute::Convergent);
    call->setDoesNotThrow();
    call->setDoesNotAccessMemory();
    for (unsigned i = 0; i < c; ++i)
      sums[place * c + i] = builder.CreateExtractValue(call, i);
  }

  llvm::InlineAsm *code(unsigned perA, unsigned perB, unsigned c) {
    unsigned next = 0;
    auto list = [&](unsigned count) {
      std::string text;
      for (unsigned i = 0; i < count; ++i)
        text += (i ? ", $" : "$") + std::to_string(next++);
      return "{" + text + "}";
    };
    std::string text = "mma.sync.aligned." + instruction.name + " " + list(c) + ", ";
    text += list(perA) + ", ";
    text += list(perB) + ", ";
    text += list(c) + ";";
    std::string input = instruction.word->isDoubleTy() ? "d" : "r";
    std::string sum = instruction.result->isDoubleTy() ? "d" : instruction.result->isFloatTy() ? "f" : "r", constraints;
    llvm::SmallVector<llvm::Type *> types;
    for (unsigned i = 0; i < c; ++i)
      constraints += (i ? ",=" : "=") + sum;
    for (unsigned i = 0; i < perA + perB; ++i)
      constraints += "," + input, types.push_back(instruction.word);
    for (unsigned i = 0; i < c; ++i)
      constraints += "," + sum, types.push_back(instruction.result);
    llvm::Type *result =
        llvm::StructType::get(lowering.context, llvm::SmallVector<llvm::Type *>(c, instruction.result));
    return llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text, constraints, false);
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::DotOp op;
  LinearLayout left, right, out;
  Instruction instruction;
  Split split = Split::None;
  bool isDouble, hasHalfRows = false, packsSums = false;
  bool isShort = false; // of its 16 rows a tile has 8 or fewer: the others are zeros, which no register holds
  unsigned rows = 1, columns = 1, batch = 1, steps = 1;
  Values sums;
};

} // namespace

void emitMmaProduct(Lowering &lowering, tile::DotOp op, bool isDouble) { MmaProduct(lowering, op, isDouble).run(); }

} // namespace nereid::gpu
