// Table.cpp: the summary as text for a terminal.
#include "runtime/profile/Counters.h"
#include "runtime/profile/Summary.h"

#include <algorithm>
#include <cstdio>

namespace nereid::profile {

namespace {

template <class... T> std::string format(const char *form, T... values) {
  char buffer[512];
  int length = std::snprintf(buffer, sizeof buffer, form, values...);
  return {buffer, std::min(size_t(std::max(length, 0)), sizeof buffer - 1)};
}

// Three digits that count, with a unit.
std::string timeText(Time time) {
  if (time < 10'000)
    return format("%lld ns", static_cast<long long>(time));
  double value = double(time) * 1e-3;
  const char *unit = "us";
  if (value >= 10'000)
    value *= 1e-3, unit = "ms";
  if (value >= 10'000)
    value *= 1e-3, unit = "s";
  return format(value < 100 ? "%.2f %s" : "%.1f %s", value, unit);
}

std::string shareText(Time part, Time whole) {
  return whole > 0 ? format("%.1f %%", 100 * double(part) / double(whole)) : "-";
}

// Columns as wide as what stands in them; the first is at the left, all others at the right. A name without end stands out of its
// column, which would otherwise be so wide in every line.
std::string alignColumns(const std::vector<std::vector<std::string>> &lines) {
  // Characters, not bytes.
  auto widthOf = [](const std::string &text) {
    return size_t(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  };
  constexpr size_t kWidest = 256;
  std::vector<size_t> widths;
  for (const auto &line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::clamp(widthOf(line[i]), widths[i], kWidest);
  }
  std::string text;
  for (const auto &line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      std::string space(widths[i] - std::min(widths[i], widthOf(line[i])), ' ');
      text += i == 0 ? line[i] + space : "  " + space + line[i];
    }
    text += '\n';
  }
  return text;
}

std::string kernelTable(const Summary &summary, const DeviceLimits &limits) {
  auto has = [&](auto what) {
    return std::ranges::any_of(summary.kernels, [&](const KernelRow &row) { return what(row) > 0; });
  };
  bool hasBytes = has([](const KernelRow &row) { return bytesOf(row.metrics); });
  bool hasFlops = has([](const KernelRow &row) { return flopsOf(row.metrics); });
  bool hasLimit = has([&](const KernelRow &row) { return shareOfLimit(row, limits).value_or(0); });
  std::vector<std::vector<std::string>> lines{
      {"kernel", "device", "calls", "total", "mean", "shortest", "longest", "share"}};
  for (auto [is, title] : {std::pair(hasBytes, "GB/s"), {hasFlops, "GFLOP/s"}, {hasLimit, "of the limit"}})
    if (is)
      lines[0].emplace_back(title);
  for (const KernelRow &row : summary.kernels) {
    bool isTimed = row.timed > 0;
    auto time = [&](Time value) { return isTimed ? timeText(value) : std::string("-"); };
    std::vector<std::string> line{row.name,
                                  row.device,
                                  std::to_string(row.calls),
                                  time(row.total),
                                  time(row.total / Time(std::max<uint64_t>(row.timed, 1))),
                                  time(row.shortest),
                                  time(row.longest),
                                  isTimed ? shareText(row.total, summary.device) : "-"};
    auto rate = [&](double amount) {
      return amount > 0 && row.total > 0 ? format("%.1f", amount / double(row.total)) : std::string("-");
    };
    if (hasBytes)
      line.push_back(rate(bytesOf(row.metrics)));
    if (hasFlops)
      line.push_back(rate(flopsOf(row.metrics)));
    if (std::optional<double> share = shareOfLimit(row, limits); hasLimit)
      line.push_back(share ? format("%.0f %%", *share * 100) : "-");
    lines.push_back(std::move(line));
  }
  return alignColumns(lines);
}

void addTree(const ScopeNode &node, size_t depth, Time whole, std::vector<std::vector<std::string>> &lines) {
  for (const ScopeNode &inner : node.children) {
    lines.push_back({std::string(2 * depth, ' ') + inner.name, std::to_string(inner.calls), timeText(inner.host),
                     timeText(inner.device), shareText(inner.device, whole)});
    addTree(inner, depth + 1, whole, lines);
  }
}

// What the GPU's hardware counted, of a launch on the average.
std::string counterTable(const Summary &summary) {
  std::vector<std::vector<std::string>> lines;
  for (const KernelRow &row : summary.kernels)
    for (const auto &[name, sum] : row.metrics)
      if (name.starts_with(kCounterPrefix))
        lines.push_back(
            {row.name, row.device, name.substr(kCounterPrefix.size()), format("%.6g", sum / double(row.calls))});
  if (lines.empty())
    return {};
  lines.insert(lines.begin(), {"kernel", "device", "counter", "of a launch"});
  return "\n" + alignColumns(lines);
}

} // namespace

static std::string codeText(const Summary &summary) {
  std::string text;
  auto add = [&](uint64_t count, const char *what, uint64_t time) {
    if (count)
      text += (text.empty() ? "code: " : ", ") + std::to_string(count) + what + timeText(time);
  };
  add(summary.compiled, " compiled in ", summary.compiling);
  add(summary.found, " found on disk in ", summary.finding);
  return text.empty() ? text : text + "\n";
}

std::string renderTable(const Summary &summary, const DeviceLimits &limits) {
  if (summary.kernels.empty() && !summary.hasScopes)
    return "no kernel was launched\n";
  std::string text = kernelTable(summary, limits) + counterTable(summary);
  if (summary.hasScopes) {
    std::vector<std::vector<std::string>> lines{{"scope", "calls", "host", "device", "share"}};
    addTree(summary.root, 0, summary.device, lines);
    text += "\n" + alignColumns(lines);
  }
  text +=
      format("\n%llu launch%s: %s on the device, %s on the host\n", static_cast<unsigned long long>(summary.launches),
             summary.launches == 1 ? "" : "es", timeText(summary.device).c_str(), timeText(summary.host).c_str());
  return text + codeText(summary);
}

} // namespace nereid::profile
