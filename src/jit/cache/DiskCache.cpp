#include "jit/cache/DiskCache.h"

#include "jit/cache/EntryFile.h"
#include "jit/cache/Files.h"
#include "support/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::jit {

namespace {

constexpr int64_t kSecond = 1000000000;

int64_t nowNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t(now.tv_sec) * kSecond + now.tv_nsec;
}

std::optional<int64_t> ageOf(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return std::nullopt;
  return nowNanoseconds() - (int64_t(status.st_mtim.tv_sec) * kSecond + status.st_mtim.tv_nsec);
}

// Machine code is loaded from here: a folder that anyone may write to is no place for it.
bool isWritableByAll(const std::string &folder) {
  struct stat status;
  return stat(folder.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0;
}

// Keeps the sum of the sizes below the limit, and removes what killed processes left behind.
void removeOldest(std::vector<FoundFile> files, uint64_t maxBytes) {
  int64_t now = nowNanoseconds();
  uint64_t total = 0;
  for (FoundFile &file : files) {
    bool isLeftBehind = isTemporary(file.path) && now - file.nanoseconds > 600 * kSecond;
    if (isLeftBehind && unlink(file.path.c_str()) == 0)
      file.bytes = 0;
    total += file.bytes;
  }
  // Processes look only now and then (isTrimDue), so this begins below the limit and makes room for a while.
  if (total <= maxBytes / 16 * 15)
    return;
  std::ranges::sort(files, {}, &FoundFile::nanoseconds);
  for (const FoundFile &file : files)
    if (total > maxBytes / 8 * 7 && file.bytes && !isTemporary(file.path) && unlink(file.path.c_str()) == 0)
      total -= file.bytes;
}

} // namespace

CacheFolder cacheFolderOf(const char *cacheDir, const char *xdgCacheHome, const char *home) {
  if (cacheDir)
    return {cacheDir, true};
  if (xdgCacheHome && xdgCacheHome[0] == '/')
    return {std::string(xdgCacheHome) + "/nereid", false};
  if (home && home[0] == '/')
    return {std::string(home) + "/.cache/nereid", false};
  return {};
}

DiskCache &DiskCache::shared() {
  // Lives as long as the process: launches may end after static objects do.
  static DiskCache &cache = *[] {
    CacheFolder folder =
        cacheFolderOf(std::getenv("NEREID_CACHE_DIR"), std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
    return new DiskCache({.folder = folder.path, .isChosen = folder.isChosen});
  }();
  return cache;
}

DiskCache::DiskCache(CacheOptions given) : options(std::move(given)) {
  std::string &folder = options.folder;
  while (folder.size() > 1 && folder.back() == '/')
    folder.pop_back();
  std::error_code problem; // the process may change its folder later
  if (!folder.empty())
    folder = std::filesystem::absolute(folder, problem).string();
  if (folder.empty()) {
    isUsable = canStore = false;
    log(LogLevel::Info, "no cache folder: compiled kernels are not kept");
    return;
  }
  if (int number = makeFolders(folder))
    giveUp(std::strerror(number));
  else if (isWritableByAll(folder))
    giveUp("everyone may write there");
}

void DiskCache::giveUp(const std::string &reason) {
  canStore = false;
  if (isUsable.exchange(false))
    log(options.isChosen ? LogLevel::Warning : LogLevel::Info,
        "the cache folder `" + options.folder + "` is not used: " + reason);
  options.folder.clear();
}

std::string DiskCache::pathOf(std::string_view kind, const Digest &key) const {
  std::string name = hexText(key);
  return options.folder + "/" + name.substr(0, 2) + "/" + name.substr(2) + "." + std::string(kind);
}

std::optional<std::string> DiskCache::load(std::string_view kind, const Digest &key) {
  if (!isUsable)
    return std::nullopt;
  std::string path = pathOf(kind, key);
  std::optional<std::string> bytes = readWholeFile(path);
  if (!bytes)
    return std::nullopt;
  std::optional<std::string> payload = unwrapEntry(kind, key, *bytes);
  if (!payload) {
    log(LogLevel::Info, "a damaged cache entry is removed: " + path);
    unlink(path.c_str());
    return std::nullopt;
  }
  // The time of last use decides what goes first; an hour is exact enough and spares the disk.
  if (ageOf(path).value_or(0) > 3600 * kSecond)
    touch(path);
  return payload;
}

void DiskCache::store(std::string_view kind, const Digest &key, std::string_view payload) {
  if (!canStore || payload.size() > options.maxBytes / 2)
    return;
  std::string path = pathOf(kind, key);
  std::string entry = wrapEntry(kind, key, payload);
  int problem = replaceFile(path, entry);
  if (problem == ENOENT) {
    problem = makeFolders(path.substr(0, path.rfind('/')));
    problem = problem ? problem : replaceFile(path, entry);
  }
  if (problem) {
    // What is there can still be read. A limit on file sizes concerns this entry only.
    bool isForGood = problem != EFBIG && problem != ENOENT;
    if (!isForGood || canStore.exchange(false))
      log(LogLevel::Info, "nothing is added to the cache folder `" + options.folder + "`: " + std::strerror(problem));
    return;
  }
  if (isTrimDue(entry.size()))
    trim();
}

// A look at the whole folder costs milliseconds: once a minute for all processes together, and whenever this process
// alone has added a sixteenth of what may be kept.
bool DiskCache::isTrimDue(uint64_t stored) {
  if (storedSinceTrim.fetch_add(stored) + stored > options.maxBytes / 16)
    return true;
  std::optional<int64_t> age = ageOf(options.folder + "/trimmed");
  return !age || *age > 60 * kSecond || *age < 0;
}

void DiskCache::trim() {
  if (!isUsable)
    return;
  storedSinceTrim = 0;
  std::string stamp = options.folder + "/trimmed";
  int lock = open(stamp.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0)
    return;
  // One process at a time; the others go on at once. The lock ends with the process, however that ends.
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    futimens(lock, nullptr);
    removeOldest(filesBelow(options.folder), options.maxBytes);
  }
  close(lock);
}

// The key that a path was made of.
static std::optional<Digest> keyOf(std::string_view path) {
  size_t slash = path.rfind('/'), dot = path.rfind('.');
  Digest key{};
  if (slash == std::string_view::npos || slash < 2 || dot == std::string_view::npos || dot < slash)
    return std::nullopt;
  std::string digits = std::string(path.substr(slash - 2, 2)) + std::string(path.substr(slash + 1, dot - slash - 1));
  if (digits.size() != 2 * key.size() || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  for (size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<uint8_t>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  return key;
}

void DiskCache::forEach(std::string_view kind, const std::function<void(std::string_view)> &visit) const {
  if (!isUsable)
    return;
  std::string ending = "." + std::string(kind);
  for (const FoundFile &file : filesBelow(options.folder)) {
    std::optional<Digest> key = file.path.ends_with(ending) ? keyOf(file.path) : std::nullopt;
    std::optional<std::string> bytes = key ? readWholeFile(file.path) : std::nullopt;
    std::optional<std::string> payload = bytes ? unwrapEntry(kind, *key, *bytes) : std::nullopt;
    if (payload)
      visit(*payload);
  }
}

DiskCache::Usage DiskCache::usage() const {
  Usage usage;
  if (isUsable)
    for (const FoundFile &file : filesBelow(options.folder)) {
      ++usage.entries;
      usage.bytes += file.bytes;
    }
  return usage;
}

} // namespace nereid::jit
