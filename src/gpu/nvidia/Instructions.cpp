// Instructions.cpp: the instructions of NVIDIA's threads, as LLVM's intrinsics or as inline PTX where there is none.
#include "gpu/lower/Instructions.h"

#include "codegen/math/Nvidia.h"
#include "gpu/lower/Lowering.h"
#include "gpu/nvidia/Ptx.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::gpu {

using namespace llvm::Intrinsic;

llvm::Value *Instructions::thread() { return builder.CreateIntrinsic(nvvm_read_ptx_sreg_tid_x, {}); }

llvm::Value *Instructions::program(unsigned axis) {
  constexpr ID kIds[] = {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y, nvvm_read_ptx_sreg_ctaid_z};
  return builder.CreateIntrinsic(kIds[axis], {});
}

llvm::Value *Instructions::programs(unsigned axis) {
  constexpr ID kIds[] = {nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y, nvvm_read_ptx_sreg_nctaid_z};
  return builder.CreateIntrinsic(kIds[axis], {});
}

llvm::Value *Instructions::time() { return builder.CreateIntrinsic(nvvm_read_ptx_sreg_globaltimer, {}); }

llvm::Value *Instructions::special(llvm::StringRef name) {
  if (name == "globaltimer")
    return time();
  return builder.CreateIntrinsic(name == "smid" ? nvvm_read_ptx_sreg_smid : nvvm_read_ptx_sreg_clock64, {});
}

void Instructions::markKernel(llvm::Function &kernel, unsigned threads) {
  kernel.setCallingConv(llvm::CallingConv::PTX_Kernel);
  kernel.addFnAttr(llvm::Attribute::NoUnwind);
  kernel.addFnAttr("nvvm.reqntid", std::to_string(threads));
}

void Instructions::limitRegisters(llvm::Function &kernel, unsigned registers) {
  kernel.addFnAttr("nvvm.maxnreg", std::to_string(registers));
}

void Instructions::fitBlocks(llvm::Function &kernel, unsigned blocks) {
  kernel.addFnAttr("nvvm.minctasm", std::to_string(blocks));
}

void Instructions::keepAddresses(llvm::Function &kernel) { kernel.addFnAttr(kFormsAddresses); }

// CUDA's own function for it, which prints where.
void Instructions::failAssertion(llvm::Module &module, const std::string &text, const std::string &file, unsigned line,
                                 const std::string &function) {
  llvm::Type *pointer = builder.getPtrTy(), *number = builder.getInt32Ty(), *size = builder.getInt64Ty();
  llvm::FunctionCallee fail = module.getOrInsertFunction(
      "__assertfail", llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, number, pointer, size}, false));
  auto global = [&](const std::string &value) {
    return builder.CreateAddrSpaceCast(builder.CreateGlobalString(value, "text", kGlobal), pointer);
  };
  builder.CreateCall(fail, {global(text), global(file), builder.getInt32(line), global(function), builder.getInt64(1)});
}

llvm::Value *Instructions::shuffleXor(llvm::Value *word, unsigned mask) {
  return builder.CreateIntrinsic(nvvm_shfl_sync_bfly_i32, {},
                                 {builder.getInt32(-1), word, builder.getInt32(mask), builder.getInt32(31)});
}

llvm::Value *Instructions::shuffleFrom(llvm::Value *word, llvm::Value *lane) {
  return builder.CreateIntrinsic(nvvm_shfl_sync_idx_i32, {}, {builder.getInt32(-1), word, lane, builder.getInt32(31)});
}

llvm::Value *Instructions::shuffleBy(llvm::Value *word, int distance) {
  bool isUp = distance > 0;
  return builder.CreateIntrinsic(
      isUp ? nvvm_shfl_sync_up_i32 : nvvm_shfl_sync_down_i32, {},
      {builder.getInt32(-1), word, builder.getInt32(isUp ? distance : -distance), builder.getInt32(isUp ? 0 : 31)});
}

