// SharedBuffers.cpp: marks in the code where buffers begin and end.
#include "gpu/lower/Instructions.h"
#include "gpu/lower/SharedEvents.h"
#include "gpu/lower/SharedTrace.h"

namespace nereid::gpu {

constexpr unsigned kSharedSpace = 3;

llvm::Function *SharedBuffers::marker(llvm::StringRef name) {
  llvm::Type *pointer = llvm::PointerType::get(module.getContext(), kSharedSpace);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {pointer}, false);
  return llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
}

llvm::Value *SharedBuffers::begin(llvm::IRBuilder<> &builder, uint64_t bytes, uint64_t alignment,
                                  uint64_t bytesPerWarp) {
  auto *type = llvm::ArrayType::get(builder.getInt8Ty(), bytes);
  auto *variable = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr, "buffer",
                                            nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
  variable->setAlignment(llvm::Align(alignment));
  buffers.push_back({variable, bytes, alignment, bytesPerWarp});
  builder.CreateCall(marker(kBufferBegins), {variable});
  return variable;
}

void SharedBuffers::end(llvm::IRBuilder<> &builder, llvm::Value *buffer) {
  builder.CreateCall(marker(kBufferEnds), {buffer});
}

llvm::Value *SharedBuffers::emitBarrier(llvm::IRBuilder<> &builder) const {
  // Number 0 is that of the whole block.
  Instructions instructions(builder);
  return threads ? instructions.barrier(builder.getInt32(1), threads) : instructions.barrier();
}

static thread_local SharedTrace *currentTrace = nullptr;
SharedTrace::SharedTrace() { currentTrace = this; }
SharedTrace::~SharedTrace() { currentTrace = nullptr; }
SharedTrace *SharedTrace::current() { return currentTrace; }

static std::vector<SharedUse> usesOf(const SharedEvents &events, llvm::ArrayRef<SharedBuffer> buffers,
                                     const SharedPlaces &places) {
  std::vector<SharedUse> uses;
  for (auto [buffer, offset] : llvm::zip(buffers, places.offsets))
    uses.push_back({.offset = offset, .bytes = buffer.bytes});
  unsigned time = 0;
  for (const SharedEvents::Block &block : events.blocks)
    for (const SharedEvent &event : block.events) {
      ++time;
      if (event.kind == SharedEvent::Kind::Barrier)
        continue;
      SharedUse &use = uses[event.buffer];
      use.end = time;
      if (use.begin)
        continue;
      use.begin = time;
      if (event.instruction && event.instruction->getDebugLoc())
        use.line = event.instruction->getDebugLoc().getLine();
    }
  return uses;
}

// Threads that have just met need not meet again: a barrier behind another one, with no access to memory between, orders nothing.
// They come from ops that each ask for one (memory that changes hands, an atomic that releases it).
static void dropRepeatedBarriers(llvm::Function &function) {
  for (llvm::BasicBlock &block : function) {
    llvm::CallInst *last = nullptr;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && Instructions::isBarrierOfAll(*call)) {
        if (last && last->isIdenticalTo(call))
          call->eraseFromParent();
        else
          last = call;
      } else if (instruction.mayReadOrWriteMemory()) {
        last = nullptr;
      }
    }
  }
}

uint64_t SharedBuffers::place(llvm::Function &function, llvm::Constant *memory) {
  SharedEvents events(function, buffers);
  SharedPlaces places = placeBuffers(events, buffers);
  if (SharedTrace *trace = SharedTrace::current())
    trace->uses = usesOf(events, buffers, places);
  placeBarriers(events, buffers, places, *this);
  for (llvm::CallInst *call : events.markers)
    call->eraseFromParent();
  dropRepeatedBarriers(function);
  for (auto [buffer, offset] : llvm::zip(buffers, places.offsets)) {
    llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
    llvm::Constant *index = llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()), offset);
    buffer.variable->replaceAllUsesWith(llvm::ConstantExpr::getInBoundsGetElementPtr(byte, memory, index));
    buffer.variable->eraseFromParent();
  }
  buffers.clear();
  for (llvm::StringRef name : {kBufferBegins, kBufferEnds})
    if (llvm::Function *declaration = module.getFunction(name))
      declaration->eraseFromParent();
  return places.bytes;
}

} // namespace nereid::gpu
