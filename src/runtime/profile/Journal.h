// Journal.h: records one behind the other, in memory, or in a file that stays as it is when the process is killed: the file is
// mapped, so that what was written is the system's, and the size of a record is written last.
#pragma once

#include "nereid/result.hpp"
#include "runtime/profile/Record.h"

#include <memory>

namespace nereid::profile {

// A program that runs for days must not fill the disk or the memory.
inline constexpr size_t kMostJournalBytes = size_t(1) << 31;

class Journal {
public:
  // In memory.
  Journal() = default;
  static Result<std::unique_ptr<Journal>> inFile(const std::string &path);
  Journal(const Journal &) = delete;
  ~Journal();

  // False where there is no room: the record is left out.
  bool append(std::span<const std::byte> record);
  // How many bytes there are; what append adds lies behind.
  size_t size() const { return total; }
  // The records from such a size on, as bytes that readJournal takes.
  std::vector<std::byte> since(size_t position) const;

private:
  struct Chunk {
    std::byte *memory;
    size_t bytes, used;
  };
  bool grow(size_t bytes);

  int file = -1; // -1: in memory
  size_t total = 0, reserved = 0;
  std::vector<Chunk> chunks;
};

// The records among bytes of a journal, in their order. What is no record ends a part of it.
std::vector<Record> readJournal(std::span<const std::byte> bytes);

} // namespace nereid::profile
