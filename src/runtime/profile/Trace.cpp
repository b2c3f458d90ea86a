// Trace.cpp: records in the trace format of Chrome. A process has one line for each of its threads, where scopes, launches, compiling
// and the workers' shares lie, and behind them one for each device (and stream, or thread that launches), where the kernels are.
#include "runtime/profile/JsonText.h"
#include "runtime/profile/Summary.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

namespace nereid::profile {

namespace {

using Kind = Record::Kind;

// Lines of devices have numbers that no thread has.
constexpr uint64_t kFirstDeviceLine = uint64_t(1) << 32;

class TraceWriter {
public:
  explicit TraceWriter(const std::vector<Record> &records) : records(records) {}

  std::string run() {
    prepare();
    for (const Record &record : records)
      write(record);
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + text + "\n]}\n";
  }

private:
  void prepare() {
    for (const Record &record : records) {
      if (record.kind == Kind::Launch)
        launches[record.id] = &record;
      else if (record.kind == Kind::ScopeEnd)
        ends[record.id] = &record;
      for (Time time : {record.begin, record.end})
        if (time > 0)
          first = first ? std::min(first, time) : time, last = std::max(last, time);
    }
  }

  void write(const Record &record) {
    switch (record.kind) {
    case Kind::Process: writeName("process_name", record.process, 0, record.name); break;
    case Kind::Launch: span(record, record.name, "launch", record.thread, record.end, launchFacts(record)); break;
    case Kind::Device: writeDevice(record); break;
    case Kind::Worker: writeWorker(record); break;
    case Kind::ScopeBegin: writeScope(record); break;
    case Kind::ScopeEnd: break;
    case Kind::Code:
      span(record, (record.detail == "found" ? "found " : "compile ") + record.name, "code", record.thread, record.end,
           JsonObject().add("device", record.device).text());
      break;
    case Kind::Inner: writeInner(record); break;
    }
  }

  void writeScope(const Record &record) {
    auto found = ends.find(record.id);
    JsonObject metrics;
    auto add = [&](const Record &from) {
      for (const auto &[name, value] : from.metrics)
        metrics.add(name, value);
    };
    add(record);
    if (found != ends.end())
      add(*found->second);
    span(record, record.name, "scope", record.thread, found == ends.end() ? last : found->second->end, metrics.text());
  }

  static std::string launchFacts(const Record &record) {
    JsonObject facts;
    facts.add("device", record.device).raw("grid", jsonGrid(record.grid));
    facts.raw("arguments", argumentsJson(record.arguments));
    for (const auto &[name, value] : record.metrics)
      facts.add(name, value);
    if (!record.detail.empty())
      facts.add("failed", record.detail);
    return facts.text();
  }

  const Record *launchOf(const Record &record) const {
    auto found = launches.find(record.id);
    return found == launches.end() ? nullptr : found->second;
  }

  void writeDevice(const Record &record) {
    const Record *launch = launchOf(record);
    std::string line =
        record.device + " " + (record.detail.empty() ? "for thread " + std::to_string(record.thread) : record.detail);
    span(record, launch ? launch->name : record.name, "kernel", deviceLine(record.process, line), record.end,
         launch ? launchFacts(*launch) : "{}");
  }

  // The thread that launched it has the launch there already.
  void writeWorker(const Record &record) {
    const Record *launch = launchOf(record);
    if (launch && launch->process == record.process)
      nameThread(record, launch->thread == record.thread ? "" : "worker");
    span(record, launch ? launch->name : "kernel", "worker", record.thread, record.end,
         JsonObject().add("programs", record.programs).text());
  }

  void writeInner(const Record &record) {
    uint64_t line = record.thread;
    if (!record.detail.empty()) {
      const Record *launch = launchOf(record);
      line = deviceLine(record.process, (launch ? launch->name : "kernel") + " program " +
                                            std::to_string(record.programs) + " " + record.detail);
    }
    JsonObject facts;
    facts.add("program", record.programs);
    for (const auto &[name, value] : record.metrics)
      facts.add(name, value);
    span(record, record.name, "inner", line, record.end, facts.text());
  }

  uint64_t deviceLine(uint32_t process, const std::string &name) {
    auto [found, isNew] = lines.emplace(std::to_string(process) + '\n' + name, kFirstDeviceLine + lines.size());
    if (isNew)
      writeName("thread_name", process, found->second, name);
    return found->second;
  }

  void nameThread(const Record &record, const char *name) {
    if (*name && lines.emplace(std::to_string(record.process) + '\n' + std::to_string(record.thread), 0).second)
      writeName("thread_name", record.process, record.thread, std::string(name) + " " + std::to_string(record.thread));
  }

  static std::string microseconds(Time time) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%lld.%03lld", static_cast<long long>(time / 1000),
                  static_cast<long long>(time % 1000));
    return buffer;
  }

  void span(const Record &record, std::string_view name, const char *category, uint64_t line, Time end,
            const std::string &facts) {
    Time begin = std::max(record.begin, first);
    JsonObject event;
    event.add("ph", "X").add("name", name).add("cat", category).add("pid", record.process).add("tid", line);
    event.raw("ts", microseconds(begin - first)).raw("dur", microseconds(std::max(end - begin, Time(0))));
    put(event.raw("args", facts));
  }

  void writeName(const char *what, uint32_t process, uint64_t line, const std::string &name) {
    JsonObject event;
    event.add("ph", "M").add("name", what).add("pid", process).add("tid", line).raw("ts", "0");
    put(event.raw("args", JsonObject().add("name", name).text()));
  }

  void put(const JsonObject &event) { text += (text.empty() ? "\n" : ",\n") + event.text(); }

  const std::vector<Record> &records;
  std::unordered_map<uint64_t, const Record *> launches, ends;
  std::unordered_map<std::string, uint64_t> lines;
  Time first = 0, last = 0;
  std::string text;
};

} // namespace

std::string renderTrace(const std::vector<Record> &records) { return TraceWriter(records).run(); }

} // namespace nereid::profile
