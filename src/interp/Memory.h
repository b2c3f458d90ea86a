// Memory.h: loads and stores, by pointers and by descriptors.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

enum class Access : uint8_t { Load, Store, Atomic };

// Whether the program may touch these bytes; fails the program when not.
bool mayAccess(Machine &machine, const Instruction &instruction, uint64_t address, size_t bytes, Access access);
// "`x` has 100 elements (shape [100]), and the load reads element 103"
std::string describeBadAccess(const Launch &launch, uint64_t address, size_t bytes, Access access);

// Inline part of mayAccess: the allocation of the access before.
inline bool isAllowed(const Machine &machine, uint64_t address, size_t bytes) {
  uint64_t offset = address - machine.allowed;
  return offset < machine.allowedBytes && bytes <= machine.allowedBytes - offset;
}

// Operand 0 pointers, operand 1 mask and operand 2 other, where present.
struct LoadPayload : Payload {
  bool hasMask = false, hasOther = false;
};
Handler loadHandler(Element element);

// Operand 0 pointers, operand 1 values, operand 2 mask, where present.
struct StorePayload : Payload {
  bool hasMask = false;
};
Handler storeHandler(Element element);

// A block of a described tensor: operand 0 the descriptor, operands 1 … rank its offsets; or, for gather and scatter,
// operand 1 rows and operand 2 the column. `value` is the tile that is read or written.
struct BlockPayload : Payload {
  std::vector<int64_t> blockShape;
  std::vector<uint32_t> indices;
  uint32_t rows = 0;
  bool hasRows = false;
  Slot value;
};

// Calls visit(element index in the tile, address, whether it is inside the tensor) for each element of the block.
template <typename Visit>
void forEachInBlock(Machine &machine, const Descriptor &descriptor, const BlockPayload &payload, Visit visit) {
  size_t rank = payload.blockShape.size();
  size_t elementBytes = byteSize(payload.value.element);
  int64_t begin[kMaxRank] = {}, at[kMaxRank] = {};
  for (size_t d = 0; d < rank; ++d)
    begin[d] = payload.indices[d] ? *machine.at<int32_t>(payload.indices[d]) : 0;
  for (size_t i = 0; i < payload.value.count; ++i) {
    bool isInside = true;
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d) {
      int64_t index = d == 0 && payload.hasRows ? machine.at<int32_t>(payload.rows)[at[0]] : begin[d] + at[d];
      isInside &= index >= 0 && index < descriptor.shape[d];
      offset += int64_t(uint64_t(index) * uint64_t(descriptor.strides[d]));
    }
    visit(i, descriptor.base + uint64_t(offset) * elementBytes, isInside);
    for (size_t d = rank; d-- > 0 && ++at[d] == payload.blockShape[d];)
      at[d] = 0;
  }
}

// Operands: the base, the extents and the strides, in Fact::operands; the payload says what reads outside give.
struct MakeDescriptorPayload : Payload {
  bool padNaN = false;
};
void runMakeDescriptor(Machine &machine, const Instruction &instruction);
void runDescriptorLoad(Machine &machine, const Instruction &instruction);
void runDescriptorStore(Machine &machine, const Instruction &instruction);

} // namespace nereid::interp
