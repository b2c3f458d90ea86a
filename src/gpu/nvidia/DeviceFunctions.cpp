// DeviceFunctions.cpp: functions of math and libdevice that are one PTX instruction, or few: approximations, the larger of
// two, and arithmetic and conversions with a rounding mode in their name (`__nv_fadd_rz`, `__nv_ll2float_rd`).
#include "codegen/Lanes.h"
#include "codegen/math/Math.h"
#include "gpu/lower/FloatCast.h"
#include "gpu/nvidia/Approximate.h"

#include "llvm/IR/InlineAsm.h"

namespace nereid::gpu {

const codegen::MathTarget &mathTarget() {
  // No register holds two doubles; two chains of dependent instructions in a function hide each other's latency.
  static const codegen::MathTarget kTarget{.vectorBits = 128, .hasFma = true, .isX86 = false, .isNvidia = true};
  return kTarget;
}

namespace {

struct Family {
  llvm::StringRef name;        // between `__nv_` and the rounding mode
  llvm::StringRef instruction; // with % for the mode
  unsigned operands;
  char result; // PTX's letter for the register
  char operand;
};

constexpr Family kFamilies[] = {
    {"fadd", "add.%.f32", 2, 'f', 'f'},
    {"dadd", "add.%.f64", 2, 'd', 'd'},
    {"fsub", "sub.%.f32", 2, 'f', 'f'},
    {"dsub", "sub.%.f64", 2, 'd', 'd'},
    {"fmul", "mul.%.f32", 2, 'f', 'f'},
    {"dmul", "mul.%.f64", 2, 'd', 'd'},
    {"fdiv", "div.%.f32", 2, 'f', 'f'},
    {"ddiv", "div.%.f64", 2, 'd', 'd'},
    {"fmaf", "fma.%.f32", 3, 'f', 'f'},
    {"fma", "fma.%.f64", 3, 'd', 'd'},
    {"frcp", "rcp.%.f32", 1, 'f', 'f'},
    {"drcp", "rcp.%.f64", 1, 'd', 'd'},
    {"fsqrt", "sqrt.%.f32", 1, 'f', 'f'},
    {"dsqrt", "sqrt.%.f64", 1, 'd', 'd'},
    {"int2float", "cvt.%.f32.s32", 1, 'f', 'r'},
    {"uint2float", "cvt.%.f32.u32", 1, 'f', 'r'},
    {"ll2float", "cvt.%.f32.s64", 1, 'f', 'l'},
    {"ull2float", "cvt.%.f32.u64", 1, 'f', 'l'},
    {"ll2double", "cvt.%.f64.s64", 1, 'd', 'l'},
    {"ull2double", "cvt.%.f64.u64", 1, 'd', 'l'},
    {"double2float", "cvt.%.f32.f64", 1, 'f', 'd'},
};

// As libdevice ends its names, and as PTX calls it.
llvm::StringRef modeOf(llvm::StringRef suffix) {
  return suffix == "rn" ? "rn" : suffix == "rz" ? "rz" : suffix == "rd" ? "rm" : suffix == "ru" ? "rp" : "";
}

llvm::Value *emitRounded(Lowering &lowering, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands) {
  if (!name.consume_front("__nv_"))
    return nullptr;
  auto [stem, suffix] = name.rsplit('_');
  llvm::StringRef mode = modeOf(suffix);
  for (const Family &family : kFamilies) {
    if (mode.empty() || family.name != stem || family.operands != operands.size())
      continue;
    std::string text =
        (family.instruction.split('%').first + mode + family.instruction.split('%').second + " $0").str();
    std::string constraints = std::string("=") + family.result;
    llvm::SmallVector<llvm::Type *> types;
    for (unsigned i = 0; i < family.operands; ++i) {
      text += ", $" + std::to_string(i + 1);
      constraints += std::string(",") + family.operand;
      types.push_back(operands[i]->getType()->getScalarType());
    }
    llvm::Type *result = family.result == 'f' ? lowering.builder.getFloatTy() : lowering.builder.getDoubleTy();
    auto *code = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text + ";", constraints, false);
    return codegen::mapLanes(lowering.builder, operands, [&](codegen::Operands scalars) {
      llvm::CallInst *call = lowering.builder.CreateCall(code, scalars);
      call->setDoesNotAccessMemory();
      return call;
    });
  }
  return nullptr;
}

// The norm of four is the norm of the norm of three and the fourth.
llvm::Value *emitNorm(llvm::IRBuilder<> &builder, llvm::StringRef name, codegen::Operands operands) {
  if (!name.contains("norm4d"))
    return nullptr;
  bool isSingle = name.ends_with("f"), isReciprocal = name.contains("rnorm");
  llvm::Value *three =
      codegen::emitMath(builder, mathTarget(), isSingle ? "__nv_norm3df" : "__nv_norm3d", operands.take_front(3));
  std::string last = std::string("__nv_") + (isReciprocal ? "r" : "") + (isSingle ? "hypotf" : "hypot");
  return three ? codegen::emitMath(builder, mathTarget(), last, {three, operands[3]}) : nullptr;
}

} // namespace

llvm::Value *Instructions::function(Lowering &lowering, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Type *element = operands[0]->getType()->getScalarType();
  if (element->isFloatTy())
    if (llvm::Value *value = emitApproximate(lowering, name, operands))
      return value;
  bool isFloat = element->isFloatTy() || element->isDoubleTy();
  return isFloat ? emitExtremum(builder, name, operands) : nullptr;
}

llvm::Value *Instructions::deviceFunction(Lowering &lowering, llvm::StringRef name,
                                          llvm::ArrayRef<llvm::Value *> operands) {
  if (operands[0]->getType()->getScalarType()->isFloatTy())
    if (llvm::Value *value = emitApproximate(lowering, name, operands))
      return value;
  for (llvm::Value *value : {emitPermuted(builder, name, operands), emitNorm(builder, name, operands)})
    if (value)
      return value;
  return emitRounded(lowering, name, operands);
}

bool Instructions::isInLibrary(llvm::StringRef name) { return name.starts_with("__nv_"); }

} // namespace nereid::gpu
