#include "runtime/profile/Summary.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace nereid::profile {

namespace {

using Kind = Record::Kind;

class Adding {
public:
  explicit Adding(const std::vector<Record> &records) : records(records) {}

  Summary run() {
    for (const Record &record : records)
      collect(record);
    for (const Record &record : records)
      add(record);
    std::ranges::sort(summary.kernels, {},
                      [](const KernelRow &row) { return std::tuple(-row.total, row.name, row.device); });
    buildTree();
    return std::move(summary);
  }

private:
  // What is looked up by its number: ends come behind beginnings, times of devices behind their launches.
  void collect(const Record &record) {
    if (record.kind == Kind::ScopeBegin)
      scopes[record.id] = &record;
    else if (record.kind == Kind::ScopeEnd)
      ends[record.id] = &record;
    else if (record.kind == Kind::Device)
      devices[record.id] = &record;
    last = std::max({last, record.begin, record.end});
  }

  void add(const Record &record) {
    if (record.kind == Kind::Launch)
      addLaunch(record);
    else if (record.kind == Kind::ScopeBegin)
      addScope(record);
    else if (record.kind == Kind::Code)
      addCode(record);
    else if (record.kind == Kind::Device && record.id == 0)
      addForeign(record);
  }

  void addLaunch(const Record &record) {
    const Record *device = find(devices, record.id);
    KernelRow &row = rowOf(record);
    ++row.calls;
    row.isAlike &= record.grid == row.grid && record.arguments == row.arguments;
    row.programs += record.programs;
    row.host += record.duration();
    ScopeNode &node = nodes[child(nodeOf(record.scope), record.name, true)].node;
    ++node.calls;
    node.host += record.duration();
    for (const auto &[name, value] : record.metrics)
      row.metrics[name] += value, node.metrics[name] += value;
    ++summary.launches;
    summary.host += record.duration();
    if (device)
      addTime(*device, row, node);
  }

  // A kernel of another library: only its time is known.
  void addForeign(const Record &record) {
    KernelRow &row = rowOf(record);
    ScopeNode &node = nodes[child(nodeOf(record.scope), record.name, true)].node;
    ++row.calls;
    ++node.calls;
    addTime(record, row, node);
  }

  void addTime(const Record &device, KernelRow &row, ScopeNode &node) {
    Time time = device.duration();
    row.shortest = row.timed ? std::min(row.shortest, time) : time;
    row.longest = std::max(row.longest, time);
    ++row.timed;
    row.total += time;
    node.device += time;
    summary.device += time;
  }

  void addScope(const Record &record) {
    const Record *end = find(ends, record.id);
    ScopeNode &node = nodes[nodeOf(record.id)].node;
    ++node.calls;
    node.host += (end ? end->end : last) - record.begin;
    for (const auto &[name, value] : record.metrics)
      node.metrics[name] += value;
    if (end)
      for (const auto &[name, value] : end->metrics)
        node.metrics[name] += value;
    summary.hasScopes = true;
  }

  void addCode(const Record &record) {
    bool isFound = record.detail == "found";
    ++(isFound ? summary.found : summary.compiled);
    (isFound ? summary.finding : summary.compiling) += record.duration();
  }

  KernelRow &rowOf(const Record &record) {
    auto [found, isNew] = rows.emplace(record.device + '\n' + record.name, summary.kernels.size());
    if (isNew) {
      KernelRow row;
      row.name = record.name, row.device = record.device;
      row.arguments = record.arguments, row.grid = record.grid, row.source = record.source;
      summary.kernels.push_back(std::move(row));
    }
    return summary.kernels[found->second];
  }

  // The number of a scope's node; a scope that began before the session is not shown.
  size_t nodeOf(uint64_t scope) {
    // From the inside out, until one is known: programs may open scopes without end.
    std::vector<const Record *> path;
    size_t node = 0;
    while (const Record *record = scope ? find(scopes, scope) : nullptr) {
      if (auto known = nodeOfScope.find(scope); known != nodeOfScope.end()) {
        node = known->second;
        break;
      }
      path.push_back(record);
      scope = record->scope < scope ? record->scope : 0; // an outer scope is older
    }
    for (; !path.empty(); path.pop_back())
      nodeOfScope[path.back()->id] = node = child(node, path.back()->name, false);
    return node;
  }

  size_t child(size_t parent, const std::string &name, bool isKernel) {
    auto [found, isNew] = children.emplace(std::to_string(parent) + (isKernel ? "k" : "s") + name, nodes.size());
    if (isNew) {
      Node &made = nodes.emplace_back();
      made.parent = parent;
      made.node.name = name, made.node.isKernel = isKernel;
    }
    return found->second;
  }

  // A node stands behind its parent, so that from the back all children are done before it. Below this depth all is flat.
  void buildTree() {
    constexpr size_t kMostDepth = 100;
    for (size_t i = 1; i < nodes.size(); ++i) {
      nodes[i].depth = nodes[nodes[i].parent].depth + 1;
      while (nodes[nodes[i].parent].depth >= kMostDepth)
        nodes[i].parent = nodes[nodes[i].parent].parent;
    }
    for (size_t i = nodes.size(); i-- > 1;) {
      std::ranges::reverse(nodes[i].node.children);
      ScopeNode &parent = nodes[nodes[i].parent].node;
      parent.device += nodes[i].node.device;
      parent.children.push_back(std::move(nodes[i].node));
    }
    std::ranges::reverse(nodes[0].node.children);
    summary.root = std::move(nodes[0].node);
  }

  struct Node {
    ScopeNode node;
    size_t parent = 0, depth = 0;
  };

  using Table = std::unordered_map<uint64_t, const Record *>;
  static const Record *find(const Table &table, uint64_t id) {
    auto found = table.find(id);
    return found == table.end() ? nullptr : found->second;
  }

  const std::vector<Record> &records;
  Summary summary;
  Table scopes, ends, devices;
  std::unordered_map<std::string, size_t> rows, children;
  std::vector<Node> nodes = std::vector<Node>(1); // the root
  std::unordered_map<uint64_t, size_t> nodeOfScope;
  Time last = 0;
};

} // namespace

Summary summarize(const std::vector<Record> &records) { return Adding(records).run(); }

double flopsOf(const MetricSums &metrics) {
  double sum = 0;
  for (const auto &[name, value] : metrics)
    if (name.starts_with("flops"))
      sum += value;
  return sum;
}

double bytesOf(const MetricSums &metrics) {
  auto found = metrics.find("bytes");
  return found == metrics.end() ? 0 : found->second;
}

std::optional<double> shareOfLimit(const KernelRow &row, const DeviceLimits &limits) {
  if (row.leastSeconds > 0 && row.total > 0)
    return row.leastSeconds * double(row.timed) / (double(row.total) * 1e-9);
  auto limit = limits.find(row.device);
  if (limit == limits.end() || row.total <= 0)
    return std::nullopt;
  double seconds = double(row.total) * 1e-9, share = 0;
  if (limit->second.bytes > 0)
    share = std::max(share, bytesOf(row.metrics) / seconds / limit->second.bytes);
  if (limit->second.flops > 0)
    share = std::max(share, flopsOf(row.metrics) / seconds / limit->second.flops);
  return share > 0 ? std::optional(share) : std::nullopt;
}

} // namespace nereid::profile
