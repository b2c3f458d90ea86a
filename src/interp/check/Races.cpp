// Races.cpp: accesses, their times, and conflicts.
#include "interp/check/Races.h"

#include <algorithm>
#include <cstdlib>

namespace nereid::interp {

void Races::addMemory(uint64_t begin, size_t bytes) {
  // Untouched pages cost nothing: most tensors are written or read once.
  auto *states = static_cast<State *>(std::calloc(bytes / granule + 2, sizeof(State)));
  if (states)
    memories.push_back({begin, bytes, {states, &std::free}});
}

Races::State *Races::statesOf(uint64_t address, size_t bytes, size_t &count) {
  for (Memory &memory : memories) {
    uint64_t offset = address - memory.begin;
    if (offset >= memory.bytes || bytes > memory.bytes - offset)
      continue;
    size_t first = offset / granule, last = (offset + bytes - 1) / granule;
    count = last - first + 1;
    return memory.states.get() + first;
  }
  return nullptr;
}

bool Races::isBefore(const Touch &touch, uint32_t program) {
  if (touch.program == 0 || touch.program == program + 1)
    return true;
  auto clock = clocks.find(program);
  if (clock == clocks.end())
    return false;
  auto seen = clock->second.seen.find(touch.program - 1);
  return seen != clock->second.seen.end() && touch.time <= seen->second;
}

std::optional<Races::Conflict> Races::read(uint32_t program, uint32_t fact, uint64_t address, size_t bytes) {
  size_t count = 0;
  State *states = statesOf(address, bytes, count);
  std::optional<Conflict> conflict;
  Touch me{program + 1, clocks[program].own, fact};
  for (size_t i = 0; states && i < count; ++i) {
    State &state = states[i];
    if (!conflict && !isBefore(state.writer, program))
      conflict = Conflict{state.writer.program - 1, state.writer.fact, true};
    if (state.reader.program != me.program)
      state.otherReader = state.reader;
    state.reader = me;
  }
  return conflict;
}

std::optional<Races::Conflict> Races::touchAtomically(uint32_t program, uint64_t address, size_t bytes) {
  size_t count = 0;
  State *states = statesOf(address, bytes, count);
  for (size_t i = 0; states && i < count; ++i)
    if (!isBefore(states[i].writer, program))
      return Conflict{states[i].writer.program - 1, states[i].writer.fact, true};
  return std::nullopt;
}

std::optional<Races::Conflict> Races::write(uint32_t program, uint32_t fact, uint64_t address, size_t bytes) {
  size_t count = 0;
  State *states = statesOf(address, bytes, count);
  std::optional<Conflict> conflict;
  Touch me{program + 1, clocks[program].own, fact};
  for (size_t i = 0; states && i < count; ++i) {
    State &state = states[i];
    for (const Touch *touch : {&state.writer, &state.reader, &state.otherReader})
      if (!conflict && !isBefore(*touch, program))
        conflict = Conflict{touch->program - 1, touch->fact, touch == &state.writer};
    state.writer = me;
  }
  return conflict;
}

void Races::joinTimes(Times &to, const Times &from) {
  for (auto [program, time] : from) {
    uint32_t &known = to[program];
    known = std::max(known, time);
  }
}

void Races::acquire(uint32_t program, uint64_t address) {
  if (auto found = released.find(address); found != released.end())
    joinTimes(clocks[program].seen, found->second);
}

void Races::release(uint32_t program, uint64_t address) {
  Clock &clock = clocks[program];
  Times &times = released[address];
  joinTimes(times, clock.seen);
  times[program] = clock.own++;
}

} // namespace nereid::interp
