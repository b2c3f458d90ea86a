// Outline.cpp: functions of the module, and calls of them by register.
#include "codegen/math/Outline.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace nereid::codegen::terms {

using llvm::Value;

namespace {

constexpr llvm::StringRef kPrefix = "nereid.math.";

llvm::Function *declare(MathCode &code, const std::string &name, llvm::Type *type, size_t arity) {
  llvm::Function *caller = code.builder.GetInsertBlock()->getParent();
  llvm::SmallVector<llvm::Type *> operands(arity, type);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(type, operands, false),
                                          llvm::GlobalValue::InternalLinkage, name, caller->getParent());
  // Code for one processor: what the caller says about it holds here too.
  for (llvm::StringRef key : {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width"})
    if (caller->hasFnAttribute(key))
      function->addFnAttr(caller->getFnAttribute(key));
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->setDoesNotAccessMemory();
  return function;
}

llvm::Function *findOrEmit(MathCode &code, llvm::StringRef name, EmitFunction emit, unsigned lanes, size_t arity) {
  std::string symbol = (kPrefix + name + (lanes == code.target.lanes(64) ? "" : ".1")).str();
  llvm::Module *module = code.builder.GetInsertBlock()->getModule();
  if (llvm::Function *function = module->getFunction(symbol))
    return function;
  llvm::LLVMContext &context = module->getContext();
  auto *type = llvm::FixedVectorType::get(llvm::Type::getDoubleTy(context), lanes);
  llvm::Function *function = declare(code, symbol, type, arity);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
  MathCode inner{builder, code.target};
  llvm::SmallVector<Term> operands;
  for (llvm::Argument &argument : function->args())
    operands.push_back({inner, &argument});
  builder.CreateRet(emit(operands).value);
  return function;
}

// As doubles; the exponent of a power may be an integer.
Term widened(Term a) {
  llvm::IRBuilderBase &builder = a.code->builder;
  if (!a.isFloat())
    return a.with(builder.CreateSIToFP(a.value, a.typeOf(builder.getDoubleTy())));
  return a.isDouble() ? a : toDouble(a);
}

// Lanes [start, start + lanes) of a vector, or of a scalar, whose last one stands in for those it does not have.
Value *piece(Term a, unsigned start, unsigned lanes) {
  llvm::IRBuilderBase &builder = a.code->builder;
  if (!a.type()->isVectorTy())
    return builder.CreateVectorSplat(lanes, a.value);
  llvm::SmallVector<int> mask(lanes);
  for (unsigned i = 0; i < lanes; ++i)
    mask[i] = int(std::min(start + i, a.lanes() - 1));
  return builder.CreateShuffleVector(a.value, mask);
}

// `result` with the lanes of a register from `start` on; result may be null at first.
Value *insertPiece(llvm::IRBuilderBase &builder, Value *result, Value *part, unsigned start, unsigned lanes,
                   unsigned partLanes) {
  llvm::SmallVector<int> widened(lanes, -1), both(lanes);
  for (unsigned i = 0; i < partLanes && start + i < lanes; ++i)
    widened[start + i] = int(i);
  Value *wide = builder.CreateShuffleVector(part, widened);
  if (!result)
    return wide;
  for (unsigned i = 0; i < lanes; ++i)
    both[i] = int(i < start ? i : lanes + i);
  return builder.CreateShuffleVector(result, wide, both);
}

} // namespace

Term callOutlined(llvm::StringRef name, EmitFunction emit, llvm::ArrayRef<Term> operands) {
  Term first = operands[0];
  MathCode &code = *first.code;
  llvm::IRBuilderBase &builder = code.builder;
  llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
  builder.clearFastMathFlags();
  bool isDouble = first.isDouble();
  unsigned width = code.target.lanes(64), lanes = first.lanes();
  if (code.target.isNvidia && lanes == 1) // a lane beside it would be work
    width = 1;
  llvm::Function *function = findOrEmit(code, name, emit, width, operands.size());
  llvm::SmallVector<Term> wide;
  for (Term operand : operands)
    wide.push_back(widened(operand));
  Value *result = nullptr;
  for (unsigned start = 0; start < lanes; start += width) {
    llvm::SmallVector<Value *> parts;
    for (Term operand : wide)
      parts.push_back(piece(operand, start, width));
    Value *part = builder.CreateCall(function, parts);
    result = first.type()->isVectorTy() ? insertPiece(builder, result, part, start, lanes, width)
                                        : builder.CreateExtractElement(part, uint64_t(0));
  }
  return isDouble ? first.with(result) : toSingle(first.with(result));
}

void inlineSingleUses(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.getName().starts_with(kPrefix) && !function.getName().contains(kRare) && function.hasOneUse()) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
}

} // namespace nereid::codegen::terms
