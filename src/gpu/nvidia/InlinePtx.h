// InlinePtx.h: instructions of PTX inside of LLVM IR.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

// An instruction without results, where the condition holds (null: always). `constraints` as LLVM writes them; memory may change.
void callPtx(llvm::IRBuilder<> &builder, const std::string &text, const std::string &constraints,
             llvm::ArrayRef<llvm::Value *> arguments, llvm::Value *condition = nullptr);

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
unsigned bitsInRegister(llvm::Type *type);

// An instruction in the making: its results come first among its operands.
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

// `instruction [address], elements, policy;` under a predicate (null: always), with what the cache is told (null: nothing).
void writeGlobal(Lowering &lowering, const std::string &instruction, llvm::Value *address,
                 llvm::ArrayRef<llvm::Value *> elements, llvm::Value *predicate, const std::string &effects = "",
                 llvm::Value *policy = nullptr);

} // namespace nereid::gpu
