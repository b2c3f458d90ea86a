// Emit.h: LLVM IR to the bytes of an object file or to assembly text, with what the code generator reports as text.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Target/TargetMachine.h"

#include "dialect/Tile.h"

namespace nereid::codegen {

struct Emitted {
  bool isRefused = false; // the target writes no such file
  std::string problems;   // bad inline assembly, too large a frame …: LLVM would print them and exit
  llvm::SmallVector<char, 0> bytes;
};
// `without`: the names of passes that the code generator leaves out.
Emitted emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                 llvm::ArrayRef<llvm::StringRef> without = {});

// LLVM's name of an atomic operation.
llvm::AtomicRMWInst::BinOp operationOf(tile::RmwKind kind);

} // namespace nereid::codegen
