// SharedAccess.cpp: the instructions with which one side writes or reads shared memory, given the order of the tile
// there.
#include "layout/SharedMemoryMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace nereid::layout {

namespace {

using Kind = SharedAccess::Kind;

// The registers (as masks) that vary inside of one access: `inner` inside of a word or vector, in the order of memory,
// and those that number the matrices.
struct AccessRegisters {
  F2Vectors inner, matrices;
};

// The register of the same access that comes first in memory.
F2Vector aligned(const SharedMemoryMap &map, const SharedSide &side, llvm::ArrayRef<F2Vector> inner, F2Vector mask) {
  if (side.kind == Kind::TransposedMatrix)
    return mask;
  unsigned shift = map.offsetOf(multiply(side.registers, mask)) & ((1u << inner.size()) - 1);
  return mask ^ multiply(inner, shift);
}

// Of the offset, inside of the 16 bits that matrices are made of: two bytes stay side by side.
unsigned unitBits(const SharedMemoryMap &map) { return 1 - map.elementByteBits(); }

AccessRegisters registersOf(const SharedMemoryMap &map, const SharedSide &side) {
  AccessRegisters access;
  F2Span registers(side.registers);
  unsigned inner = side.kind == Kind::Vector ? side.width : wordBits(map.elementByteBits());
  if (side.kind == Kind::TransposedMatrix)
    inner = unitBits(map);
  for (F2Vector element : map.offsetBasis().take_front(inner))
    access.inner.push_back(*registers.solve(element));
  if (side.kind == Kind::TransposedMatrix)
    access.inner.push_back(1); // register bit 0: the two halves of a word are in neighbouring rows
  if (side.kind == Kind::Vector)
    return access;
  F2Span taken(access.inner);
  for (unsigned bit = 0; bit < side.registers.size() && access.matrices.size() < 2; ++bit) {
    F2Vector mask = aligned(map, side, access.inner, F2Vector(1) << bit);
    if (!map.roundOf(multiply(side.registers, mask)) && taken.insert(mask))
      access.matrices.push_back(mask);
  }
  return access;
}

// Offsets by lane and warp. With matrices a lane names a row: lanes 0 to 2 count the rows of a matrix, 3 and 4 the
// matrices.
F2Vectors threadColumns(const SharedMemoryMap &map, const SharedSide &side, const AccessRegisters &varying) {
  F2Vectors elements;
  if (side.kind == Kind::Vector) {
    elements = side.lanes;
  } else {
    elements = phaseOf(side, map.elementByteBits());
    for (unsigned i = 0; i < 2; ++i)
      elements.push_back(i < varying.matrices.size() ? multiply(side.registers, varying.matrices[i]) : 0);
  }
  elements.append(side.warps);
  F2Vectors columns;
  for (F2Vector element : elements)
    columns.push_back(map.offsetOf(element));
  return columns;
}

// Whether all of `elements` start a piece of 2^bits elements, but for the bits below `from`.
bool arePiecesKept(const SharedMemoryMap &map, llvm::ArrayRef<F2Vector> elements, unsigned from, unsigned bits) {
  return llvm::all_of(elements,
                      [&](F2Vector element) { return (map.offsetOf(element) & ((1u << bits) - 1)) >> from == 0; });
}

// How wide a vector of registers the memory gives: its elements are all in one thread, and no lane or warp shifts them.
unsigned vectorWidth(const SharedMemoryMap &map, const SharedSide &side) {
  F2Span registers(side.registers);
  unsigned width = 0;
  while (width < map.lowBits() && registers.contains(map.offsetBasis()[width]) &&
         arePiecesKept(map, side.lanes, 0, width + 1) && arePiecesKept(map, side.warps, 0, width + 1))
    ++width;
  return width;
}

bool allowsMatrix(const SharedMemoryMap &map, const SharedSide &side) {
  unsigned inWord = wordBits(map.elementByteBits()), piece = map.lowBits();
  if (map.elementByteBits() > 2 || piece != inWord + 2 || side.lanes.size() != 5)
    return false;
  F2Span registers(side.registers);
  for (unsigned i = 0; i < inWord; ++i)
    if (!registers.contains(map.offsetBasis()[i]))
      return false;
  return map.offsetBasis()[inWord] == side.lanes[0] && map.offsetBasis()[inWord + 1] == side.lanes[1] &&
         arePiecesKept(map, llvm::ArrayRef(side.lanes).drop_front(2), 0, piece) &&
         arePiecesKept(map, side.warps, 0, piece) && arePiecesKept(map, side.registers, inWord, piece);
}

bool allowsTransposed(const SharedMemoryMap &map, const SharedSide &side) {
  if (map.elementByteBits() > 1 || side.lanes.size() != 5 || side.registers.empty())
    return false;
  unsigned inUnit = unitBits(map), piece = inUnit + 3;
  llvm::ArrayRef<F2Vector> unit = map.offsetBasis().take_front(inUnit);
  if (map.lowBits() != piece || llvm::is_contained(unit, side.registers.front()))
    return false;
  for (unsigned i = 0; i < 3; ++i)
    if (map.offsetBasis()[inUnit + i] != side.lanes[2 + i])
      return false;
  return arePiecesKept(map, llvm::ArrayRef(side.lanes).take_front(2), 0, piece) &&
         arePiecesKept(map, side.warps, 0, piece) &&
         llvm::all_of(unit, [&](F2Vector element) { return llvm::is_contained(side.registers, element); }) &&
         llvm::all_of(side.registers, [&](F2Vector element) {
           return llvm::is_contained(unit, element) || arePiecesKept(map, element, 0, piece);
         });
}

} // namespace

