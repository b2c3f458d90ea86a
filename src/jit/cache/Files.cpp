#include "jit/cache/Files.h"

#include "jit/cache/Trust.h"
#include "runtime/WriteFile.h"

#include <cerrno>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::jit {

int64_t nowNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t(now.tv_sec) * kSecond + now.tv_nsec;
}

static int64_t changeOf(const struct stat &status) {
  return int64_t(status.st_mtim.tv_sec) * kSecond + status.st_mtim.tv_nsec;
}

// Makes the folders on the way that are not there. What is wrong shows when the last one is opened.
static void makeFolders(const std::string &path) {
  for (size_t end = 1; end <= path.size(); ++end)
    if (end == path.size() || path[end] == '/')
      mkdir(path.substr(0, end).c_str(), 0700);
}

TrustedFolder::TrustedFolder(int opened, std::string what, FileProblem &problem) : descriptor(opened) {
  problem = {};
  struct stat status;
  if (descriptor < 0)
    problem.number = errno == ELOOP ? ENOTDIR : errno;
  else if (fstat(descriptor, &status) != 0)
    problem.number = errno;
  else if (std::string why = distrustOf(descriptor, status); !why.empty())
    problem.distrust = what + " " + why;
  else
    return;
  if (descriptor >= 0)
    close(descriptor);
  descriptor = -1;
}

TrustedFolder TrustedFolder::open(const std::string &path, bool isMade, FileProblem &problem) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  int opened = ::open(path.c_str(), kFlags);
  if (opened < 0 && errno == ENOENT && isMade) {
    makeFolders(path);
    opened = ::open(path.c_str(), kFlags);
  }
  return {opened, "it", problem};
}

TrustedFolder TrustedFolder::below(const std::string &name, bool isMade, FileProblem &problem) const {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int opened = openat(descriptor, name.c_str(), kFlags);
  if (opened < 0 && errno == ENOENT && isMade) {
    mkdirat(descriptor, name.c_str(), 0700);
    opened = openat(descriptor, name.c_str(), kFlags);
  }
  struct stat status;
  bool isLink =
      opened < 0 && fstatat(descriptor, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
  TrustedFolder folder(opened, "`" + name + "` in it", problem);
  if (isLink)
    problem.distrust = "`" + name + "` in it is a link";
  return folder;
}

TrustedFolder::~TrustedFolder() {
  if (descriptor >= 0)
    close(descriptor);
}

// The bytes of an open file of this size.
static std::optional<std::string> readAll(int descriptor, size_t expected) {
  std::string bytes(expected, '\0');
  size_t size = 0;
  while (size < bytes.size()) {
    ssize_t count = ::read(descriptor, bytes.data() + size, bytes.size() - size);
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

std::optional<std::string> TrustedFolder::read(const std::string &name, FileProblem &problem) const {
  problem = {};
  int file = openat(descriptor, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) {
    problem.number = errno;
    if (errno == ELOOP)
      problem.distrust = "`" + name + "` in it is a link";
    return std::nullopt;
  }
  struct stat status;
  std::optional<std::string> bytes;
  constexpr off_t kLargest = off_t(1) << 30;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kLargest) {
    if (std::string why = distrustOf(file, status); !why.empty())
      problem.distrust = "`" + name + "` in it " + why;
    else
      bytes = readAll(file, static_cast<size_t>(status.st_size));
    // The time of last use decides what goes first; an hour is exact enough and spares the disk.
    if (bytes && nowNanoseconds() - changeOf(status) > 3600 * kSecond)
      futimens(file, nullptr);
  }
  close(file);
  return bytes;
}

int TrustedFolder::replace(const std::string &name, std::string_view bytes) const {
  return runtime::replaceFileAt(descriptor, name, {bytes}, {});
}

bool TrustedFolder::remove(const std::string &name) const { return unlinkat(descriptor, name.c_str(), 0) == 0; }

std::optional<int64_t> TrustedFolder::ageOf(const std::string &name) const {
  struct stat status;
  if (fstatat(descriptor, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return nowNanoseconds() - changeOf(status);
}

TrustedFolder::Lock::Lock(const TrustedFolder &folder, const std::string &name)
    : descriptor(openat(folder.descriptor, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)),
      isHeld(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
  if (isHeld)
    futimens(descriptor, nullptr);
}

TrustedFolder::Lock::~Lock() {
  if (descriptor >= 0)
    close(descriptor);
}

std::vector<TrustedFolder::Found> TrustedFolder::filesBelow() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::vector<Found> files;
  for (int i = 0; i < 256; ++i) {
    std::string name{kDigits[i >> 4], kDigits[i & 15]};
    FileProblem problem;
    TrustedFolder folder = below(name, false, problem);
    int own = folder ? fcntl(folder.descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    DIR *stream = own >= 0 ? fdopendir(own) : nullptr;
    if (!stream) {
      if (own >= 0)
        close(own);
      continue;
    }
    while (dirent *entry = readdir(stream)) {
      struct stat status;
      if (fstatat(own, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
        files.push_back({name + "/" + entry->d_name, static_cast<uint64_t>(status.st_size), changeOf(status)});
    }
    closedir(stream);
  }
  return files;
}

} // namespace nereid::jit
