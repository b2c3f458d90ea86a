// SharedTile.cpp: accesses of shared memory as vectors, or as 8 x 8 matrices with stmatrix and ldmatrix.
#include "gpu/lower/SharedTile.h"

#include <algorithm>

namespace nereid::gpu {

using layout::SharedAccess;
using Kind = layout::SharedAccess::Kind;

llvm::Value *toMemoryBits(Lowering &lowering, llvm::Value *tile) {
  llvm::Value *bits = lowering.toBits(tile);
  auto *type = llvm::cast<llvm::FixedVectorType>(bits->getType());
  unsigned bytes = Lowering::bytesOf(tile->getType()->getScalarType());
  return lowering.builder.CreateZExt(
      bits, llvm::FixedVectorType::get(lowering.builder.getIntNTy(8 * bytes), type->getNumElements()));
}

llvm::Value *fromMemoryBits(Lowering &lowering, llvm::Value *bits, llvm::Type *type) {
  llvm::Type *element = type->getScalarType();
  if (element->isIntegerTy())
    return lowering.builder.CreateTrunc(bits, type);
  return lowering.fromBits(bits, type);
}

namespace {

class Accesses {
public:
  Accesses(Lowering &lowering, const SharedAccess &access, llvm::Value *base, unsigned bytes)
      : lowering(lowering), builder(lowering.builder), access(access), base(base), bytes(bytes) {
    layout::F2Vectors columns;
    for (layout::F2Vector column : access.threadColumns) {
      columns.push_back(column * bytes);
      moved |= column * bytes;
    }
    threadOffset = lowering.linearMap(lowering.thread, columns);
  }

  // Bits that no thread moves are added, so that they become part of the instruction.
  llvm::Value *address(unsigned index) {
    unsigned offset = access.offsets[index] * bytes;
    llvm::Value *varying = builder.CreateXor(threadOffset, builder.getInt32(offset & moved));
    llvm::Value *start = builder.CreateInBoundsGEP(builder.getInt8Ty(), base, varying);
    return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), start, offset & ~moved);
  }

  // Of one access: as few words as hold it.
  llvm::Type *memoryType(llvm::Type *element) {
    unsigned total = access.elements * bytes;
    if (bytes >= 4 || total < 4)
      return llvm::FixedVectorType::get(element, access.elements);
    return llvm::FixedVectorType::get(builder.getInt32Ty(), total / 4);
  }

  void write(unsigned index, llvm::ArrayRef<llvm::Value *> registers) {
    Values parts;
    for (unsigned i = 0; i < access.elements; ++i)
      parts.push_back(registers[access.registers[index * access.elements + i]]);
    llvm::Value *words = builder.CreateBitCast(lowering.pack(parts), memoryType(parts.front()->getType()));
    if (access.kind == Kind::Vector) {
      builder.CreateAlignedStore(words, address(index), llvm::Align(access.elements * bytes));
      return;
    }
    lowering.instructions.storeMatrices(address(index), lowering.unpack(words), access.kind == Kind::TransposedMatrix);
  }

  void read(unsigned index, llvm::Type *element, llvm::MutableArrayRef<llvm::Value *> registers) {
    llvm::Value *words;
    if (access.kind == Kind::Vector) {
      words = builder.CreateAlignedLoad(memoryType(element), address(index), llvm::Align(access.elements * bytes));
    } else {
      words = lowering.pack(
          lowering.instructions.loadMatrices(address(index), access.matrices, access.kind == Kind::TransposedMatrix));
    }
    llvm::Value *elements = builder.CreateBitCast(words, llvm::FixedVectorType::get(element, access.elements));
    for (unsigned i = 0; i < access.elements; ++i)
      registers[access.registers[index * access.elements + i]] = lowering.extract(elements, i);
  }

private:
  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  const SharedAccess &access;
  llvm::Value *base, *threadOffset;
  unsigned bytes, moved = 0;
};

} // namespace

void writeShared(Lowering &lowering, const SharedAccess &access, unsigned first, unsigned count, llvm::Value *base,
                 llvm::ArrayRef<llvm::Value *> registers) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto write = [&] {
    Accesses accesses(lowering, access, base, registers.front()->getType()->getIntegerBitWidth() / 8);
    for (unsigned i = first; i < first + count; ++i)
      accesses.write(i, registers);
  };
  unsigned idle = access.idleThreads & (lowering.isOnlyWarp() ? 31 : ~0u);
  if (!idle)
    return write();
  lowering.emitIf(builder.CreateICmpEQ(builder.CreateAnd(lowering.thread, builder.getInt32(idle)), builder.getInt32(0)),
                  write);
}

void readShared(Lowering &lowering, const SharedAccess &access, unsigned first, unsigned count, llvm::Value *base,
                llvm::Type *element, llvm::MutableArrayRef<llvm::Value *> registers) {
  Accesses accesses(lowering, access, base, element->getIntegerBitWidth() / 8);
  for (unsigned i = first; i < first + count; ++i)
    accesses.read(i, element, registers);
}

} // namespace nereid::gpu
