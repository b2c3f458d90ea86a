// FirstLaunches.cpp: the first launches of a kernel on the processor run on copies of their tensors between pages that nobody may
// touch, so that a kernel that leaves its tensors gets a message and not the heap of the process. Arrays of Python lie side by
// side: what is written behind one of them would be found at exit, if at all.
//
// What this may cost is bounded for each compiled kernel: kGuardedBytes of copies, of which a launch takes no less than
// kLeastBytes, so that most of them see one comparison. A kernel that others can meet in memory is never moved
// (Artifact::isMovable), nor is one with tensors whose memory is not known.
#include "Interruptible.h"
#include "Launch.h"

#include "jit/GuardedArguments.h"
#include "jit/LaunchError.h"

namespace nereid::python {

static constexpr int64_t kLeastBytes = 64 << 10;

// The memory of the tensors of a call; nothing where one does not say how far it reaches. One that says it reaches farther than what it is a
// part of (strides that somebody made up) has no more than that.
static std::optional<std::vector<jit::ByteRange>> memoryBehind(const Call &call, int64_t most) {
  std::vector<jit::ByteRange> ranges;
  for (size_t i = 0; i < call.tensorCount; ++i) {
    const Memory &memory = call.memories[call.tensors[i]];
    if (!memory.address)
      continue;
    std::optional<Extent> all = allocationOf(call.bound[call.tensors[i]]);
    bool isInside = all && memory.address >= all->address && memory.address - all->address <= all->bytes;
    if (!isInside || all->bytes > uint64_t(most))
      return std::nullopt;
    ranges.push_back({all->address, all->address + all->bytes});
  }
  return ranges;
}

static int64_t sizeOf(const std::vector<jit::ByteRange> &ranges) {
  int64_t bytes = 0;
  for (const jit::ByteRange &range : ranges)
    bytes += int64_t(range.end - range.begin);
  return bytes;
}

std::optional<bool> KernelState::runGuarded(Call &call, const Compiled &compiled, std::span<const uint64_t> words,
                                            const std::array<uint32_t, 3> &grid) {
  int64_t left = compiled.guardedBytes.fetch_sub(kLeastBytes, std::memory_order_relaxed);
  if (left <= 0 || !compiled.kernel->artifact().isMovable || call.holdsMemory || !call.tensorCount) {
    compiled.guardedBytes.store(0, std::memory_order_relaxed);
    return std::nullopt;
  }
  std::optional<std::vector<jit::ByteRange>> ranges = memoryBehind(call, left);
  int64_t bytes = ranges ? sizeOf(*ranges) : 0;
  if (!ranges || bytes > left)
    return std::nullopt;
  Result<jit::GuardedArguments> guarded = jit::GuardedArguments::copy(*ranges);
  if (!guarded)
    return std::nullopt;
  compiled.guardedBytes.fetch_sub(bytes, std::memory_order_relaxed);
  std::vector<uint64_t> moved(words.begin(), words.end());
  for (size_t i = 0; i < moved.size(); ++i)
    if (compiled.sources[i].form == jit::WordSource::Form::Pointer)
      moved[i] = guarded->movedAddress(moved[i]);
  Result<cpu::LaunchReport> report = launchInterruptibly(*compiled.kernel, moved, grid, call.options.timeout);
  guarded->copyBack();
  if (!report)
    return raise(report.error()), false;
  std::optional<uintptr_t> stray = report->failure ? std::nullopt : guarded->strayWrite();
  if (!report->failure && !stray)
    return true;
  if (PyErr_Occurred()) // of a signal's handler
    return false;
  std::vector<runtime::Allocation> memory = guarded->moved(memoryOfCall(call));
  raise(stray ? jit::strayWriteError(*module, *stray, memory)
              : jit::launchError(*module, *compiled.kernel, *report->failure, memory));
  return false;
}

} // namespace nereid::python
