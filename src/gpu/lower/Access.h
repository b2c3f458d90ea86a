// Access.h: one access to global memory by one thread: several elements next to each other, under a predicate, with
// what the source says about caches.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

struct AccessHints {
  tile::CacheModifier cache = tile::CacheModifier::None;
  tile::EvictionPolicy evict = tile::EvictionPolicy::Normal;
  bool isVolatile = false;
  bool isPlain() const {
    return cache == tile::CacheModifier::None && evict == tile::EvictionPolicy::Normal && !isVolatile;
  }
};

// How the bits of neighbouring elements are cut into PTX registers.
struct Words {
  unsigned bits, count;
  Words(unsigned elementBits, unsigned elements) {
    unsigned total = elementBits * elements;
    bits = elementBits == 64 ? 64 : std::min(32u, total);
    count = total / bits;
  }
  // PTX has no 8-bit registers.
  llvm::Type *type(llvm::IRBuilder<> &builder) const { return builder.getIntNTy(std::max(16u, bits)); }
  std::string constraint() const { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
  std::string vector() const { return count > 1 ? ".v" + std::to_string(count) : ""; }
};
Values toWords(Lowering &lowering, llvm::ArrayRef<llvm::Value *> elements, const Words &words);
Values fromWords(Lowering &lowering, llvm::ArrayRef<llvm::Value *> words, const Words &shape, llvm::Type *type,
                 unsigned count);
// `$3`, or `{$3, $4}`: operands of inline PTX.
std::string operandList(unsigned first, unsigned count);

// An instruction of inline PTX in the making: its results come first among its operands.
class PtxInstruction {
public:
  explicit PtxInstruction(Lowering &lowering) : lowering(lowering) {}
  PtxInstruction(Lowering &lowering, const Words &results);

  unsigned next() const { return resultCount + arguments.size(); } // the number of the operand that is added next
  void add(const std::string &constraint, llvm::Value *value);
  // `effects` are constraints too: "~{memory}".
  Values emit(const std::string &text, const std::string &effects = "");

private:
  Lowering &lowering;
  llvm::Type *result = nullptr; // of one of the words
  unsigned resultCount = 0;
  std::string constraints;
  Values arguments;
  llvm::SmallVector<llvm::Type *> types;
};

// `instruction [address], elements;` under a predicate; null: always.
void writeGlobal(Lowering &lowering, const std::string &instruction, llvm::Value *address,
                 llvm::ArrayRef<llvm::Value *> elements, llvm::Value *predicate, const std::string &effects = "");

// How many registers in a row one access can cover: at most 16 bytes, as far as addresses and masks allow. `bytes` are those
// of an element.
unsigned accessWidth(const analysis::AxisInfoAnalysis &axes, mlir::Value pointers, mlir::Value mask,
                     const LinearLayout &layout, unsigned bytes);
// The same for copies into shared memory.
unsigned copyWidth(const analysis::AxisInfoAnalysis &axes, warp::CopyAsyncOp op);

// How many registers in a row are of one element: pointers, masks and what else decides are the same.
unsigned equalAccesses(const analysis::AxisInfoAnalysis &axes, mlir::ValueRange operands, const LinearLayout &layout);

// Reads `count` elements of `type` (which is how they are in memory). Where the predicate is false the elements of
// `other` come back; a null predicate is always true, a null other is zeros.
Values loadGlobal(Lowering &lowering, llvm::Value *address, llvm::Type *type, unsigned count, llvm::Value *predicate,
                  llvm::ArrayRef<llvm::Value *> other, const AccessHints &hints);
void storeGlobal(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements,
                 llvm::Value *predicate, const AccessHints &hints);

} // namespace nereid::gpu
