// Product.cpp: one whole product as a function: packing and kernels, block of rows by block of rows.
#include "cpu/dot/Product.h"

#include "cpu/dot/AmxKernel.h"
#include "cpu/dot/Loop.h"
#include "cpu/dot/Pack.h"
#include "cpu/dot/RowsKernel.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

namespace nereid::cpu::dot {

using llvm::Value;

uint64_t packedLhsBytes(const DotSpec &spec, const DotPlan &plan) {
  return llvm::alignTo(uint64_t(lhsLayout(spec, plan).size) * plan.unitBits / 8, 64);
}
uint64_t packedRhsBytes(const DotSpec &spec, const DotPlan &plan) {
  return llvm::alignTo(uint64_t(rhsLayout(spec, plan).size) * plan.unitBits / 8, 64);
}

namespace {

class Product {
public:
  Product(llvm::IRBuilderBase &builder, const Target &target, const DotPlan &plan, const ProductSpec &spec,
          llvm::Function *function)
      : builder(builder), target(target), plan(plan), spec(spec), module(*function->getParent()),
        lhsPacked(lhsLayout(spec.dot, plan)), rhsPacked(rhsLayout(spec.dot, plan)), lhs(function->getArg(0)),
        lhsRowStride(function->getArg(1)), lhsColumnStride(function->getArg(2)), rhs(function->getArg(3)),
        rhsRowStride(function->getArg(4)), rhsColumnStride(function->getArg(5)), acc(function->getArg(6)),
        lhsScratch(function->getArg(7)), rhsScratch(bytesAt(lhsScratch, packedLhsBytes(spec.dot, plan))) {}

  void emit() {
    if (!plan.packsWhileMultiplying)
      packRhs();
    if (plan.lhsForm == LhsForm::Whole)
      packLhs(constant(0), spec.dot.m);
    if (plan.isAmx)
      emitTiles();
    else
      emitVectors();
  }

private:
  void emitVectors() {
    // Blocks of nearly equal numbers of rows: no small rest that could not fill the pipelines.
    int64_t m = spec.dot.m, blocks = llvm::divideCeil(m, plan.rows), rows = m / blocks, larger = m % blocks;
    int64_t first = 0, inLarger = larger * (rows + 1);
    if (plan.packsWhileMultiplying) {
      first = larger ? rows + 1 : rows;
      emitRows(constant(0), first, true);
    }
    emitLoop(builder, first, inLarger, rows + 1, [&](Value *row) { emitRows(row, rows + 1, false); });
    emitLoop(builder, std::max(first, inLarger), m, rows, [&](Value *row) { emitRows(row, rows, false); });
  }

  void emitTiles() {
    bool isDirect = plan.lhsForm == LhsForm::Direct;
    Value *stride = isDirect ? builder.CreateMul(lhsRowStride, constant(bitsOf(spec.dot.lhs) / 8))
                             : constant(lhsPacked.extentStride * plan.unitBits / 8);
    builder.CreateCall(amxKernelFunction(module, plan, spec.dot, spec.accStride),
                       {isDirect ? lhs : lhsScratch, stride, rhsScratch, acc});
  }

  Value *constant(int64_t value) { return builder.getInt64(value); }
  Value *bytesAt(Value *base, uint64_t bytes) {
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), base, builder.getInt64(bytes));
  }
  Value *lhsRowAt(Value *row) {
    return builder.CreateGEP(builder.getIntNTy(bitsOf(spec.dot.lhs)), lhs, builder.CreateMul(row, lhsRowStride));
  }

  void packRhs() {
    PackSpec pack{spec.dot.rhs, precisionOf(spec.dot), plan.rhsSource, spec.dot.n, spec.dot.k, rhsPacked};
    builder.CreateCall(packFunction(module, target, plan, pack), {rhs, rhsColumnStride, rhsRowStride, rhsScratch});
  }

  void packLhs(Value *row, int64_t rows) {
    PackSpec pack{spec.dot.lhs, precisionOf(spec.dot), plan.lhsSource, rows, spec.dot.k, lhsPacked};
    builder.CreateCall(packFunction(module, target, plan, pack),
                       {lhsRowAt(row), lhsRowStride, lhsColumnStride, lhsScratch});
  }

  void emitRows(Value *row, int64_t rows, bool isFirst) {
    RowsKernelSpec kernel{spec.dot,
                          rows,
                          spec.accStride,
                          lhsPacked.extentStride,
                          lhsPacked.depthStride,
                          isFirst,
                          isFirst && rows < spec.dot.m};
    Value *block = lhsScratch;
    if (plan.lhsForm == LhsForm::Direct)
      block = lhsRowAt(row), kernel.lhsStride = spec.lhsStride;
    else if (plan.lhsForm == LhsForm::Block)
      packLhs(row, rows);
    else
      block = builder.CreateInBoundsGEP(unit(), lhsScratch, row);
    llvm::Function *function = rowsKernelFunction(module, target, plan, kernel);
    Value *sums = builder.CreateInBoundsGEP(unit(), acc, builder.CreateMul(row, constant(spec.accStride)));
    builder.CreateCall(function, {block, lhsRowStride, rhsScratch, rhs, rhsRowStride, sums});
  }

  llvm::Type *unit() { return unitType(builder.getContext(), plan.unit); }

  llvm::IRBuilderBase &builder;
  const Target &target;
  const DotPlan &plan;
  const ProductSpec &spec;
  llvm::Module &module;
  PackedLayout lhsPacked, rhsPacked;
  Value *lhs, *lhsRowStride, *lhsColumnStride, *rhs, *rhsRowStride, *rhsColumnStride, *acc, *lhsScratch, *rhsScratch;
};

} // namespace

static std::string nameOf(const DotPlan &plan, const ProductSpec &spec) {
  const DotSpec &dot = spec.dot;
  return ("nereid.dot." + llvm::Twine(dot.m) + "x" + llvm::Twine(dot.n) + "x" + llvm::Twine(dot.k) + "." +
          llvm::Twine(int(dot.lhs)) + "." + llvm::Twine(int(dot.rhs)) + "." + llvm::Twine(int(dot.acc)) + "." +
          llvm::Twine(int(precisionOf(dot))) + "." + llvm::Twine(int(plan.lhsSource)) + "." +
          llvm::Twine(int(plan.rhsSource)) + "." + llvm::Twine(spec.accStride) + "." +
          llvm::Twine(spec.lhsStride.value_or(0)))
      .str();
}

llvm::Function *productFunction(llvm::Module &module, const Target &target, const DotPlan &plan,
                                const ProductSpec &spec) {
  std::string name = nameOf(plan, spec);
  if (llvm::Function *function = module.getFunction(name))
    return function;
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy(), *index = builder.getInt64Ty();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {pointer, index, index, pointer, index, index, pointer, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  Product(builder, target, plan, spec, function).emit();
  builder.CreateRetVoid();
  return function;
}

} // namespace nereid::cpu::dot
