#include "support/ReadFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid {

namespace {

// Appends what the next read gives; the number of bytes, 0 at the end, -1 with errno.
ssize_t readMore(int file, bool isOrdinary, int patience, size_t most, std::string &bytes) {
  size_t size = bytes.size();
  bytes.resize(size + most);
  ssize_t count = -1;
  while (count < 0) {
    if (!isOrdinary) { // it was opened without waiting for a writer, so the wait is here
      pollfd ready{file, POLLIN, 0};
      if (int found = poll(&ready, 1, patience); found <= 0) {
        if (found < 0 && errno == EINTR)
          continue;
        errno = found == 0 ? ETIMEDOUT : errno;
        break;
      }
    }
    count = read(file, bytes.data() + size, most);
    if (count < 0 && errno != EINTR && errno != EAGAIN)
      break;
  }
  bytes.resize(size + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return count;
}

} // namespace

std::optional<std::string> readFile(const std::string &path, size_t limit, std::string &problem,
                                    std::chrono::milliseconds patience) {
  int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    problem = std::strerror(errno);
    if (file >= 0)
      close(file);
    return std::nullopt;
  }
  bool isOrdinary = S_ISREG(status.st_mode);
  // The size can change, and pipes and devices have none: read until the end or the limit.
  size_t piece = isOrdinary && status.st_size ? static_cast<size_t>(status.st_size) + 1 : size_t(64) << 10;
  std::string bytes;
  int wait = isatty(file) ? -1 : static_cast<int>(patience.count());
  ssize_t count = 1;
  while (count > 0 && bytes.size() < limit)
    count = readMore(file, isOrdinary, wait, std::min(piece, limit - bytes.size()), bytes);
  int number = errno;
  close(file);
  if (count >= 0)
    return bytes;
  problem = number == ETIMEDOUT ? "nobody writes to it" : std::strerror(number);
  return std::nullopt;
}

} // namespace nereid
