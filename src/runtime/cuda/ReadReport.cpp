#include "runtime/cuda/ReadReport.h"

#include "runtime/PrintFormat.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace nereid::cuda {

namespace {

struct RecordHeader {
  uint32_t size, site, program[3], thread, padding[2];
};
struct Entry {
  uint32_t value, index;
  uint64_t bits;
};
static_assert(sizeof(RecordHeader) == 32 && sizeof(Entry) == 16, "what the code generator writes");
constexpr uint32_t kNoValue = 0xffffffff;

// One print of one program, gathered from its threads.
struct Print {
  uint32_t site = 0;
  size_t order = 0; // of its first record
  std::vector<std::vector<std::byte>> values;
};
// Programs in the order of the grid: the last axis counts most.
using ProgramKey = std::tuple<uint32_t, uint32_t, uint32_t>;

size_t bytesOf(const Site::Value &value) {
  std::optional<DType> type = runtime::printedType(value.type);
  return type ? nereid::bytesOf(*type) : sizeof(void *);
}

class Reader {
public:
  explicit Reader(const Artifact &artifact) : artifact(artifact) {}

  void read(const std::byte *data, size_t bytes) {
    for (size_t at = 0; at + sizeof(RecordHeader) <= bytes;) {
      RecordHeader header;
      std::memcpy(&header, data + at, sizeof header);
      if (header.size < sizeof header || header.size > bytes - at || header.site >= artifact.sites.size())
        return; // the last one did not fit, or the kernel ended while it was written
      add(header, data + at + sizeof header, header.size - sizeof header);
      at += header.size;
    }
  }

  std::string text() const {
    std::string result;
    for (const auto &[program, list] : programs) {
      std::vector<const Print *> sorted;
      for (const auto &[key, print] : list)
        sorted.push_back(&print);
      std::ranges::sort(sorted, {}, &Print::order);
      const uint32_t name[3] = {std::get<2>(program), std::get<1>(program), std::get<0>(program)};
      for (const Print *print : sorted)
        result += textOf(*print, name);
    }
    return result;
  }

private:
  void add(const RecordHeader &header, const std::byte *entries, size_t bytes) {
    ProgramKey program{header.program[2], header.program[1], header.program[0]};
    // The n-th record of a thread at a site belongs to the n-th time that its program came there.
    size_t time = times[{program, header.site, header.thread}]++;
    auto [found, isNew] = programs[program].try_emplace({header.site, time});
    Print &print = found->second;
    const Site &site = artifact.sites[header.site];
    if (isNew) {
      print.site = header.site, print.order = count++;
      for (const Site::Value &value : site.values) {
        size_t size = bytesOf(value);
        for (int64_t extent : value.shape)
          size *= static_cast<size_t>(extent);
        print.values.emplace_back(size);
      }
    }
    for (size_t at = 0; at + sizeof(Entry) <= bytes; at += sizeof(Entry)) {
      Entry entry;
      std::memcpy(&entry, entries + at, sizeof entry);
      if (entry.value == kNoValue || entry.value >= print.values.size())
        continue;
      std::vector<std::byte> &values = print.values[entry.value];
      size_t size = bytesOf(site.values[entry.value]);
      if ((size_t(entry.index) + 1) * size <= values.size())
        std::memcpy(values.data() + entry.index * size, &entry.bits, size);
    }
  }

  std::string textOf(const Print &print, const uint32_t *program) const {
    const Site &site = artifact.sites[print.site];
    std::vector<runtime::PrintedValue> printed;
    for (size_t i = 0; i < site.values.size(); ++i)
      printed.push_back({print.values[i].data(), runtime::printedType(site.values[i].type), site.values[i].shape});
    return runtime::formatPrint(program, site.text, site.isHex, printed);
  }

  const Artifact &artifact;
  size_t count = 0;
  std::map<std::tuple<ProgramKey, uint32_t, uint32_t>, size_t> times;
  std::map<ProgramKey, std::map<std::pair<uint32_t, size_t>, Print>> programs;
};

} // namespace