llvm::Value *Instructions::hiddenZero() {
  llvm::Value *lane = builder.CreateIntrinsic(nvvm_read_ptx_sreg_lanemask_eq, {}); // one bit
  return builder.CreateZExt(builder.CreateICmpEQ(lane, builder.getInt32(0)), builder.getInt32Ty());
}

llvm::Value *Instructions::barrier() {
  return builder.CreateIntrinsic(nvvm_barrier_cta_sync_aligned_all, {}, {builder.getInt32(0)});
}

llvm::Value *Instructions::barrier(llvm::Value *number, unsigned threads) {
  return builder.CreateIntrinsic(nvvm_barrier_cta_sync_aligned_count, {}, {number, builder.getInt32(threads)});
}

void Instructions::warpBarrier() { builder.CreateIntrinsic(nvvm_bar_warp_sync, {}, {builder.getInt32(-1)}); }

llvm::Value *Instructions::anyInBlock(llvm::Value *condition) {
  return builder.CreateIntrinsic(nvvm_barrier_cta_red_or_aligned_all, {}, {builder.getInt32(0), condition});
}

bool Instructions::isBarrierOfAll(const llvm::CallInst &call) {
  return call.getIntrinsicID() == nvvm_barrier_cta_sync_aligned_all ||
         (call.getIntrinsicID() == nvvm_barrier_cta_sync_aligned_count &&
          llvm::isa<llvm::Constant>(call.getArgOperand(0)));
}

// Shuffles, votes, barriers, matrices. Others may move out of loops.
bool Instructions::meetsOthers(llvm::StringRef assembly) {
  return assembly.contains(".sync") || assembly.contains("bar") || assembly.contains("activemask");
}

static void emitGridControl(llvm::IRBuilder<> &builder, const char *text) {
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), false);
  builder.CreateCall(llvm::InlineAsm::get(type, text, "~{memory}", true));
}

void Instructions::startDependentGrids() { emitGridControl(builder, "griddepcontrol.launch_dependents;"); }
void Instructions::waitForEarlierGrids() { emitGridControl(builder, "griddepcontrol.wait;"); }

void Instructions::giveRegisters(unsigned count) {
  builder.CreateIntrinsic(nvvm_setmaxnreg_dec_sync_aligned_u32, {}, {builder.getInt32(count)});
}

void Instructions::takeRegisters(unsigned count) {
  builder.CreateIntrinsic(nvvm_setmaxnreg_inc_sync_aligned_u32, {}, {builder.getInt32(count)});
}

static ID matrixIntrinsic(bool isStore, bool isTransposed, unsigned count) {
  constexpr ID kIds[2][2][3] = {
      {{nvvm_ldmatrix_sync_aligned_m8n8_x1_b16, nvvm_ldmatrix_sync_aligned_m8n8_x2_b16,
        nvvm_ldmatrix_sync_aligned_m8n8_x4_b16},
       {nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16, nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16,
        nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16}},
      {{nvvm_stmatrix_sync_aligned_m8n8_x1_b16, nvvm_stmatrix_sync_aligned_m8n8_x2_b16,
        nvvm_stmatrix_sync_aligned_m8n8_x4_b16},
       {nvvm_stmatrix_sync_aligned_m8n8_x1_trans_b16, nvvm_stmatrix_sync_aligned_m8n8_x2_trans_b16,
        nvvm_stmatrix_sync_aligned_m8n8_x4_trans_b16}}};
  return kIds[isStore][isTransposed][llvm::Log2_32(count)];
}

Values Instructions::loadMatrices(llvm::Value *address, unsigned count, bool isTransposed) {
  llvm::Value *loaded =
      builder.CreateIntrinsic(matrixIntrinsic(false, isTransposed, count), {address->getType()}, {address});
  Values words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(count == 1 ? loaded : builder.CreateExtractValue(loaded, i));
  return words;
}

