// Summary.h: records added up: one row for each kernel, and a tree of scopes with the kernels in them.
#pragma once

#include "nereid/result.hpp"
#include "runtime/profile/Record.h"

#include <map>

namespace nereid::profile {

using MetricSums = std::map<std::string, double>;

struct KernelRow {
  std::string name, device;
  uint64_t calls = 0, programs = 0;
  uint64_t timed = 0; // the calls whose time on the device is known; the times below are theirs
  Time total = 0, shortest = 0, longest = 0;
  Time host = 0; // of all calls, from the call to its return
  MetricSums metrics;
  std::vector<Argument> arguments; // of the first call
  std::array<uint32_t, 3> grid{};
  std::string source;      // FILE.py:KERNEL
  bool isAlike = true;     // all calls had arguments of these shapes and values, and this grid
  double leastSeconds = 0; // that the device needs for a call, by `nereid count`; 0: not counted
};

struct ScopeNode {
  std::string name;
  bool isKernel = false;
  uint64_t calls = 0;
  Time host = 0;   // between its begin and its end
  Time device = 0; // of the kernels in it
  MetricSums metrics;
  std::vector<ScopeNode> children; // in the order in which they first came
};

struct Summary {
  std::vector<KernelRow> kernels; // those that took the longest first
  ScopeNode root;
  Time device = 0, host = 0; // of all launches
  uint64_t launches = 0;
  uint64_t compiled = 0, found = 0; // kernels that were compiled, or found on disk
  Time compiling = 0, finding = 0;
  bool hasScopes = false;
};

Summary summarize(const std::vector<Record> &records);

// What a machine can do at most in a second, by device; 0: not known.
struct DeviceLimit {
  double bytes = 0, flops = 0;
};
using DeviceLimits = std::map<std::string, DeviceLimit>;
// The operations among the metrics of a row: `flops`, `flops16` …
double flopsOf(const MetricSums &metrics);
double bytesOf(const MetricSums &metrics);
// How much of the limit was reached, from 0 to 1; nothing where it cannot be said.
std::optional<double> shareOfLimit(const KernelRow &row, const DeviceLimits &limits);

// A table of kernels, a tree of scopes, and a line with the totals.
std::string renderTable(const Summary &summary, const DeviceLimits &limits = {});
// The same as one JSON object.
std::string renderSummary(const Summary &summary, const DeviceLimits &limits = {});
// Every record, as a JSON array.
std::string renderRecords(const std::vector<Record> &records);
// The trace format of Chrome, which Perfetto reads, too.
std::string renderTrace(const std::vector<Record> &records);
// An HTML page that needs nothing else: a timeline and the table.
std::string renderPage(const std::vector<Record> &records, const Summary &summary, const DeviceLimits &limits = {});

// The records of a process, from the bytes of a session in it.
std::vector<Record> recordsOf(std::span<const std::byte> journal);
// Those of all processes that have left journals in a folder.
std::vector<Record> readFolder(const std::string &folder);
// Writes a trace (`.json`) or a page (`.html`); the summary is of these records.
Result<void> writeProfile(const std::string &path, const std::vector<Record> &records, const Summary &summary,
                          const DeviceLimits &limits = {});

} // namespace nereid::profile
