// RowsKernel.cpp: the register-blocked product. A block of the accumulator stays in registers over the whole depth:
// each step loads a row of the rhs panel, and multiplies it by one broadcast element of the lhs for each of its rows.
//
// The loop goes over the panels of the rhs: the rows of the lhs stay in the first-level cache, the wider panels stream
// from the second.
#include "cpu/dot/RowsKernel.h"

#include "cpu/dot/Loop.h"
#include "cpu/dot/UnitReader.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace nereid::cpu::dot {

using llvm::Value;

namespace {

// Steps of the depth in one round of the loop: more cost time to compile, and gain nothing.
constexpr int64_t kUnroll = 2;

class RowsKernel {
public:
  RowsKernel(llvm::IRBuilderBase &builder, const Target &target, const DotPlan &plan, const RowsKernelSpec &spec,
             llvm::Function *function)
      : builder(builder), target(target), plan(plan), spec(spec),
        reader(builder, target, spec.dot.rhs, plan, precisionOf(spec.dot)), layout(rhsLayout(spec.dot, plan)),
        unit(unitType(builder.getContext(), plan.unit)),
        sum(plan.unit == DotUnit::BF16x2 ? builder.getFloatTy() : unit), packed(function->getArg(2)),
        source(function->getArg(3)), sourceStride(function->getArg(4)), acc(function->getArg(5)) {
    Value *stride = spec.lhsStride ? constant(*spec.lhsStride) : function->getArg(1);
    for (int64_t row = 0; row < spec.rows; ++row)
      lhsRows.push_back(at(unit, function->getArg(0), builder.CreateMul(stride, constant(row))));
  }

  void emit() {
    int64_t n = spec.dot.n, panel = plan.panel(), inPanels = n / panel * panel;
    emitLoop(builder, 0, inPanels, panel, [&](Value *column) { emitBlock(column, panel); });
    if (inPanels < n)
      emitBlock(constant(inPanels), n - inPanels);
  }

private:
  Value *constant(int64_t value) { return builder.getInt64(value); }
  Value *at(llvm::Type *type, Value *base, Value *index) { return builder.CreateInBoundsGEP(type, base, index); }
  Value *times(Value *value, int64_t factor) { return builder.CreateMul(value, constant(factor), "", true, true); }

  // Where a panel begins, in the packed array and in the memory of the rhs.
  struct Panel {
    Value *packed, *source;
    int64_t columns;
  };