static std::vector<Mark> marksOf(const Report &report, uint64_t warp) {
  std::vector<Mark> marks(report.marks);
  const auto *data = reinterpret_cast<const std::byte *>(report.markData);
  std::memcpy(marks.data(), data + warp * report.marks * sizeof(Mark), report.marks * sizeof(Mark));
  auto end = std::ranges::find(marks, uint64_t(0), &Mark::site);
  marks.erase(end, marks.end());
  return marks;
}

// Nanoseconds of a cycle, from the warp that was watched longest: the clock of nanoseconds is coarse, that of cycles is each multiprocessor's own.
static double nanosecondsOfCycle(const std::vector<std::vector<Mark>> &warps) {
  uint64_t longest = 0;
  double result = 1;
  for (const std::vector<Mark> &marks : warps)
    if (!marks.empty() && marks.back().time > marks[0].time && marks.back().cycles > marks[0].cycles &&
        marks.back().time - marks[0].time > longest) {
      longest = marks.back().time - marks[0].time;
      result = double(longest) / double(marks.back().cycles - marks[0].cycles);
    }
  return result;
}

// An end belongs to the innermost open scope of its name; what has no other side is left out.
static void addScopes(const Artifact &artifact, const std::vector<Mark> &marks, const WarpScope &place, int64_t start,
                      double scale, std::vector<WarpScope> &scopes) {
  std::vector<WarpScope> open;
  for (const Mark &mark : marks) {
    uint64_t number = mark.site / 2 - 1;
    if (number >= artifact.sites.size())
      return; // damaged
    const Site &site = artifact.sites[number];
    int64_t time = start + static_cast<int64_t>(double(mark.cycles - marks[0].cycles) * scale);
    if (mark.site % 2 == 0) {
      open.push_back({&site, place.program, place.warp, time, time, mark.cycles});
      continue;
    }
    auto begun =
        std::find_if(open.rbegin(), open.rend(), [&](const WarpScope &each) { return each.site->text == site.text; });
    if (begun == open.rend())
      continue;
    WarpScope scope = *begun;
    open.erase(std::next(begun).base());
    scope.end = time;
    scope.cycles = mark.cycles - scope.cycles;
    scopes.push_back(scope);
  }
}

static std::vector<WarpScope> readScopes(const Artifact &artifact, const Report &report) {
  std::vector<std::vector<Mark>> warps;
  uint64_t first = ~uint64_t(0);
  for (uint64_t warp = 0; warp < report.markedWarps; ++warp) {
    warps.push_back(marksOf(report, warp));
    if (!warps.back().empty())
      first = std::min(first, warps.back()[0].time);
  }
  double scale = nanosecondsOfCycle(warps);
  std::vector<WarpScope> scopes;
  for (uint64_t i = 0; i < warps.size(); ++i)
    if (!warps[i].empty()) {
      WarpScope place{nullptr, i / report.warps, static_cast<uint32_t>(i % report.warps), 0, 0, 0};
      addScopes(artifact, warps[i], place, static_cast<int64_t>(warps[i][0].time - first), scale, scopes);
    }
  return scopes;
}

LaunchReport readReport(const Artifact &artifact, const Report &report) {
  LaunchReport result;
  Reader reader(artifact);
  const auto *data = reinterpret_cast<const std::byte *>(report.data);
  reader.read(data, std::min(report.used, report.capacity));
  result.output = reader.text();
  result.scopes = readScopes(artifact, report);
  if (report.used > report.capacity)
    result.output += "(more was printed than the " + std::to_string(report.capacity >> 20) + " MiB that are kept)\n";
  if (report.failed && report.failed <= artifact.sites.size()) {
    result.failure = &artifact.sites[report.failed - 1];
    std::copy(report.program, report.program + 3, result.program.begin());
  }
  return result;
}

} // namespace nereid::cuda
