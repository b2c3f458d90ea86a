#include "runtime/profile/Texts.h"

#include <atomic>
#include <cstring>

namespace nereid::profile {

// The last bytes of both: the number of the texts.
static constexpr size_t kTextNumberBytes = sizeof(uint32_t);
// The first byte of texts, which is no kind of a record.
static constexpr std::byte kTexts{0xff};
// A program whose launches all differ must not fill the memory.
static constexpr size_t kMostKnown = 4096;

static std::atomic<uint32_t> lastNumber{0}; // of all threads, which may share a journal

void RecordAppender::encode(const Record &record) {
  encodeNumbers(record, numbers);
  encodeTexts(record, texts);
}

static void addNumber(std::vector<std::byte> &bytes, uint32_t number) {
  bytes.resize(bytes.size() + kTextNumberBytes);
  std::memcpy(bytes.data() + bytes.size() - kTextNumberBytes, &number, kTextNumberBytes);
}

bool RecordAppender::append(Journal &journal, uint64_t generation) {
  if (generation != seenGeneration || known.size() >= kMostKnown)
    known.clear(), seenGeneration = generation;
  std::string_view key(reinterpret_cast<const char *>(texts.data()), texts.size());
  auto found = known.find(key);
  if (found == known.end()) {
    uint32_t number = 1 + lastNumber.fetch_add(1, std::memory_order_relaxed);
    bytes.assign(1, kTexts);
    bytes.insert(bytes.end(), texts.begin(), texts.end());
    addNumber(bytes, number);
    if (!journal.append(bytes))
      return false;
    found = known.emplace(key, number).first;
  }
  addNumber(numbers, found->second);
  return journal.append(numbers);
}

bool RecordDecoder::read(std::span<const std::byte> bytes, std::vector<Record> &records) {
  if (bytes.size() <= kTextNumberBytes)
    return false;
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + bytes.size() - kTextNumberBytes, kTextNumberBytes);
  bytes = bytes.first(bytes.size() - kTextNumberBytes);
  if (bytes[0] == kTexts) {
    Record texts;
    bool isWhole = decodeTexts(bytes.subspan(1), texts);
    if (isWhole)
      known.insert_or_assign(number, std::move(texts));
    return isWhole;
  }
  Record record;
  if (!decodeNumbers(bytes, record))
    return false;
  auto texts = known.find(number);
  if (texts == known.end())
    return false;
  const Record &shared = texts->second;
  record.name = shared.name, record.device = shared.device, record.detail = shared.detail;
  record.source = shared.source, record.arguments = shared.arguments;
  records.push_back(std::move(record));
  return true;
}

} // namespace nereid::profile
