// SharedEvents.cpp: finds the accesses of shared buffers in a function.
#include "gpu/lower/SharedEvents.h"

#include "gpu/lower/Instructions.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace nereid::gpu {

namespace {

class Finder {
public:
  Finder(SharedEvents &events, llvm::ArrayRef<SharedBuffer> buffers) : events(events) {
    for (auto [i, buffer] : llvm::enumerate(buffers))
      indices[buffer.variable] = i;
    events.hasEnd.resize(buffers.size());
    events.escapes.resize(buffers.size());
  }

  void visit(llvm::Instruction &instruction, std::vector<SharedEvent> &list) {
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      if (isMarker(*call, list))
        return;
      if (Instructions::isBarrierOfAll(*call)) {
        list.push_back({SharedEvent::Kind::Barrier, 0, call});
        return;
      }
    }
    // An address that is computed with is not accessed; one that becomes a number may be accessed anywhere.
    bool isAddress = llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::ICmpInst>(instruction);
    bool isAccess =
        llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction) ||
        llvm::isa<llvm::IntrinsicInst>(instruction);
    for (llvm::Value *operand : instruction.operands()) {
      if (isAddress || !operand->getType()->isPointerTy())
        continue;
      for (unsigned buffer : buffersOf(operand)) {
        list.push_back({SharedEvent::Kind::Access, buffer, &instruction});
        if (!isAccess)
          events.escapes[buffer] = true;
      }
    }
  }

private:
  bool isMarker(llvm::CallInst &call, std::vector<SharedEvent> &list) {
    llvm::Function *callee = call.getCalledFunction();
    if (!callee || (callee->getName() != kBufferBegins && callee->getName() != kBufferEnds))
      return false;
    bool isBegin = callee->getName() == kBufferBegins;
    unsigned buffer = indices.lookup(call.getArgOperand(0)->stripPointerCasts());
    list.push_back({isBegin ? SharedEvent::Kind::Begin : SharedEvent::Kind::End, buffer, &call});
    if (!isBegin)
      events.hasEnd[buffer] = true;
    events.markers.push_back(&call);
    return true;
  }

  llvm::SmallVector<unsigned, 2> buffersOf(llvm::Value *pointer) {
    llvm::SmallVector<const llvm::Value *, 4> objects;
    llvm::getUnderlyingObjects(pointer, objects);
    llvm::SmallVector<unsigned, 2> found;
    for (const llvm::Value *object : objects)
      if (auto entry = indices.find(object); entry != indices.end())
        found.push_back(entry->second);
    return found;
  }

  SharedEvents &events;
  llvm::DenseMap<const llvm::Value *, unsigned> indices;
};

} // namespace

SharedEvents::SharedEvents(llvm::Function &function, llvm::ArrayRef<SharedBuffer> buffers) {
  llvm::DenseMap<llvm::BasicBlock *, unsigned> numbers;
  Finder finder(*this, buffers);
  for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function)) {
    numbers[block] = blocks.size();
    blocks.push_back({block, {}, {}, {}});
    for (llvm::Instruction &instruction : *block)
      finder.visit(instruction, blocks.back().events);
  }
  for (unsigned i = 0; i < blocks.size(); ++i)
    for (llvm::BasicBlock *successor : llvm::successors(blocks[i].block)) {
      blocks[i].successors.push_back(numbers[successor]);
      blocks[numbers[successor]].predecessors.push_back(i);
    }
}

} // namespace nereid::gpu
