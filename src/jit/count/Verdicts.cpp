#include "jit/count/Verdicts.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace nereid::jit {

namespace {

using interp::Counts;

std::string percent(uint64_t part, uint64_t whole) {
  return llvm::formatv("{0:f0} %", whole ? 100.0 * double(part) / double(whole) : 0.0).str();
}
std::string times(uint64_t part, uint64_t whole) {
  return llvm::formatv("{0:f1}", whole ? double(part) / double(whole) : 0.0).str();
}

class Judge {
public:
  explicit Judge(const Counted &counted) : counted(counted), total(counted.counts.total) {}

  std::vector<Verdict> run() {
    onLaunch();
    for (const interp::LineCounts &line : counted.counts.lines)
      onLine(line);
    return std::move(verdicts);
  }

private:
  void say(const interp::LineCounts *line, std::string message, std::string advice) {
    verdicts.push_back({line ? line->file : "", line ? line->line : 0, std::move(message), std::move(advice)});
  }

  void onLaunch() {
    uint32_t multiprocessors = counted.device.multiprocessors;
    if (counted.code && total.programs && total.programs < multiprocessors)
      say(nullptr,
          std::to_string(total.programs) + (total.programs == 1 ? " program leaves " : " programs leave ") +
              std::to_string(multiprocessors - total.programs) + " of " + std::to_string(multiprocessors) +
              " multiprocessors idle",
          "take smaller blocks, or cut the work along another axis");
    if (total.spillBytes)
      say(nullptr,
          "a thread keeps " + std::to_string(total.spillBytes) + " bytes outside of its " +
              std::to_string(total.registers) + " registers",
          "take smaller tiles or more warps");
    uint64_t touched = kSectorBytes * counted.counts.uniqueSectorsRead;
    if (touched && total.memoryBytesRead > 2 * touched + kSmall)
      say(nullptr, "memory is read " + times(total.memoryBytesRead, touched) + " times over",
          "let programs that run at the same time use the same data: other block sizes, or another order of programs");
    else if (total.uniqueBytesRead && total.memoryBytesRead > 2 * total.uniqueBytesRead + kSmall)
      say(nullptr, percent(total.uniqueBytesRead, total.memoryBytesRead) + " of the bytes that memory gives are used",
          "memory gives whole sectors of 32 bytes, two at a time: load elements that lie side by side");
  }

  void onLine(const interp::LineCounts &line) {
    const Counts &counts = line.counts;
    // What is little beside all else is not worth a word.
    bool isMuch = counts.sectors * 20 >= total.sectors;
    if (isMuch && counts.requests && counts.sectors * 2 >= 3 * counts.idealSectors && counts.sectors > kFewSectors)
      say(&line,
          times(counts.sectors, counts.requests) + " sectors a request where " +
              times(counts.idealSectors, counts.requests) + " would do",
          takesRunsApart(line)
              ? "a thread has neighbours, and takes them one by one: nothing says that 16 bytes divide where they "
                "begin. Load "
                "from where they do (`tl.multiple_of` says so), and take what is shifted from there"
              : "neighbouring elements of the tile's last axis lie apart in memory: load it along the axis that has "
                "stride 1, and use `tl.trans` for the other order");
    else if (isMuch && counts.sectors > kFewSectors)
      onWidth(line);
    uint64_t bytes = counts.bytesRead + counts.bytesWritten, requests = counts.requests;
    uint64_t elements = requests ? counts.maskedElements : 0;
    if (elements > kFewElements && bytes && elements * 4 > bytes) // more than half, were they four bytes each
      say(&line,
          std::to_string(elements) + " elements are behind the mask, for " + std::to_string(bytes) +
              " bytes that are not",
          "take a block that fits the size better");
    if (counts.atomicCollisions > kFewElements && counts.atomicCollisions * 32 > 31 * counts.atomics)
      say(&line,
          percent(counts.atomicCollisions, counts.atomics) + " of the atomics change an element that others change too",
          "add up inside of a program first (`tl.sum`, `tl.histogram`), then change memory once");
    if (counts.bankConflicts)
      say(&line, std::to_string(counts.bankConflicts) + " turns are lost to bank conflicts in shared memory",
          "other tile sizes, or another `num_warps`, give other layouts");
    onProducts(line);
  }

  // Whether threads have runs of elements, as for wide accesses, and the accesses are narrow: lanes are then apart.
  bool takesRunsApart(const interp::LineCounts &line) const {
    constexpr unsigned kLanes = 32, kWide = 16;
    bool isDense = 4 * total.uniqueBytesRead >= 3 * kSectorBytes * counted.counts.uniqueSectorsRead; // no strides
    if (!counted.code || !isDense)
      return false;
    return std::ranges::any_of(counted.code->facts.accesses, [&](const gpu::AccessFact &fact) {
      unsigned each = fact.requestElements / kLanes; // elements of one access of a thread
      return fact.place.line == line.line && fact.place.file == line.file && fact.accessBytes < kWide && each &&
             fact.kind == gpu::AccessFact::Kind::Threads && fact.order.size() > each &&
             fact.order[each] > fact.order[0] + each && fact.order[each] <= fact.order[0] + kWide;
    });
  }

  // Accesses that go a few bytes at a time, although each thread has neighbours enough.
  void onWidth(const interp::LineCounts &line) {
    if (!counted.code)
      return;
    for (const gpu::AccessFact &fact : counted.code->facts.accesses)
      if (fact.place.line == line.line && fact.place.file == line.file && !fact.isScalar && !fact.isAtomic &&
          fact.kind != gpu::AccessFact::Kind::Block && fact.accessBytes <= 4 &&
          fact.elements >= 4 * 32 * counted.code->facts.numWarps)
        return say(&line, "a thread moves " + std::to_string(fact.accessBytes) + " bytes at a time where 16 would do",
                   "say what divides strides and sizes (`tl.multiple_of`, multiples of 16 as arguments), or mask whole "
                   "groups of 16 bytes");
  }

  void onProducts(const interp::LineCounts &line) {
    if (!counted.code || !line.counts.flops)
      return;
    for (const gpu::ProductFact &fact : counted.code->facts.products)
      if (fact.place.line == line.line && fact.place.file == line.file && fact.instruction == "fma")
        return say(&line, "this product does not use tensor cores",
                   "`input_precision=\"tf32\"`, or operands in fp16 or bf16 of at least 16 by 16");
  }

  static constexpr uint64_t kSectorBytes = 32, kSmall = 1 << 16, kFewSectors = 64, kFewElements = 256;

  const Counted &counted;
  const Counts &total;
  std::vector<Verdict> verdicts;
};

} // namespace

std::vector<Verdict> verdictsOn(const Counted &counted) { return Judge(counted).run(); }

} // namespace nereid::jit
