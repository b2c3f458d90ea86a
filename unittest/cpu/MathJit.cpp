// MathJit.cpp: a loop around each function, one object for all of them, and ORC to run it.
#include "MathJit.h"

#include "cpu/Object.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"

namespace nereid::cpu::test {

using namespace llvm;

std::vector<std::string> allLevels() { return {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}; }

bool canRun(const std::string &level) { return findTarget(level)->runsHere(); }

struct MathJit::State {
  std::unique_ptr<orc::LLJIT> jit;
};

MathJit::~MathJit() = default;

namespace {

llvm::Type *typeOf(char letter, LLVMContext &context) {
  switch (letter) {
  case 'f': return llvm::Type::getFloatTy(context);
  case 'd': return llvm::Type::getDoubleTy(context);
  case 'b': return llvm::Type::getInt8Ty(context);
  case 'h': return llvm::Type::getInt16Ty(context);
  case 'l': return llvm::Type::getInt64Ty(context);
  default: return llvm::Type::getInt32Ty(context);
  }
}

Value *emitLanes(IRBuilder<> &builder, const cpu::Target &target, const LaneFunction &spec, Function *function,
                 Value *index) {
  auto lanesOf = [&](llvm::Type *type) -> llvm::Type * {
    return spec.lanes == 1 ? type : FixedVectorType::get(type, spec.lanes);
  };
  SmallVector<Value *> operands;
  for (size_t i = 0; spec.signature[i] != '>'; ++i) {
    llvm::Type *type = typeOf(spec.signature[i], builder.getContext());
    Value *address = builder.CreateGEP(type, function->getArg(1 + i), index);
    operands.push_back(builder.CreateAlignedLoad(lanesOf(type), address, Align(1)));
  }
  Value *result = spec.emit(builder, target, operands);
  llvm::Type *type = typeOf(spec.signature.back(), builder.getContext());
  if (result && spec.signature.back() == 't')
    result = builder.CreateZExt(result, lanesOf(type));
  if (!result || result->getType() != lanesOf(type))
    return nullptr;
  builder.CreateAlignedStore(result, builder.CreateGEP(type, function->getArg(0), index), Align(1));
  return result;
}

// void name(result, a, b, c, count)
bool emitLoop(Module &module, const cpu::Target &target, const LaneFunction &spec) {
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(context);
  llvm::Type *pointer = builder.getPtrTy();
  auto *type =
      FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer, pointer, builder.getInt64Ty()}, false);
  Function *function = Function::Create(type, Function::ExternalLinkage, spec.name, module);
  auto *entry = BasicBlock::Create(context, "entry", function), *loop = BasicBlock::Create(context, "loop", function),
       *end = BasicBlock::Create(context, "end", function);
  builder.SetInsertPoint(entry);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), entry);
  if (!emitLanes(builder, target, spec, function, index))
    return false;
  Value *next = builder.CreateAdd(index, builder.getInt64(spec.lanes));
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, function->getArg(4)), loop, end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  return !verifyFunction(*function, &errs());
}

// An instruction of GPUs as this machine can do it: as rough.
void replaceRoughReciprocals(Module &module) {
  for (Function &function : module)
    if (function.getIntrinsicID() == Intrinsic::nvvm_rcp_approx_ftz_d)
      for (User *user : make_early_inc_range(function.users())) {
        auto *call = cast<CallInst>(user);
        IRBuilder<> builder(call);
        Value *inverse = builder.CreateFDiv(ConstantFP::get(builder.getDoubleTy(), 1), call->getArgOperand(0));
        Value *upper = builder.CreateAnd(builder.CreateBitCast(inverse, builder.getInt64Ty()), 0xffffffff00000000);
        call->replaceAllUsesWith(builder.CreateBitCast(upper, builder.getDoubleTy()));
        call->eraseFromParent();
      }
}

std::string undefinedSymbols(MemoryBufferRef buffer) {
  auto file = cantFail(object::ObjectFile::createObjectFile(buffer));
  std::string names;
  for (const object::SymbolRef &symbol : file->symbols())
    if (cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined)
      if (StringRef name = cantFail(symbol.getName()); !name.empty())
        names += (names.empty() ? "" : ", ") + name.str();
  return names;
}

} // namespace

MathJit::MathJit(const std::string &level, const std::vector<LaneFunction> &functions)
    : level(level), state(std::make_unique<State>()) {
  static const bool isReady = !InitializeNativeTarget() && !InitializeNativeTargetAsmPrinter();
  if (!isReady) {
    error = "no code generator";
    return;
  }
  LLVMContext context;
  Module module("math", context);
  cpu::Target target = *findTarget(level);
  for (const LaneFunction &function : functions)
    if (!emitLoop(module, target, function)) {
      error = function.name + " has no code of signature " + function.signature;
      return;
    }
  replaceRoughReciprocals(module);
  optimize(module, target);
  auto object = emitObject(module, target);
  if (!object) {
    error = object.error().message;
    return;
  }
  StringRef bytes(reinterpret_cast<const char *>(object->data()), object->size());
  std::unique_ptr<MemoryBuffer> buffer = MemoryBuffer::getMemBufferCopy(bytes, "math");
  if (std::string names = undefinedSymbols(buffer->getMemBufferRef()); !names.empty()) {
    error = "calls " + names;
    return;
  }
  if (!canRun(level))
    return;
  state->jit = cantFail(orc::LLJITBuilder().create());
  cantFail(state->jit->addObjectFile(std::move(buffer)));
}

MathJit::Run MathJit::find(const std::string &name) { return cantFail(state->jit->lookup(name)).toPtr<Run>(); }

} // namespace nereid::cpu::test
