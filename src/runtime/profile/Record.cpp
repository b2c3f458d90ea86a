#include "runtime/profile/Record.h"

#include <cassert>
#include <chrono>
#include <cstring>

namespace nereid::profile {

Time now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

namespace {

// Writes where there is room already: records are written while somebody waits for a launch.
class RecordWriter {
public:
  explicit RecordWriter(std::byte *place) : place(place) {}
  template <class T> void number(T value) {
    std::memcpy(place, &value, sizeof value);
    place += sizeof value;
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    std::memcpy(place, value.data(), value.size());
    place += value.size();
  }
  const std::byte *end() const { return place; }

private:
  std::byte *place;
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

static constexpr size_t kCountBytes = sizeof(uint32_t), kNumberBytes = sizeof(uint64_t);

void encodeNumbers(const Record &record, std::vector<std::byte> &bytes) {
  size_t size = 1 + 4 * kCountBytes + 6 * kNumberBytes + kCountBytes;
  for (const auto &metric : record.metrics)
    size += kCountBytes + metric.first.size() + sizeof metric.second;
  bytes.resize(size);
  RecordWriter out(bytes.data());
  out.number(record.kind);
  out.number(record.thread);
  for (uint64_t number :
       {record.id, record.scope, uint64_t(record.begin), uint64_t(record.end), record.stream, record.programs})
    out.number(number);
  for (uint32_t extent : record.grid)
    out.number(extent);
  out.number(static_cast<uint32_t>(record.metrics.size()));
  for (const auto &[name, value] : record.metrics) {
    out.text(name);
    out.number(value);
  }
  assert(out.end() == bytes.data() + size);
}

void encodeTexts(const Record &record, std::vector<std::byte> &bytes) {
  size_t size =
      5 * kCountBytes + record.name.size() + record.device.size() + record.detail.size() + record.source.size();
  for (const Argument &argument : record.arguments)
    size += 4 * kCountBytes + argument.name.size() + argument.type.size() + argument.value.size() +
            kNumberBytes * argument.shape.size();
  bytes.resize(size);
  RecordWriter out(bytes.data());
  for (const std::string *text : {&record.name, &record.device, &record.detail, &record.source})
    out.text(*text);
  out.number(static_cast<uint32_t>(record.arguments.size()));
  for (const Argument &argument : record.arguments) {
    out.text(argument.name);
    out.text(argument.type);
    out.number(static_cast<uint32_t>(argument.shape.size()));
    for (int64_t extent : argument.shape)
      out.number(extent);
    out.text(argument.value);
  }
  assert(out.end() == bytes.data() + size);
}

bool decodeNumbers(std::span<const std::byte> bytes, Record &record) {
  RecordReader in(bytes);
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
  in.list([&] {
    std::string name = in.text();
    record.metrics.emplace_back(std::move(name), in.number<double>());
  });
  return in.isWhole() && record.kind >= Record::Kind::Launch && record.kind <= Record::kLast;
}

bool decodeTexts(std::span<const std::byte> bytes, Record &record) {
  RecordReader in(bytes);
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
  return in.isWhole();
}

} // namespace nereid::profile
