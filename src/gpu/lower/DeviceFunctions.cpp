// DeviceFunctions.cpp: functions of libdevice that are one PTX instruction: arithmetic and conversions with a rounding
// mode in their name (`__nv_fadd_rz`, `__nv_ll2float_rd`).
#include "gpu/lower/Math.h"

#include "codegen/Lanes.h"
#include "gpu/lower/FloatCast.h"

#include "llvm/IR/InlineAsm.h"

namespace nereid::gpu {

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

} // namespace

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

} // namespace nereid::gpu
