// JoinAccesses.cpp: accesses of a block from the same register, with the same guard, between which nothing else happens
// in shared memory, are sorted by address; runs of 16, 8 or 4 bytes join.
#include "interp/ptx/JoinAccesses.h"

#include "interp/ptx/Slice.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace nereid::interp::ptx {

namespace {

using Work = KernelInstruction::Work;

class Joiner {
public:
  explicit Joiner(const Kernel &kernel) : kernel(kernel), joined(kernel.instructions.size()) {}

  std::vector<Joined> run() {
    for (const KernelBlock &block : kernel.blocks) {
      for (uint32_t i = block.begin; i < block.end; ++i)
        visit(i);
      close();
    }
    return std::move(joined);
  }

private:
  // Kind, address (0: a symbol), guard and its sense, bytes.
  using Key = std::tuple<Work, uint32_t, uint32_t, bool, uint32_t>;

  void visit(uint32_t index) {
    const KernelInstruction &instruction = kernel.instructions[index];
    bool isPlain = instruction.work == Work::SharedRead || instruction.work == Work::SharedWrite;
    if (isPlain && kind != instruction.work)
      close();
    if (isPlain) {
      kind = instruction.work;
      const Operation &operation = instruction.operation;
      open[{instruction.work, instruction.address() ? *instruction.address() + 1 : 0,
            operation.guard ? *operation.guard + 1 : 0, operation.isGuardNegated, instruction.accessBytes}]
          .emplace_back(instruction.offset(), index);
    } else if (accessesShared(instruction) || instruction.work == Work::Barrier) {
      close();
    }
    for (uint32_t target : instruction.targets)
      if (std::ranges::any_of(open, [&](const auto &entry) { return std::get<1>(entry.first) == target + 1; }))
        close();
  }

  void close() {
    for (auto &[key, accesses] : open) {
      std::ranges::sort(accesses);
      for (size_t i = 0; i < accesses.size();)
        i += join(accesses, i, std::get<4>(key));
    }
    open.clear();
    kind = Work::None;
  }

  // How many from here on are one.
  size_t join(const std::vector<std::pair<int64_t, uint32_t>> &accesses, size_t first, uint32_t bytes) {
    for (uint32_t size : {16u, 8u, 4u}) {
      size_t count = bytes ? size / bytes : 0;
      if (count < 2 || first + count > accesses.size() || accesses[first].first % size)
        continue;
      size_t same = 1;
      while (same < count && accesses[first + same].first == accesses[first].first + int64_t(same * bytes))
        ++same;
      if (same < count)
        continue;
      for (size_t i = first; i < first + count; ++i)
        joined[accesses[i].second] = {accesses[first].second, size};
      return count;
    }
    return 1;
  }

  const Kernel &kernel;
  std::vector<Joined> joined;
  std::map<Key, std::vector<std::pair<int64_t, uint32_t>>> open;
  Work kind = Work::None;
};

} // namespace

std::vector<Joined> joinAccesses(const Kernel &kernel) { return Joiner(kernel).run(); }

} // namespace nereid::interp::ptx
