#include "jit/cache/DiskCache.h"

#include "jit/cache/EntryFile.h"
#include "runtime/WriteFile.h"
#include "support/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace nereid::jit {

namespace {

// Where an entry lies: ab/cdef….artifact
std::string folderOf(const Digest &key) { return hexText(key).substr(0, 2); }
std::string nameOf(std::string_view kind, const Digest &key) {
  return hexText(key).substr(2) + "." + std::string(kind);
}

// Nobody writes a file for longer: its process was killed.
constexpr int64_t kLeftBehind = 600 * kSecond;

// Keeps the sum of the sizes below the limit, and removes what killed processes left behind.
void removeOldest(const TrustedFolder &folder, uint64_t maxBytes) {
  std::vector<TrustedFolder::Found> files = folder.filesBelow();
  int64_t now = nowNanoseconds();
  uint64_t total = 0;
  for (TrustedFolder::Found &file : files) {
    bool isLeftBehind = runtime::isTemporary(file.name) && now - file.nanoseconds > kLeftBehind;
    if (isLeftBehind && folder.remove(file.name))
      file.bytes = 0;
    total += file.bytes;
  }
  // Processes look only now and then (isTrimDue), so this begins below the limit and makes room for a while.
  if (total <= maxBytes / 16 * 15)
    return;
  std::ranges::sort(files, {}, &TrustedFolder::Found::nanoseconds);
  for (const TrustedFolder::Found &file : files)
    if (total > maxBytes / 8 * 7 && file.bytes && !runtime::isTemporary(file.name) && folder.remove(file.name))
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
  FileProblem wrong;
  if (!TrustedFolder::open(folder, true, wrong))
    giveUp(wrong);
}

void DiskCache::giveUp(const FileProblem &problem) const {
  canStore = false;
  bool isDistrusted = !problem.distrust.empty();
  if (isUsable.exchange(false))
    log(options.isChosen || isDistrusted ? LogLevel::Warning : LogLevel::Info,
        "the cache folder `" + options.folder +
            "` is not used: " + (isDistrusted ? problem.distrust : std::strerror(problem.number)));
}

const std::string &DiskCache::folder() const {
  static const std::string none;
  return isUsable ? options.folder : none;
}

TrustedFolder DiskCache::open(bool isMade, FileProblem &problem) const {
  TrustedFolder folder = TrustedFolder::open(options.folder, isMade, problem);
  if (!problem.distrust.empty())
    giveUp(problem);
  return folder;
}

// One of its sub-folders.
TrustedFolder DiskCache::openBelow(const std::string &name, bool isMade, FileProblem &problem) const {
  TrustedFolder top = open(isMade, problem);
  if (!top)
    return {};
  TrustedFolder folder = top.below(name, isMade, problem);
  if (!problem.distrust.empty())
    giveUp(problem);
  return folder;
}

std::optional<std::string> DiskCache::read(const TrustedFolder &folder, const std::string &name) const {
  FileProblem problem;
  std::optional<std::string> bytes = folder.read(name, problem);
  if (!problem.distrust.empty())
    giveUp(problem);
  return bytes;
}

std::optional<std::string> DiskCache::load(std::string_view kind, const Digest &key) {
  if (!isUsable)
    return std::nullopt;
  FileProblem problem;
  TrustedFolder folder = openBelow(folderOf(key), false, problem);
  std::string name = nameOf(kind, key);
  std::optional<std::string> bytes = folder ? read(folder, name) : std::nullopt;
  if (!bytes)
    return std::nullopt;
  std::optional<std::string> payload = unwrapEntry(kind, key, *bytes);
  if (!payload) {
    log(LogLevel::Info, "a damaged cache entry is removed: " + options.folder + "/" + folderOf(key) + "/" + name);
    folder.remove(name);
  }
  return payload;
}

void DiskCache::store(std::string_view kind, const Digest &key, std::string_view payload) {
  if (!canStore || payload.size() > options.maxBytes / 2)
    return;
  FileProblem wrong;
  std::string entry = wrapEntry(kind, key, payload);
  TrustedFolder folder = openBelow(folderOf(key), true, wrong);
  if (!wrong.distrust.empty())
    return;
  int problem = folder ? folder.replace(nameOf(kind, key), entry) : wrong.number;
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
  FileProblem problem;
  TrustedFolder folder = open(false, problem);
  std::optional<int64_t> age = folder ? folder.ageOf("trimmed") : std::nullopt;
  return !age || *age > 60 * kSecond || *age < 0;
}

void DiskCache::trim() {
  if (!isUsable)
    return;
  storedSinceTrim = 0;
  FileProblem problem;
  TrustedFolder folder = open(false, problem);
  if (!folder)
    return;
  // One process at a time; the others go on at once. The lock ends with the process, however that ends.
  if (TrustedFolder::Lock lock(folder, "trimmed"); lock)
    removeOldest(folder, options.maxBytes);
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
  FileProblem problem;
  TrustedFolder top = isUsable ? open(false, problem) : TrustedFolder();
  if (!top)
    return;
  std::string ending = "." + std::string(kind);
  for (const TrustedFolder::Found &file : top.filesBelow()) {
    std::optional<Digest> key = file.name.ends_with(ending) ? keyOf(file.name) : std::nullopt;
    TrustedFolder folder = key ? top.below(folderOf(*key), false, problem) : TrustedFolder();
    std::optional<std::string> bytes = folder ? read(folder, nameOf(kind, *key)) : std::nullopt;
    std::optional<std::string> payload = bytes ? unwrapEntry(kind, *key, *bytes) : std::nullopt;
    if (payload)
      visit(*payload);
  }
}

void DiskCache::forEach(const std::function<void(const Entry &, std::string_view)> &visit) const {
  FileProblem problem;
  TrustedFolder top = isUsable ? open(false, problem) : TrustedFolder();
  if (!top)
    return;
  std::vector<TrustedFolder::Found> files = top.filesBelow();
  std::ranges::sort(files, std::greater{}, &TrustedFolder::Found::nanoseconds);
  int64_t now = nowNanoseconds();
  for (const TrustedFolder::Found &file : files) {
    std::optional<Digest> key = keyOf(file.name);
    std::string kind = file.name.substr(file.name.rfind('.') + 1);
    TrustedFolder folder = key ? top.below(folderOf(*key), false, problem) : TrustedFolder();
    std::optional<std::string> bytes = folder ? read(folder, nameOf(kind, *key)) : std::nullopt;
    if (std::optional<std::string> payload = bytes ? unwrapEntry(kind, *key, *bytes) : std::nullopt)
      visit({kind, file.bytes, now - file.nanoseconds}, *payload);
  }
}

DiskCache::Usage DiskCache::clear() {
  Usage removed;
  FileProblem problem;
  TrustedFolder folder = isUsable ? open(false, problem) : TrustedFolder();
  if (!folder)
    return removed;
  int64_t now = nowNanoseconds();
  for (const TrustedFolder::Found &file : folder.filesBelow()) {
    bool isBeingWritten = runtime::isTemporary(file.name) && now - file.nanoseconds <= kLeftBehind;
    if (isBeingWritten || !folder.remove(file.name))
      continue;
    ++removed.entries;
    removed.bytes += file.bytes;
  }
  return removed;
}

DiskCache::Usage DiskCache::usage() const {
  Usage usage;
  FileProblem problem;
  TrustedFolder folder = isUsable ? open(false, problem) : TrustedFolder();
  if (!folder)
    return usage;
  for (const TrustedFolder::Found &file : folder.filesBelow()) {
    ++usage.entries;
    usage.bytes += file.bytes;
  }
  return usage;
}

} // namespace nereid::jit
