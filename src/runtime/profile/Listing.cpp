// Listing.cpp: the summary, and the records themselves, as JSON for programs. Times are in nanoseconds.
#include "runtime/profile/JsonText.h"
#include "runtime/profile/Summary.h"

namespace nereid::profile {

std::string argumentsJson(const std::vector<Argument> &arguments) {
  std::vector<std::string> items;
  for (const Argument &argument : arguments) {
    JsonObject object;
    object.add("name", argument.name).add("type", argument.type);
    if (argument.type.starts_with('*')) {
      std::vector<std::string> shape;
      for (int64_t extent : argument.shape)
        shape.push_back(std::to_string(extent));
      object.raw("shape", jsonArray(shape));
    } else {
      object.add("value", argument.value);
    }
    items.push_back(object.text());
  }
  return jsonArray(items);
}

template <class Sums> static std::string metricsJson(const Sums &metrics) {
  JsonObject object;
  for (const auto &[name, value] : metrics)
    object.add(name, value);
  return object.text();
}

static std::string scopeJson(const ScopeNode &node) {
  std::vector<std::string> children;
  for (const ScopeNode &inner : node.children)
    children.push_back(scopeJson(inner));
  JsonObject object;
  object.add("name", node.name).raw("kernel", node.isKernel ? "true" : "false").add("calls", node.calls);
  object.add("host_ns", node.host).add("device_ns", node.device);
  return object.raw("metrics", metricsJson(node.metrics)).raw("children", jsonArray(children)).text();
}

std::string renderSummary(const Summary &summary, const DeviceLimits &limits) {
  std::vector<std::string> kernels;
  for (const KernelRow &row : summary.kernels) {
    JsonObject object;
    object.add("name", row.name).add("device", row.device).add("calls", row.calls).add("timed_calls", row.timed);
    object.add("programs", row.programs).add("device_ns", row.total).add("shortest_ns", row.shortest);
    object.add("longest_ns", row.longest).add("host_ns", row.host).raw("grid", jsonGrid(row.grid));
    object.raw("arguments", argumentsJson(row.arguments)).raw("metrics", metricsJson(row.metrics));
    if (row.leastSeconds > 0)
      object.add("least_ns", row.leastSeconds * 1e9);
    if (std::optional<double> share = shareOfLimit(row, limits))
      object.add("share_of_limit", *share);
    kernels.push_back(object.text());
  }
  JsonObject code;
  code.add("compiled", summary.compiled).add("compiling_ns", summary.compiling);
  code.add("found", summary.found).add("finding_ns", summary.finding);
  JsonObject object;
  object.add("launches", summary.launches).add("device_ns", summary.device).add("host_ns", summary.host);
  return object.raw("code", code.text())
      .raw("kernels", jsonArray(kernels))
      .raw("scopes", scopeJson(summary.root))
      .text();
}

static const char *nameOf(Record::Kind kind) {
  switch (kind) {
  case Record::Kind::Launch: return "launch";
  case Record::Kind::Device: return "device";
  case Record::Kind::Worker: return "worker";
  case Record::Kind::ScopeBegin: return "scope_begin";
  case Record::Kind::ScopeEnd: return "scope_end";
  case Record::Kind::Code: return "code";
  case Record::Kind::Inner: return "inner";
  case Record::Kind::Process: return "process";
  }
  return "";
}

std::string renderRecords(const std::vector<Record> &records) {
  std::string text = "[";
  for (const Record &record : records) {
    JsonObject object;
    object.add("kind", nameOf(record.kind)).add("process", record.process).add("thread", record.thread);
    object.add("id", record.id).add("scope", record.scope).add("begin", record.begin).add("end", record.end);
    if (!record.name.empty())
      object.add("name", record.name);
    if (!record.device.empty())
      object.add("device", record.device);
    if (!record.detail.empty())
      object.add("detail", record.detail);
    if (record.programs)
      object.add("programs", record.programs);
    if (record.kind == Record::Kind::Launch)
      object.raw("grid", jsonGrid(record.grid)).add("stream", record.stream);
    if (!record.arguments.empty())
      object.raw("arguments", argumentsJson(record.arguments));
    if (!record.metrics.empty())
      object.raw("metrics", metricsJson(record.metrics));
    text += (text.size() > 1 ? ",\n" : "\n") + object.text();
  }
  return text + "\n]\n";
}

} // namespace nereid::profile
