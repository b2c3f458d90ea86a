#include "jit/GuardedArguments.h"

#include "runtime/GuardedMemory.h"

#include <algorithm>
#include <cstring>

namespace nereid::jit {

Result<GuardedArguments> GuardedArguments::copy(const Specialization &specialization) {
  GuardedArguments guarded;
  std::vector<Piece> &pieces = guarded.pieces;
  for (const runtime::Allocation &tensor : specialization.allocations)
    if (auto begin = reinterpret_cast<uintptr_t>(tensor.data); tensor.bytes)
      pieces.push_back({begin, begin + tensor.bytes, nullptr});
  std::ranges::sort(pieces, {}, &Piece::begin);
  size_t count = 0;
  for (const Piece &piece : pieces) {
    if (count && piece.begin < pieces[count - 1].end)
      pieces[count - 1].end = std::max(pieces[count - 1].end, piece.end);
    else
      pieces[count++] = piece;
  }
  pieces.resize(count);
  for (Piece &piece : pieces) {
    size_t bytes = piece.end - piece.begin;
    // As far from a multiple of 16 as it was: code may be compiled for that.
    size_t offset = piece.begin % 16;
    std::byte *memory = runtime::allocateGuarded(bytes + offset);
    if (!memory)
      return Error{Status::Environment, "error: no memory for a guarded copy of " + std::to_string(bytes) + " bytes\n"};
    piece.memory.reset(memory + offset, [=](std::byte *) { runtime::freeGuarded(memory, bytes + offset); });
    std::memcpy(piece.memory.get(), reinterpret_cast<const void *>(piece.begin), bytes);
  }
  return guarded;
}

uintptr_t GuardedArguments::movedAddress(uintptr_t address) const {
  for (const Piece &piece : pieces)
    if (address >= piece.begin && address <= piece.end)
      return reinterpret_cast<uintptr_t>(piece.memory.get()) + (address - piece.begin);
  return address;
}

Specialization GuardedArguments::moved(Specialization specialization) const {
  for (size_t i = 0; i < specialization.arguments.size(); ++i) {
    runtime::Argument &argument = specialization.arguments[i];
    bool isAddress = specialization.sources[i].form == WordSource::Form::Pointer || !argument.shape.empty();
    if (isAddress)
      argument.value = movedAddress(argument.value);
  }
  for (runtime::Allocation &tensor : specialization.allocations)
    tensor.data = reinterpret_cast<void *>(movedAddress(reinterpret_cast<uintptr_t>(tensor.data)));
  return specialization;
}

// Only what has changed: the caller's memory may be read-only, or somebody else's turn.
void GuardedArguments::copyBack() const {
  for (const Piece &piece : pieces) {
    size_t bytes = piece.end - piece.begin;
    auto *to = reinterpret_cast<std::byte *>(piece.begin);
    if (std::memcmp(to, piece.memory.get(), bytes) != 0)
      std::memcpy(to, piece.memory.get(), bytes);
  }
}

} // namespace nereid::jit