void Instructions::storeMatrices(llvm::Value *address, llvm::ArrayRef<llvm::Value *> words, bool isTransposed) {
  Values arguments{address};
  arguments.append(words.begin(), words.end());
  builder.CreateIntrinsic(matrixIntrinsic(true, isTransposed, words.size()), {address->getType()}, arguments);
}

llvm::Value *Instructions::chooseBytes(llvm::Value *low, llvm::Value *high, uint32_t selection) {
  return builder.CreateIntrinsic(nvvm_prmt, {}, {low, high, builder.getInt32(selection)});
}

llvm::Value *Instructions::packBytes(llvm::Value *high, llvm::Value *low, llvm::Value *rest, bool isSigned) {
  llvm::Type *word = builder.getInt32Ty();
  auto *type = llvm::FunctionType::get(word, {word, word, word}, false);
  std::string text = std::string("cvt.pack.sat.") + (isSigned ? "s8" : "u8") + ".s32.b32 $0, $1, $2, $3;";
  return builder.CreateCall(llvm::InlineAsm::get(type, text, "=r,r,r,r", false), {high, low, rest});
}

llvm::Value *Instructions::widenE4m3(llvm::Value *pair) {
  return builder.CreateIntrinsic(nvvm_e4m3x2_to_f16x2_rn, {}, {pair});
}

llvm::Value *Instructions::narrowToE4m3(llvm::Value *high, llvm::Value *low) {
  return builder.CreateIntrinsic(nvvm_ff_to_e4m3x2_rn, {}, {high, low});
}

llvm::Value *Instructions::narrowToE5m2(llvm::Value *high, llvm::Value *low) {
  return builder.CreateIntrinsic(nvvm_ff_to_e5m2x2_rn, {}, {high, low});
}

llvm::Value *Instructions::cutToInteger(llvm::Value *number, unsigned bits, bool isSigned) {
  return codegen::terms::cutToInteger(builder, number, bits, isSigned);
}

llvm::Value *Instructions::reciprocal(llvm::Value *number) {
  return builder.CreateIntrinsic(nvvm_rcp_approx_ftz_f, {}, {number});
}

Values Instructions::zeros(llvm::FixedVectorType *type) {
  std::string text, outputs;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    text += "mov.b32 $" + std::to_string(i) + ", 0;\n\t";
    outputs += std::string(i ? "," : "") + (type->getElementType()->isFloatTy() ? "=f" : "=r");
  }
  llvm::SmallVector<llvm::Type *> fields(type->getNumElements(), type->getElementType());
  auto *form = llvm::FunctionType::get(llvm::StructType::get(builder.getContext(), fields), false);
  llvm::Value *written = builder.CreateCall(llvm::InlineAsm::get(form, text, outputs, true));
  Values parts;
  for (unsigned i = 0; i < fields.size(); ++i)
    parts.push_back(builder.CreateExtractValue(written, i));
  return parts;
}

llvm::Type *Instructions::registerType(llvm::StringRef constraint) {
  // A digit is the register of a result, and n and i are constants; null: another machine's.
  if (constraint.empty() || !llvm::StringRef("rhlfdbqni0123456789").contains(constraint.back()))
    return nullptr;
  switch (constraint.back()) {
  case 'h': return builder.getInt16Ty();
  case 'l': return builder.getInt64Ty();
  case 'f': return builder.getFloatTy();
  case 'd': return builder.getDoubleTy();
  case 'b': return builder.getInt1Ty();
  default: return builder.getInt32Ty();
  }
}

llvm::Value *Instructions::hidden(llvm::Value *number) {
  bool isLong = number->getType()->isIntegerTy(64);
  auto *form = llvm::FunctionType::get(number->getType(), {number->getType()}, false);
  return builder.CreateCall(
      llvm::InlineAsm::get(form, isLong ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;", isLong ? "=l,l" : "=r,r", false),
      {number});
}

} // namespace nereid::gpu
