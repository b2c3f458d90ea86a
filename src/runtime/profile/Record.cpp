#include "runtime/profile/Record.h"

#include <chrono>
#include <cstring>

namespace nereid::profile {

Time now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

namespace {

class RecordWriter {
public:
  explicit RecordWriter(std::vector<std::byte> &bytes) : bytes(bytes) {}
  template <class T> void number(T value) {
    const auto *begin = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    const auto *begin = reinterpret_cast<const std::byte *>(value.data());
    bytes.insert(bytes.end(), begin, begin + value.size());
  }
  template <class Items, class Write> void list(const Items &items, Write write) {
    number(static_cast<uint32_t>(items.size()));
    for (const auto &item : items)
      write(item);
  }

private:
  std::vector<std::byte> &bytes;
};

class RecordReader {
public:
  explicit RecordReader(std::span<const std::byte> bytes) : bytes(bytes) {}
  template <class T> T number() {
    T value{};
    if (bytes.size() < sizeof value) {
      hasFailed = true, bytes = {};
      return value;
    }
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
    return value;
  }
  std::string text() {
    auto size = number<uint32_t>();
    if (size > bytes.size()) {
      hasFailed = true;
      return {};
    }
    std::string value(reinterpret_cast<const char *>(bytes.data()), size);
    bytes = bytes.subspan(size);
    return value;
  }
  template <class Read> void list(Read read) {
    for (auto left = number<uint32_t>(); left > 0 && !hasFailed; --left)
      read();
  }
  bool isWhole() const { return !hasFailed && bytes.empty(); }

private:
  std::span<const std::byte> bytes;
  bool hasFailed = false;
};

} // namespace

void encode(const Record &record, std::vector<std::byte> &bytes) {
  RecordWriter out(bytes);
  out.number(record.kind);
  out.number(record.thread);
  for (uint64_t number :
       {record.id, record.scope, uint64_t(record.begin), uint64_t(record.end), record.stream, record.programs})
    out.number(number);
  for (uint32_t extent : record.grid)
    out.number(extent);
  for (const std::string *text : {&record.name, &record.device, &record.detail, &record.source})
    out.text(*text);
  out.list(record.arguments, [&](const Argument &argument) {
    out.text(argument.name);
    out.text(argument.type);
    out.list(argument.shape, [&](int64_t extent) { out.number(extent); });
    out.text(argument.value);
  });
  out.list(record.metrics, [&](const std::pair<std::string, double> &metric) {
    out.text(metric.first);
    out.number(metric.second);
  });
}

std::optional<Record> decode(std::span<const std::byte> bytes) {
  RecordReader in(bytes);
  Record record;
  record.kind = in.number<Record::Kind>();
  record.thread = in.number<uint32_t>();
  record.id = in.number<uint64_t>();
  record.scope = in.number<uint64_t>();
  record.begin = in.number<Time>();
  record.end = in.number<Time>();
  record.stream = in.number<uint64_t>();
  record.programs = in.number<uint64_t>();
  for (uint32_t &extent : record.grid)
    extent = in.number<uint32_t>();
  for (std::string *text : {&record.name, &record.device, &record.detail, &record.source})
    *text = in.text();
  in.list([&] {
    Argument argument;
    argument.name = in.text();
    argument.type = in.text();
    in.list([&] { argument.shape.push_back(in.number<int64_t>()); });
    argument.value = in.text();
    record.arguments.push_back(std::move(argument));
  });
  in.list([&] {
    std::string name = in.text();
    record.metrics.emplace_back(std::move(name), in.number<double>());
  });
  if (!in.isWhole() || record.kind < Record::Kind::Launch || record.kind > Record::kLast)
    return std::nullopt;
  return record;
}

} // namespace nereid::profile
