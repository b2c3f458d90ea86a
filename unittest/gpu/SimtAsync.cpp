// SimtAsync.cpp: the simulated TMA, copies by threads that go on beside them, and barriers that count both. Copies are done at once; what they wrote is
// known to a thread when it has waited for the barrier's phase, and that they have read when the group was awaited.
#include "SimtMachine.h"

#include "llvm/IR/InlineAsm.h"

#include <cstring>

namespace nereid::gpu {

using namespace llvm;

static StringRef textOf(const CallInst &call) {
  return call.isInlineAsm() ? StringRef(cast<InlineAsm>(call.getCalledOperand())->getAsmString()) : StringRef();
}

// The number behind `mark`.
static int64_t numberBehind(StringRef text, StringRef mark) {
  int64_t number = 0;
  text.split(mark).second.ltrim().consumeInteger(10, number);
  return number;
}

bool SimtMachine::isPhaseWait(const CallInst &call) { return textOf(call).contains("mbarrier.try_wait.parity"); }

bool SimtMachine::hasPhaseEnded(Thread &thread, CallInst &call) {
  auto barrier = counting.find(scalar(thread, call.getArgOperand(0)));
  if (barrier == counting.end()) {
    fail("a thread waits at memory that is no barrier");
    return true;
  }
  if (barrier->second.phase == (scalar(thread, call.getArgOperand(1)) & 1))
    return false;
  join(thread.seen, barrier->second.ended);
  return true;
}

bool SimtMachine::wakeWaiting() {
  bool hasWoken = false;
  for (Thread &thread : threads)
    if (thread.waitsAt && isPhaseWait(*thread.waitsAt) && hasPhaseEnded(thread, *thread.waitsAt)) {
      thread.waitsAt = nullptr;
      hasWoken = true;
    }
  return hasWoken;
}

void SimtMachine::endPhase(CountingBarrier &barrier) {
  if (barrier.missing || barrier.bytes)
    return;
  barrier.phase ^= 1;
  barrier.missing = barrier.arrivals;
  barrier.ended = barrier.arriving;
}

void SimtMachine::arrive(Thread &thread, uint64_t address, int64_t bytes) {
  auto found = counting.find(address);
  if (found == counting.end() || !found->second.missing) {
    fail("an arrival too many, or at memory that is no barrier");
    return;
  }
  CountingBarrier &barrier = found->second;
  --barrier.missing;
  barrier.bytes += bytes;
  join(barrier.arriving, thread.seen);
  ++thread.seen[thread.index];
  endPhase(barrier);
}

// Operands: place in shared memory, map, [barrier,] coordinates.
void SimtMachine::copyBox(Thread &thread, CallInst &call, bool isLoad) {
  uint64_t place = scalar(thread, call.getArgOperand(0));
  const Map &map = maps[scalar(thread, call.getArgOperand(1))];
  unsigned rank = map.box.size(), first = isLoad ? 3 : 2;
  std::vector<int64_t> start;
  for (unsigned i = 0; i < rank; ++i)
    start.push_back(int32_t(scalar(thread, call.getArgOperand(first + i))));
  int64_t elements = 1;
  for (int64_t extent : map.box)
    elements *= extent;
  unsigned agent = threads.size(), bytes = map.elementBytes;
  ++engineTime;
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i, address = 0;
    bool isInside = true;
    for (unsigned axis = 0; axis < rank; ++axis) {
      int64_t index = start[axis] + rest % map.box[axis];
      rest /= map.box[axis];
      isInside &= index >= 0 && index < map.extents[axis];
      address += index * map.strides[axis];
    }
    // Chunks of 16 bytes change places with the rows of 128 bytes.
    uint64_t target = place + uint64_t(i) * bytes;
    target ^= (target >> 7 & (map.swizzle / 16 - 1)) << 4;
    uint8_t *inShared = memory(target, true, bytes);
    uint8_t *inGlobal = isInside ? memory(map.base + uint64_t(address) * bytes, false, bytes) : nullptr;
    if (!inShared || (isInside && !inGlobal))
      return;
    for (unsigned byte = 0; byte < bytes; ++byte)
      touch(agent, thread.seen, target + byte, isLoad ? Access::Write : Access::Read);
    if (isLoad)
      isInside ? std::memcpy(inShared, inGlobal, bytes) : std::memset(inShared, 0, bytes);
    else if (isInside)
      std::memcpy(inGlobal, inShared, bytes);
  }
  if (!isLoad)
    return;
  auto found = counting.find(scalar(thread, call.getArgOperand(2)));
  if (found == counting.end()) {
    fail("a copy counts its bytes at memory that is no barrier");
    return;
  }
  CountingBarrier &barrier = found->second;
  join(barrier.arriving, thread.seen);
  barrier.arriving[agent] = engineTime;
  barrier.bytes -= elements * bytes;
  endPhase(barrier);
}

