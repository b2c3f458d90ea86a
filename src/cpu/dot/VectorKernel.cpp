// VectorKernel.cpp: the register-blocked product. A block of the accumulator stays in registers over the whole depth:
// each step loads a row of the rhs panel, and multiplies it by one broadcast element of the lhs for each of its rows.
//
// The loop over the rhs panels is the inner one: the few rows of the lhs stay in the first-level cache, the wider panels
// stream from the second.
#include "cpu/dot/Kernel.h"
#include "cpu/dot/Loop.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace nereid::cpu {

using llvm::Value;

namespace {

// Steps of the depth in one round of the loop: amortizes its counter, and gives the scheduler loads to move up.
constexpr int64_t kUnroll = 4;

class VectorKernel {
public:
  VectorKernel(llvm::IRBuilderBase &builder, const Target &target, const DotPlan &plan, const KernelSpec &spec)
      : builder(builder), target(target), plan(plan), spec(spec), unit(unitType(builder.getContext(), plan.unit)),
        sum(plan.unit == DotUnit::BF16x2 ? builder.getFloatTy() : unit) {}

  // Blocks of nearly equal numbers of rows: no small rest that could not fill the pipelines.
  void emit(Value *lhs, Value *rhs, Value *acc) {
    int64_t blocks = llvm::divideCeil(spec.m, plan.rows), rows = spec.m / blocks, larger = spec.m % blocks;
    emitLoop(builder, 0, larger * (rows + 1), rows + 1,
             [&](Value *row) { emitRows(lhs, rhs, acc, row, rows + 1); });
    emitLoop(builder, larger * (rows + 1), spec.m, rows, [&](Value *row) { emitRows(lhs, rhs, acc, row, rows); });
  }

private:
  Value *constant(int64_t value) { return builder.getInt64(value); }
  Value *at(llvm::Type *type, Value *base, Value *index) { return builder.CreateInBoundsGEP(type, base, index); }
  Value *times(Value *value, int64_t factor) { return builder.CreateMul(value, constant(factor), "", true, true); }

  void emitRows(Value *lhs, Value *rhs, Value *acc, Value *row, int64_t rows) {
    lhs = at(unit, lhs, times(row, spec.lhs.extentStride));
    acc = at(sum, acc, times(row, spec.n));
    int64_t panel = spec.rhs.panel, inPanels = spec.n / panel * panel;
    emitLoop(builder, 0, inPanels, panel, [&](Value *column) {
      emitBlock(lhs, panelAt(rhs, column), at(sum, acc, column), rows, panel);
    });
    if (inPanels < spec.n)
      emitBlock(lhs, panelAt(rhs, constant(inPanels)), at(sum, acc, constant(inPanels)), rows, spec.n - inPanels);
  }

  Value *panelAt(Value *rhs, Value *column) {
    Value *panel = builder.CreateUDiv(column, constant(spec.rhs.panel));
    return at(unit, rhs, times(panel, spec.rhs.panelStride));
  }

  void emitBlock(Value *lhs, Value *rhs, Value *acc, int64_t rows, int64_t columns) {
    int64_t vectors = llvm::divideCeil(columns, int64_t(plan.lanes));
    llvm::SmallVector<Value *, 32> sums;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        sums.push_back(loadSums(at(sum, acc, constant(row * spec.n + v * plan.lanes)), columns - v * plan.lanes));
    int64_t unrolled = plan.units / kUnroll * kUnroll;
    auto steps = [&](Value *u, int64_t count, llvm::MutableArrayRef<Value *> values) {
      Value *lhsAt = at(unit, lhs, times(u, spec.lhs.depthStride));
      Value *rhsAt = at(unit, rhs, times(u, spec.rhs.depthStride));
      for (int64_t i = 0; i < count; ++i)
        emitStep(lhsAt, rhsAt, i, rows, vectors, values);
    };
    sums = emitLoop(builder, 0, unrolled, kUnroll, sums, [&](Value *u, llvm::MutableArrayRef<Value *> values) {
      steps(u, kUnroll, values);
    });
    steps(constant(unrolled), plan.units - unrolled, sums);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        storeSums(sums[row * vectors + v], at(sum, acc, constant(row * spec.n + v * plan.lanes)),
                  columns - v * plan.lanes);
  }

