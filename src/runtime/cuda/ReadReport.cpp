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

LaunchReport readReport(const Artifact &artifact, const Report &report) {
  LaunchReport result;
  Reader reader(artifact);
  const auto *data = reinterpret_cast<const std::byte *>(report.data);
  reader.read(data, std::min(report.used, report.capacity));
  result.output = reader.text();
  if (report.used > report.capacity)
    result.output += "(more was printed than the " + std::to_string(report.capacity >> 20) + " MiB that are kept)\n";
  if (report.failed && report.failed <= artifact.sites.size()) {
    result.failure = &artifact.sites[report.failed - 1];
    std::copy(report.program, report.program + 3, result.program.begin());
  }
  return result;
}

} // namespace nereid::cuda
