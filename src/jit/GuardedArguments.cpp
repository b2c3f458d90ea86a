#include "jit/GuardedArguments.h"

#include "runtime/GuardedMemory.h"

#include <algorithm>
#include <cstring>

namespace nereid::jit {

// What nobody is likely to write by mistake.
static constexpr std::byte kUntouched{0xA5};

std::vector<ByteRange> memoryOf(const Specialization &specialization) {
  std::vector<ByteRange> memory;
  for (const runtime::Allocation &tensor : specialization.allocations) {
    auto begin = reinterpret_cast<uintptr_t>(tensor.data);
    memory.push_back({begin, begin + tensor.bytes});
  }
  return memory;
}

Result<GuardedArguments> GuardedArguments::copy(const std::vector<ByteRange> &memory) {
  GuardedArguments guarded;
  std::vector<Piece> &pieces = guarded.pieces;
  for (const ByteRange &range : memory)
    if (range.begin) // those without a byte, too: nothing of them may be touched
      pieces.push_back({range.begin, range.end, nullptr, nullptr});
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
    piece.before.reset(new (std::nothrow) std::byte[bytes]);
    if (memory)
      piece.memory.reset(memory + offset, [=](std::byte *) { runtime::freeGuarded(memory, bytes + offset); });
    if (!memory || !piece.before)
      return Error{Status::Environment, "error: no memory for a guarded copy of " + std::to_string(bytes) + " bytes\n"};
    auto [begin, end] = runtime::pagesOf(memory, bytes + offset);
    std::fill(begin, piece.memory.get(), kUntouched);
    std::fill(piece.memory.get() + bytes, end, kUntouched);
    std::memcpy(piece.before.get(), reinterpret_cast<const void *>(piece.begin), bytes);
    std::memcpy(piece.memory.get(), piece.before.get(), bytes);
  }
  return guarded;
}

uintptr_t GuardedArguments::movedAddress(uintptr_t address) const {
  auto moved = [&](const Piece &piece) {
    return reinterpret_cast<uintptr_t>(piece.memory.get()) + (address - piece.begin);
  };
  for (const Piece &piece : pieces)
    if (address >= piece.begin && address < piece.end)
      return moved(piece);
  for (const Piece &piece : pieces) // of a tensor without elements at the end of another one
    if (address == piece.end)
      return moved(piece);
  return address;
}

std::vector<runtime::Allocation> GuardedArguments::moved(std::vector<runtime::Allocation> allocations) const {
  for (runtime::Allocation &tensor : allocations)
    tensor.data = reinterpret_cast<void *>(movedAddress(reinterpret_cast<uintptr_t>(tensor.data)));
  return allocations;
}

Specialization GuardedArguments::moved(Specialization specialization) const {
  for (size_t i = 0; i < specialization.arguments.size(); ++i) {
    runtime::Argument &argument = specialization.arguments[i];
    bool isAddress = specialization.sources[i].form == WordSource::Form::Pointer || !argument.shape.empty();
    if (isAddress)
      argument.value = movedAddress(argument.value);
  }
  specialization.allocations = moved(std::move(specialization.allocations));
  return specialization;
}

void GuardedArguments::copyBack() const {
  constexpr size_t kStep = 256; // bytes that are compared at a time
  for (const Piece &piece : pieces) {
    size_t bytes = piece.end - piece.begin;
    auto *to = reinterpret_cast<std::byte *>(piece.begin);
    for (size_t at = 0; at < bytes; at += kStep) {
      size_t count = std::min(kStep, bytes - at);
      const std::byte *before = piece.before.get() + at, *after = piece.memory.get() + at;
      if (std::memcmp(before, after, count) == 0)
        continue;
      for (size_t i = 0; i < count; ++i)
        if (before[i] != after[i])
          to[at + i] = after[i];
    }
  }
}

std::optional<uintptr_t> GuardedArguments::strayWrite() const {
  for (const Piece &piece : pieces) {
    size_t bytes = piece.end - piece.begin, offset = piece.begin % 16;
    std::byte *memory = piece.memory.get();
    auto [begin, end] = runtime::pagesOf(memory - offset, bytes + offset);
    auto isTouched = [](std::byte value) { return value != kUntouched; };
    if (std::byte *found = std::find_if(memory + bytes, end, isTouched); found != end)
      return reinterpret_cast<uintptr_t>(found);
    if (std::byte *found = std::find_if(begin, memory, isTouched); found != memory)
      return reinterpret_cast<uintptr_t>(found);
  }
  return std::nullopt;
}

} // namespace nereid::jit
