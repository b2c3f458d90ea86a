// AmxKernel.cpp: products in the tile registers of AMX: each holds 16 rows of 64 bytes, and an instruction adds the
// product of two of them to a third, 16 x 16 sums of 32 bits.
//
// Blocks are 2 x 2 tiles of sums, so that each loaded tile is used twice. Products of bf16 are summed in pairs in f32,
// and numbers that are too small for a normal f32 count as zero: within the tolerance of a product, but not bit for bit
// what the vector kernels give.
#include "cpu/dot/AmxKernel.h"

#include "cpu/dot/Loop.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <array>

namespace nereid::cpu::dot {

using llvm::Value;

namespace {

constexpr int64_t kTile = 16; // rows, and units of 32 bits in a row
// The tile registers: four of sums, two of the lhs, two of the rhs.
constexpr unsigned kLhs = 4, kRhs = 6;

class AmxKernel {
public:
  AmxKernel(llvm::IRBuilderBase &builder, const DotPlan &plan, const DotSpec &spec, int64_t accStride,
            llvm::Function *function)
      : builder(builder), plan(plan), spec(spec), accStride(accStride), layout(rhsLayout(spec, plan)),
        lhs(function->getArg(0)), lhsStride(function->getArg(1)), rhs(function->getArg(2)), acc(function->getArg(3)) {}

  void emit() {
    call(llvm::Intrinsic::x86_ldtilecfg, {configuration()});
    int64_t inPairs = spec.m / (2 * kTile) * (2 * kTile);
    emitLoop(builder, 0, inPairs, 2 * kTile, [&](Value *row) { emitRows(row, 2); });
    if (inPairs < spec.m)
      emitRows(constant(inPairs), 1);
    call(llvm::Intrinsic::x86_tilerelease, {});
  }

private:
  Value *constant(int64_t value) { return builder.getInt64(value); }
  Value *times(Value *value, int64_t factor) { return builder.CreateMul(value, constant(factor)); }
  Value *unitAt(Value *base, Value *index) { return builder.CreateGEP(builder.getInt32Ty(), base, index); }

  void call(llvm::Intrinsic::ID id, llvm::ArrayRef<Value *> operands) {
    llvm::Module *module = builder.GetInsertBlock()->getModule();
    builder.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(module, id), operands);
  }
  Value *tile(unsigned index) { return builder.getInt8(index); }

  // Palette 1; bytes of a row of tile t at 16 + 2 t, its rows at 48 + t. All eight are of full size.
  Value *configuration() {
    std::array<uint8_t, 64> bytes{};
    bytes[0] = 1;
    for (unsigned t = 0; t < 8; ++t)
      bytes[16 + 2 * t] = 64, bytes[48 + t] = kTile;
    llvm::Module *module = builder.GetInsertBlock()->getModule();
    if (llvm::GlobalVariable *variable = module->getNamedGlobal("nereid.dot.tiles"))
      return variable;
    auto *value = llvm::ConstantDataArray::get(builder.getContext(), llvm::ArrayRef<uint8_t>(bytes));
    auto *variable = new llvm::GlobalVariable(*module, value->getType(), true, llvm::GlobalValue::InternalLinkage,
                                              value, "nereid.dot.tiles");
    variable->setAlignment(llvm::Align(64));
    return variable;
  }

  void emitRows(Value *row, unsigned rowTiles) {
    int64_t panel = layout.panel, inPanels = spec.n / panel * panel;
    auto block = [&](Value *column, int64_t columns) { emitBlock(row, rowTiles, column, columns / kTile); };
    emitLoop(builder, 0, inPanels, panel, [&](Value *column) { block(column, panel); });
    if (inPanels < spec.n)
      block(constant(inPanels), spec.n - inPanels);
  }

  void emitBlock(Value *row, unsigned rowTiles, Value *column, unsigned columnTiles) {
    Value *sums = unitAt(acc, builder.CreateAdd(times(row, accStride), column));
    auto forEachSum = [&](llvm::Intrinsic::ID id) {
      for (unsigned i = 0; i < rowTiles; ++i)
        for (unsigned j = 0; j < columnTiles; ++j)
          call(id, {tile(2 * i + j), unitAt(sums, constant((i * accStride + j) * kTile)), constant(accStride * 4)});
    };
    forEachSum(llvm::Intrinsic::x86_tileloadd64);
    Value *lhsRows = builder.CreateGEP(builder.getInt8Ty(), lhs, builder.CreateMul(row, lhsStride));
    Value *nextRows = builder.CreateGEP(builder.getInt8Ty(), lhsRows, times(lhsStride, kTile));
    Value *panel = unitAt(rhs, times(builder.CreateUDiv(column, constant(layout.panel)), layout.panelStride));
    emitLoop(builder, 0, plan.units, kTile, [&](Value *u) {
      for (unsigned j = 0; j < columnTiles; ++j) {
        Value *index = builder.CreateAdd(times(u, layout.depthStride), constant(j * kTile));
        call(llvm::Intrinsic::x86_tileloadd64,
             {tile(kRhs + j), unitAt(panel, index), constant(layout.depthStride * 4)});
      }
      for (unsigned i = 0; i < rowTiles; ++i) {
        call(llvm::Intrinsic::x86_tileloadd64, {tile(kLhs + i), unitAt(i ? nextRows : lhsRows, u), lhsStride});
        for (unsigned j = 0; j < columnTiles; ++j)
          call(multiplication(), {tile(2 * i + j), tile(kLhs + i), tile(kRhs + j)});
      }
    });
    forEachSum(llvm::Intrinsic::x86_tilestored64);
  }

  llvm::Intrinsic::ID multiplication() const {
    if (plan.unit == DotUnit::BF16x2)
      return llvm::Intrinsic::x86_tdpbf16ps;
    bool isLhsSigned = spec.lhs == DotElement::I8, isRhsSigned = spec.rhs == DotElement::I8;
    if (isLhsSigned)
      return isRhsSigned ? llvm::Intrinsic::x86_tdpbssd : llvm::Intrinsic::x86_tdpbsud;
    return isRhsSigned ? llvm::Intrinsic::x86_tdpbusd : llvm::Intrinsic::x86_tdpbuud;
  }

  llvm::IRBuilderBase &builder;
  const DotPlan &plan;
  const DotSpec &spec;
  int64_t accStride;
  PackedLayout layout;
  Value *lhs, *lhsStride, *rhs, *acc;
};

} // namespace

llvm::Function *amxKernelFunction(llvm::Module &module, const DotPlan &plan, const DotSpec &spec, int64_t accStride) {
  std::string name =
      ("nereid.dot.amx." + llvm::Twine(int(spec.lhs)) + "." + llvm::Twine(int(spec.rhs)) + "." + llvm::Twine(spec.m) +
       "x" + llvm::Twine(spec.n) + "x" + llvm::Twine(spec.k) + "." + llvm::Twine(accStride))
          .str();
  if (llvm::Function *function = module.getFunction(name))
    return function;
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, builder.getInt64Ty(), pointer, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  AmxKernel(builder, plan, spec, accStride, function).emit();
  builder.CreateRetVoid();
  return function;
}

} // namespace nereid::cpu::dot
