// SharedBuffers.h: what a kernel keeps in shared memory while its code is made. A buffer is a variable of its own until
// the whole function is there; then PlaceShared.cpp gives all of them places in one block of memory.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <cstdint>

namespace nereid::gpu {

struct SharedBuffer {
  llvm::GlobalVariable *variable = nullptr;
  uint64_t bytes = 0;
  uint64_t alignment = 16;
  // Where not 0: each warp uses a part of this size only, one warp after the other, and waits for nobody.
  uint64_t bytesPerWarp = 0;
};

class SharedBuffers {
public:
  explicit SharedBuffers(llvm::Module &module) : module(module) {}

  // A new buffer. It lives from here to its last access, or to end() where that is called: that is for buffers whose
  // address goes where accesses cannot be seen (descriptors, inline assembly). All threads of the block pass here.
  llvm::Value *begin(llvm::IRBuilder<> &builder, uint64_t bytes, uint64_t alignment = 16, uint64_t bytesPerWarp = 0);
  void end(llvm::IRBuilder<> &builder, llvm::Value *buffer);

  // Gives every buffer its place behind `memory`, and puts barriers where a buffer begins while others may still use
  // that place. Gives the size of the memory.
  uint64_t place(llvm::Function &function, llvm::Constant *memory);

  // A barrier of all threads of the block; from setThreads on, of so many of them, which are all that use buffers then.
  llvm::Value *emitBarrier(llvm::IRBuilder<> &builder) const;
  void setThreads(unsigned count) { threads = count; }

private:
  llvm::Function *marker(llvm::StringRef name);

  llvm::Module &module;
  llvm::SmallVector<SharedBuffer> buffers;
  unsigned threads = 0; // 0: all
};

} // namespace nereid::gpu
