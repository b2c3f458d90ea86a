// Texts.h: records as a journal has them. A kernel is launched many times with the same name, arguments and device: such texts are
// written once, with a number, and a record has that number behind its own numbers.
#pragma once

#include "runtime/profile/Journal.h"

#include <string>
#include <unordered_map>

namespace nereid::profile {

// One for each thread.
class RecordAppender {
public:
  // Makes the record's bytes.
  void encode(const Record &record);
  // Appends them, behind those of its texts where this journal does not have them. Another `generation` is another reader, who has seen
  // none. False: there is no room.
  bool append(Journal &journal, uint64_t generation);

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view bytes) const { return std::hash<std::string_view>()(bytes); }
  };
  std::vector<std::byte> numbers, texts, bytes;
  uint64_t seenGeneration = 0;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> known;
};

class RecordDecoder {
public:
  // False where the bytes are none of a journal. A record that is whole goes behind `records`.
  bool read(std::span<const std::byte> bytes, std::vector<Record> &records);

private:
  std::unordered_map<uint32_t, Record> known; // the texts of a record, by their number
};

} // namespace nereid::profile