SharedAccess accessesOf(const SharedMemoryMap &map, const SharedSide &side) {
  AccessRegisters varying = registersOf(map, side);
  SharedAccess access;
  access.kind = side.kind;
  access.matrices = side.kind == Kind::Vector ? 0 : 1u << varying.matrices.size();
  access.elements = 1u << (varying.inner.size() + varying.matrices.size());
  access.ways = map.waysOf(side);
  access.threadColumns = threadColumns(map, side, varying);
  F2Vectors all(varying.inner);
  all.append(varying.matrices);
  F2Vectors outer = complete(all, side.registers.size());
  for (unsigned round = 0; round < map.rounds(); ++round)
    for (F2Vector index = 0; index < F2Vector(1) << outer.size(); ++index) {
      F2Vector first = aligned(map, side, varying.inner, multiply(outer, index));
      F2Vector element = multiply(side.registers, first);
      if (map.roundOf(element) != round)
        continue;
      access.offsets.push_back(map.offsetOf(element));
      for (unsigned i = 0; i < access.elements; ++i)
        access.registers.push_back(first ^ multiply(all, i));
    }
  return access;
}

unsigned accessCost(const SharedMemoryMap &map, const SharedSide &side) {
  AccessRegisters varying = registersOf(map, side);
  unsigned accesses = 1u << (side.registers.size() - varying.inner.size() - varying.matrices.size());
  unsigned phases = side.kind == Kind::Vector ? std::max(1u, (1u << (side.width + map.elementByteBits())) / 4)
                                              : 1u << varying.matrices.size();
  return accesses * (phases * map.waysOf(side) + 1);
}

unsigned idleThreads(SharedAccess::Kind kind, const LinearLayout &layout) {
  // All lanes of a warp take part in a matrix access.
  return layout.freeBits(Dim::Warp) << 5 | (kind == Kind::Vector ? layout.freeBits(Dim::Lane) : 0);
}

SharedAccess planAccess(const LinearLayout &memory, const LinearLayout &layout, unsigned elementBytes, bool isWrite,
                        bool hasMatrices) {
  assert(memory.isInvertible() && "every element has one place in memory");
  SharedMemoryMap map(memory, llvm::Log2_32(elementBytes));
  SharedSide best(layout);
  best.width = vectorWidth(map, best);
  auto consider = [&](Kind kind) {
    SharedSide side(layout);
    side.kind = kind;
    if (accessCost(map, side) < accessCost(map, best))
      best = side;
  };
  // Lanes with copies would write a row of a matrix twice.
  hasMatrices &= !isWrite || !layout.freeBits(Dim::Lane);
  if (hasMatrices && allowsMatrix(map, best))
    consider(Kind::Matrix);
  if (hasMatrices && allowsTransposed(map, best))
    consider(Kind::TransposedMatrix);
  SharedAccess access = accessesOf(map, best);
  if (isWrite)
    access.idleThreads = idleThreads(access.kind, layout);
  return access;
}

} // namespace nereid::layout
