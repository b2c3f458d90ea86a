#include "runtime/profile/Journal.h"

#include "runtime/profile/Texts.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::profile {

// A record never lies across two parts: where the next one does not fit, the rest of a part is zero.
static constexpr size_t kPartBytes = size_t(1) << 20;
static constexpr size_t kSizeBytes = sizeof(uint64_t);

static size_t roundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

Result<std::unique_ptr<Journal>> Journal::inFile(const std::string &path) {
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return Error{Status::Environment, "error: `" + path + "` cannot be made: " + std::strerror(errno) + "\n"};
  auto self = std::make_unique<Journal>();
  self->file = file;
  return self;
}

Journal::~Journal() {
  for (const Chunk &chunk : chunks)
    if (file < 0)
      ::operator delete(chunk.memory);
    else
      munmap(chunk.memory, chunk.bytes);
  if (file >= 0)
    close(file);
}

bool Journal::grow(size_t bytes) {
  if (reserved + bytes > kMostJournalBytes)
    return false;
  void *memory = nullptr;
  if (file < 0) {
    memory = ::operator new(bytes, std::nothrow);
    if (!memory)
      return false;
    std::memset(memory, 0, bytes);
  } else {
    // Room on the disk now: without it, the first write into the mapping would end the process.
    if (posix_fallocate(file, off_t(reserved), off_t(bytes)) != 0)
      return false;
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, off_t(reserved));
    if (memory == MAP_FAILED)
      return false;
#ifdef MADV_POPULATE_WRITE
    // All of its pages at once: one by one they cost launches a microsecond each. A system that cannot do it goes on as before.
    (void)madvise(memory, bytes, MADV_POPULATE_WRITE);
#endif
  }
  chunks.push_back({static_cast<std::byte *>(memory), bytes, 0});
  reserved += bytes;
  return true;
}

bool Journal::append(std::span<const std::byte> record) {
  size_t needed = kSizeBytes + roundUp(record.size(), kSizeBytes);
  if (record.empty() || (chunks.empty() || chunks.back().bytes - chunks.back().used < needed)) {
    if (record.empty() || !grow(roundUp(needed, kPartBytes)))
      return false;
    total = reserved - chunks.back().bytes;
  }
  Chunk &chunk = chunks.back();
  std::byte *place = chunk.memory + chunk.used;
  std::memcpy(place + kSizeBytes, record.data(), record.size());
  std::atomic_ref(*reinterpret_cast<uint64_t *>(place)).store(record.size(), std::memory_order_release);
  chunk.used += needed;
  total += needed;
  return true;
}

std::vector<std::byte> Journal::since(size_t position) const {
  std::vector<std::byte> result;
  size_t begin = 0;
  for (const Chunk &chunk : chunks) {
    size_t end = begin + chunk.used;
    if (end > position) {
      size_t from = std::max(position, begin) - begin;
      result.insert(result.end(), chunk.memory + from, chunk.memory + chunk.used);
    }
    begin += chunk.bytes;
  }
  return result;
}

std::vector<Record> readJournal(std::span<const std::byte> bytes) {
  std::vector<Record> records;
  RecordDecoder decoder;
  for (size_t at = 0; at + kSizeBytes <= bytes.size();) {
    uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at, kSizeBytes);
    if (size == 0) { // the next part begins at a multiple of its size
      at = roundUp(at + 1, kPartBytes);
      continue;
    }
    if (size > bytes.size() - at - kSizeBytes || !decoder.read(bytes.subspan(at + kSizeBytes, size), records))
      break;
    at += kSizeBytes + roundUp(size, kSizeBytes);
  }
  return records;
}

} // namespace nereid::profile