  void emitStep(Value *lhs, Value *rhs, int64_t u, int64_t rows, int64_t vectors, llvm::MutableArrayRef<Value *> sums) {
    auto *vector = llvm::FixedVectorType::get(unit, plan.lanes);
    llvm::SmallVector<Value *, 4> row;
    for (int64_t v = 0; v < vectors; ++v)
      row.push_back(builder.CreateAlignedLoad(
          vector, at(unit, rhs, constant(u * spec.rhs.depthStride + v * plan.lanes)), llvm::Align(vectorBytes())));
    for (int64_t i = 0; i < rows; ++i) {
      Value *place = at(unit, lhs, constant(i * spec.lhs.extentStride + u * spec.lhs.depthStride));
      Value *element = builder.CreateAlignedLoad(unit, place, llvm::Align(plan.unitBits / 8));
      Value *splat = builder.CreateVectorSplat(plan.lanes, element);
      for (int64_t v = 0; v < vectors; ++v)
        sums[i * vectors + v] = multiplyAdd(splat, row[v], sums[i * vectors + v]);
    }
  }

  uint64_t vectorBytes() const { return plan.lanes * plan.unitBits / 8; }

  Value *loadSums(Value *from, int64_t valid) {
    auto *type = llvm::FixedVectorType::get(sum, std::min<int64_t>(valid, plan.lanes));
    Value *loaded = builder.CreateAlignedLoad(type, from, llvm::Align(plan.unitBits / 8));
    if (valid >= plan.lanes)
      return loaded;
    llvm::SmallVector<int, 16> mask(plan.lanes, valid);
    std::iota(mask.begin(), mask.begin() + valid, 0);
    return builder.CreateShuffleVector(loaded, llvm::Constant::getNullValue(type), mask);
  }

  void storeSums(Value *sums, Value *to, int64_t valid) {
    if (valid < plan.lanes) {
      llvm::SmallVector<int, 16> mask(valid);
      std::iota(mask.begin(), mask.end(), 0);
      sums = builder.CreateShuffleVector(sums, mask);
    }
    builder.CreateAlignedStore(sums, to, llvm::Align(plan.unitBits / 8));
  }

  // a * b + c.
  Value *multiplyAdd(Value *a, Value *b, Value *c) {
    switch (plan.unit) {
    case DotUnit::F32:
    case DotUnit::F64:
      if (target.hasFma)
        return builder.CreateIntrinsic(llvm::Intrinsic::fma, c->getType(), {a, b, c});
      return builder.CreateFAdd(builder.CreateFMul(a, b), c);
    case DotUnit::I16x2:
      return multiplyPairs(a, b, c);
    case DotUnit::BF16x2:
      return callX86(bf16Intrinsic(), {c, a, b});
    default:
      return builder.CreateAdd(builder.CreateMul(a, b), c);
    }
  }

  Value *multiplyPairs(Value *a, Value *b, Value *c) {
    if (target.hasVnni)
      return callX86(plan.lanes == 16  ? llvm::Intrinsic::x86_avx512_vpdpwssd_512
                     : plan.lanes == 8 ? llvm::Intrinsic::x86_avx512_vpdpwssd_256
                                       : llvm::Intrinsic::x86_avx512_vpdpwssd_128,
                     {c, a, b});
    Value *products = callX86(plan.lanes == 16  ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                              : plan.lanes == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                                : llvm::Intrinsic::x86_sse2_pmadd_wd,
                              {a, b});
    return builder.CreateAdd(products, c);
  }

  // Sums of two products in f32; numbers that are too small for a normal f32 count as zero.
  llvm::Intrinsic::ID bf16Intrinsic() const {
    return plan.lanes == 16  ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512
           : plan.lanes == 8 ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256
                             : llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128;
  }

  // Vectors of units become the vectors of elements that the instruction is declared with.
  Value *callX86(llvm::Intrinsic::ID id, llvm::ArrayRef<Value *> operands) {
    llvm::Module *module = builder.GetInsertBlock()->getModule();
    llvm::Function *function = llvm::Intrinsic::getOrInsertDeclaration(module, id);
    llvm::SmallVector<Value *, 3> cast;
    for (auto [i, operand] : llvm::enumerate(operands))
      cast.push_back(builder.CreateBitCast(operand, function->getArg(i)->getType()));
    return builder.CreateCall(function, cast);
  }

  llvm::IRBuilderBase &builder;
  const Target &target;
  const DotPlan &plan;
  const KernelSpec &spec;
  llvm::Type *unit, *sum;
};

} // namespace

void emitVectorKernel(llvm::IRBuilderBase &builder, const Target &target, const DotPlan &plan, const KernelSpec &spec,
                      llvm::ArrayRef<Value *> operands) {
  VectorKernel(builder, target, plan, spec).emit(operands[0], operands[1], operands[2]);
}

} // namespace nereid::cpu