  void emitBlock(Value *column, int64_t columns) {
    int64_t vectors = llvm::divideCeil(columns, int64_t(plan.lanes));
    Value *index = builder.CreateUDiv(column, constant(plan.panel()));
    Panel panel{at(unit, packed, times(index, layout.panelStride)), reader.elementAt(source, column), columns};
    Value *tile = at(sum, acc, column);
    auto place = [&](int64_t row, int64_t v) { return at(sum, tile, constant(row * spec.accStride + v * plan.lanes)); };
    llvm::SmallVector<Value *, 32> sums;
    for (int64_t row = 0; row < spec.rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        sums.push_back(loadSums(place(row, v), columns - v * plan.lanes));
    sums = emitDepth(panel, sums);
    for (int64_t row = 0; row < spec.rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        storeSums(sums[row * vectors + v], place(row, v), columns - v * plan.lanes);
  }

  llvm::SmallVector<Value *, 32> emitDepth(const Panel &panel, llvm::ArrayRef<Value *> sums) {
    // The last unit may lack elements in the memory of the rhs: it is not part of the loop.
    int64_t full = spec.readsSource ? spec.dot.k / plan.group : plan.units;
    int64_t round = spec.readsSource ? 1 : kUnroll, unrolled = full / round * round;
    auto steps = [&](Value *u, int64_t count, llvm::MutableArrayRef<Value *> values) {
      for (int64_t i = 0; i < count; ++i)
        emitStep(panel, builder.CreateAdd(u, constant(i)), plan.group, values);
    };
    auto values = emitLoop(builder, 0, unrolled, round, sums,
                           [&](Value *u, llvm::MutableArrayRef<Value *> values) { steps(u, round, values); });
    steps(constant(unrolled), full - unrolled, values);
    if (full < plan.units)
      emitStep(panel, constant(full), spec.dot.k - full * plan.group, values);
    return values;
  }

  void emitStep(const Panel &panel, Value *u, int64_t elements, llvm::MutableArrayRef<Value *> sums) {
    int64_t vectors = llvm::divideCeil(panel.columns, int64_t(plan.lanes));
    llvm::SmallVector<Value *, 4> row;
    for (int64_t v = 0; v < vectors; ++v)
      row.push_back(spec.readsSource ? readSource(panel, u, v, elements) : loadPacked(panel, u, v));
    for (int64_t i = 0; i < spec.rows; ++i) {
      Value *place = at(unit, lhsRows[i], times(u, spec.lhsDepthStride));
      Value *element = builder.CreateAlignedLoad(unit, place, llvm::Align(plan.unitBits / 8));
      Value *splat = builder.CreateVectorSplat(plan.lanes, element);
      for (int64_t v = 0; v < vectors; ++v)
        sums[i * vectors + v] = multiplyAdd(splat, row[v], sums[i * vectors + v]);
    }
  }

  llvm::Align vectorAlign() const { return llvm::Align(plan.lanes * plan.unitBits / 8); }

  Value *packedAt(const Panel &panel, Value *u, int64_t v) {
    return at(unit, panel.packed, builder.CreateAdd(times(u, layout.depthStride), constant(v * plan.lanes)));
  }

  Value *loadPacked(const Panel &panel, Value *u, int64_t v) {
    auto *type = llvm::FixedVectorType::get(unit, plan.lanes);
    return builder.CreateAlignedLoad(type, packedAt(panel, u, v), vectorAlign());
  }

  Value *readSource(const Panel &panel, Value *u, int64_t v, int64_t elements) {
    Value *depth = builder.CreateMul(times(u, plan.group), sourceStride);
    Value *place = reader.elementAt(panel.source, builder.CreateAdd(depth, constant(v * plan.lanes)));
    Value *units = reader.readAcross(place, sourceStride, panel.columns - v * plan.lanes, elements, plan.lanes);
    units = reader.round(units);
    if (spec.fillsPacked)
      builder.CreateAlignedStore(units, packedAt(panel, u, v), vectorAlign());
    return units;
  }

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
    case DotUnit::I16x2: return multiplyPairs(a, b, c);
    case DotUnit::BF16x2: return callX86(bf16Intrinsic(), {c, a, b});
    default: return builder.CreateAdd(builder.CreateMul(a, b), c);
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
  const RowsKernelSpec &spec;
  UnitReader reader;
  PackedLayout layout;
  llvm::Type *unit, *sum;
  Value *packed, *source, *sourceStride, *acc;
  llvm::SmallVector<Value *, 12> lhsRows;
};

} // namespace

static std::string nameOf(const DotPlan &plan, const RowsKernelSpec &spec) {
  std::string name = ("nereid.dot.rows." + llvm::Twine(int(plan.unit)) + "." + llvm::Twine(spec.rows) + "x" +
                      llvm::Twine(spec.dot.n) + "x" + llvm::Twine(spec.dot.k) + "." + llvm::Twine(spec.accStride) +
                      "." + llvm::Twine(spec.lhsStride.value_or(0)) + "." + llvm::Twine(spec.lhsDepthStride))
                         .str();
  if (spec.readsSource)
    name += (".source." + llvm::Twine(int(spec.dot.rhs)) + "." + llvm::Twine(int(precisionOf(spec.dot)))).str();
  return spec.fillsPacked ? name + ".fill" : name;
}

llvm::Function *rowsKernelFunction(llvm::Module &module, const Target &target, const DotPlan &plan,
                                   const RowsKernelSpec &spec) {
  std::string name = nameOf(plan, spec);
  if (llvm::Function *function = module.getFunction(name))
    return function;
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy(), *index = builder.getInt64Ty();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, index, pointer, pointer, index, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned i : {0, 2, 3, 5})
    function->addParamAttr(i, llvm::Attribute::NoAlias);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  RowsKernel(builder, target, plan, spec, function).emit();
  builder.CreateRetVoid();
  return function;
}

} // namespace nereid::cpu::dot