// Operands: place in shared memory, in global memory, and perhaps how many bytes there are: the rest is zeros.
void SimtMachine::copyPiece(Thread &thread, CallInst &call, unsigned bytes, bool isPart) {
  uint64_t place = scalar(thread, call.getArgOperand(0)), from = scalar(thread, call.getArgOperand(1));
  uint64_t filled = isPart ? scalar(thread, call.getArgOperand(2)) : bytes;
  if (place % bytes || from % bytes || filled > bytes) {
    fail("a copy of " + std::to_string(bytes) + " bytes is not aligned, or asked for more");
    return;
  }
  uint8_t *inShared = memory(place, true, bytes), *inGlobal = filled ? memory(from, false, filled) : nullptr;
  if (!inShared || (filled && !inGlobal))
    return;
  ++engineTime;
  for (unsigned byte = 0; byte < bytes; ++byte) {
    touch(threads.size(), thread.seen, place + byte, Access::Write);
    inShared[byte] = byte < filled ? inGlobal[byte] : 0;
  }
}

void SimtMachine::runAssembly(Thread &thread, CallInst &call) {
  StringRef text = textOf(call);
  if (text.starts_with("@$")) {
    unsigned predicate = unsigned(numberBehind(text, "@$"));
    if (!scalar(thread, call.getArgOperand(predicate)))
      return;
  }
  auto operand = [&] { return scalar(thread, call.getArgOperand(0)); };
  if (isPhaseWait(call) || text.starts_with("fence."))
    return;
  if (text.contains("mbarrier.init")) {
    unsigned arrivals = unsigned(numberBehind(text, "],"));
    counting[operand()] = {arrivals, arrivals, 0, 0, thread.seen, thread.seen};
  } else if (text.contains("mbarrier.inval")) {
    counting.erase(operand());
  } else if (text.contains("expect_tx")) {
    arrive(thread, operand(), numberBehind(text, "],"));
  } else if (text.contains("cp.async.mbarrier.arrive")) {
    if (auto barrier = counting.find(operand()); barrier != counting.end())
      barrier->second.arriving[threads.size()] = engineTime;
    arrive(thread, operand(), 0);
  } else if (text.contains("mbarrier.arrive")) {
    arrive(thread, operand(), 0);
  } else if (text.contains("st.global.b32 [$0], $1;")) {
    store(thread, operand(), /*isShared=*/false, 4, {scalar(thread, call.getArgOperand(1))});
  } else if (text.contains(".shared.global [$0], [$1], ")) {
    copyPiece(thread, call, unsigned(numberBehind(text, "[$1],")), text.contains("$2;"));
  } else if (text.contains("async.bulk.tensor")) {
    copyBox(thread, call, text.contains("mbarrier::complete_tx"));
  } else if (text.contains("bulk.commit_group")) {
    storeGroups[thread.index].push_back(engineTime);
  } else if (text.contains("bulk.wait_group.read")) {
    std::deque<uint32_t> &groups = storeGroups[thread.index];
    for (int64_t pending = numberBehind(text, "read"); int64_t(groups.size()) > pending; groups.pop_front())
      thread.seen[threads.size()] = std::max(thread.seen[threads.size()], groups.front());
  } else {
    fail("the simulator does not know `" + text.str() + "`");
  }
}

} // namespace nereid::gpu
