#include "runtime/WriteFile.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::runtime {

namespace {

constexpr std::string_view kTemporaryMark = ".part-";

class OpenFile {
public:
  OpenFile(int folder, const std::string &path, int flags, mode_t mode = 0)
      : descriptor(openat(folder, path.c_str(), flags | O_CLOEXEC, mode)) {}
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

int writeAll(int descriptor, Parts parts) {
  for (std::string_view bytes : parts)
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

// In the same folder, and not longer for a long name.
std::string temporaryName(const std::string &path) {
  static std::atomic<uint64_t> counter{0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return path.substr(0, path.rfind('/') + 1) + ".nereid" + std::string(kTemporaryMark) + std::to_string(getpid()) +
         "-" + std::to_string(counter++) + "-" + std::to_string(now.tv_nsec);
}

// `prepare(descriptor)` gives the new file what else it needs.
template <class Prepare>
int replaceWith(int folder, const std::string &name, Parts parts, const ReplaceOptions &options, Prepare prepare) {
  HoldFileSizeSignal hold;
  std::string temporary = temporaryName(name);
  OpenFile file(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, options.mode);
  if (!file)
    return errno;
  prepare(file.descriptor);
  int problem = writeAll(file.descriptor, parts);
  if (!problem && options.isSynced && fsync(file.descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
    problem = errno;
  if (int late = file.close(); !problem)
    problem = late;
  if (!problem && renameat(folder, temporary.c_str(), folder, name.c_str()) != 0)
    problem = errno;
  if (problem)
    unlinkat(folder, temporary.c_str(), 0);
  return problem;
}

int writeInPlace(const std::string &path, int flags, Parts parts) {
  HoldFileSizeSignal hold;
  OpenFile file(AT_FDCWD, path, O_WRONLY | flags, 0666);
  if (!file)
    return errno;
  int problem = writeAll(file.descriptor, parts);
  int late = file.close();
  return problem ? problem : late;
}

} // namespace

bool isTemporary(std::string_view path) { return path.find(kTemporaryMark) != std::string_view::npos; }

int replaceFileAt(int folder, const std::string &name, Parts parts, const ReplaceOptions &options) {
  return replaceWith(folder, name, parts, options, [](int) {});
}

int writeFile(const std::string &path, Parts parts) {
  struct stat old;
  if (stat(path.c_str(), &old) != 0) {
    if (errno != ENOENT)
      return errno;
    // A link to what is not there yet makes that; the link stays.
    bool isLink = lstat(path.c_str(), &old) == 0;
    return isLink ? writeInPlace(path, O_CREAT, parts)
                  : replaceWith(AT_FDCWD, path, parts, {.mode = 0666, .isSynced = true}, [](int) {});
  }
  if (!S_ISREG(old.st_mode))
    return S_ISDIR(old.st_mode) ? EISDIR : writeInPlace(path, 0, parts);
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return errno;
  std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), std::free);
  if (!real)
    return errno;
  int problem = replaceWith(AT_FDCWD, real.get(), parts, {.mode = 0600, .isSynced = true}, [&](int descriptor) {
    // Who may not give a file away keeps it.
    [[maybe_unused]] int owner = fchown(descriptor, old.st_uid, old.st_gid);
    fchmod(descriptor, old.st_mode & 07777);
  });
  bool isFolderClosed = problem == EACCES || problem == EPERM || problem == EROFS;
  return isFolderClosed ? writeInPlace(real.get(), O_TRUNC, parts) : problem;
}

} // namespace nereid::runtime
