#include "jit/cache/Files.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::jit {

namespace {

constexpr std::string_view kTemporaryMark = ".part-";

class OpenFile {
public:
  OpenFile(const std::string &path, int flags, mode_t mode = 0)
      : descriptor(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~OpenFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  OpenFile(const OpenFile &) = delete;
  explicit operator bool() const { return descriptor >= 0; }
  // Errors of delayed writing (quota, network) show only here. Gives errno or 0.
  int close() {
    int result = ::close(descriptor);
    descriptor = -1;
    return result == 0 ? 0 : errno;
  }
  int descriptor;
};

// A write beyond the limit on file sizes raises SIGXFSZ, which would end the process: here it is only an error.
class HoldFileSizeSignal {
public:
  HoldFileSizeSignal() {
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    wasPending = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signals, &saved);
  }
  ~HoldFileSizeSignal() {
    timespec none{};
    if (!wasPending)
      sigtimedwait(&signals, nullptr, &none);
    pthread_sigmask(SIG_SETMASK, &saved, nullptr);
  }
  HoldFileSizeSignal(const HoldFileSizeSignal &) = delete;

private:
  sigset_t signals, saved;
  bool wasPending = false;
};

int writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

std::string temporaryName(const std::string &path) {
  static std::atomic<uint64_t> counter{0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return path + std::string(kTemporaryMark) + std::to_string(getpid()) + "-" + std::to_string(counter++) + "-" +
         std::to_string(now.tv_nsec);
}

} // namespace

bool isTemporary(std::string_view path) { return path.find(kTemporaryMark) != std::string_view::npos; }

std::optional<std::string> readWholeFile(const std::string &path) {
  OpenFile file(path, O_RDONLY | O_NONBLOCK);
  struct stat status;
  constexpr off_t kLargest = off_t(1) << 30;
  if (!file || fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kLargest)
    return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t size = 0;
  while (size < bytes.size()) {
    ssize_t count = read(file.descriptor, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return std::nullopt;
    if (count == 0)
      break; // it became shorter: the checksum will tell
    size += static_cast<size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

int replaceFile(const std::string &path, std::string_view bytes) {
  HoldFileSizeSignal hold;
  std::string temporary = temporaryName(path);
  OpenFile file(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file)
    return errno;
  int problem = writeAll(file.descriptor, bytes);
  if (int late = file.close(); !problem)
    problem = late;
  if (!problem && rename(temporary.c_str(), path.c_str()) != 0)
    problem = errno;
  if (problem)
    unlink(temporary.c_str());
  return problem;
}

int makeFolders(const std::string &path) {
  for (size_t end = 1; end <= path.size(); ++end) {
    if (end < path.size() && path[end] != '/')
      continue;
    if (mkdir(path.substr(0, end).c_str(), 0700) == 0 || errno == EEXIST)
      continue;
    struct stat status;
    int problem = errno; // a folder above that exists but cannot be written is fine
    if (stat(path.substr(0, end).c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
      return problem;
  }
  struct stat status;
  return stat(path.c_str(), &status) != 0 ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

void touch(const std::string &path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

std::vector<FoundFile> filesBelow(const std::string &folder) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::vector<FoundFile> files;
  for (int i = 0; i < 256; ++i) {
    std::string path = folder + "/" + kDigits[i >> 4] + kDigits[i & 15];
    DIR *stream = opendir(path.c_str());
    if (!stream)
      continue;
    while (dirent *entry = readdir(stream)) {
      struct stat status;
      if (fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
        continue;
      files.push_back({path + "/" + entry->d_name, static_cast<uint64_t>(status.st_size),
                       int64_t(status.st_mtim.tv_sec) * 1000000000 + status.st_mtim.tv_nsec});
    }
    closedir(stream);
  }
  return files;
}

} // namespace nereid::jit
