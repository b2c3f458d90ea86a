// DiskCache.h: bytes by key, kept between runs. Safe for any number of processes and threads without locks between
// them: an entry is written beside its place and renamed into it, so that a reader sees all of it or nothing, and a
// checksum is verified on every load. A folder that cannot be used costs the cache, never the run. Folder and entries must be
// this user's or root's, and nobody else may be able to write them (Trust.h); else nothing is read, and one line says why.
#pragma once

#include "jit/cache/Files.h"
#include "support/Sha256.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::jit {

struct CacheOptions {
  std::string folder;                    // empty: nothing is kept
  bool isChosen = true;                  // by the user: that it cannot be used is worth a warning
  uint64_t maxBytes = uint64_t(1) << 30; // the entries that were not used for the longest time go first
};

class DiskCache {
public:
  explicit DiskCache(CacheOptions options);
  // The cache of this process: NEREID_CACHE_DIR, else $XDG_CACHE_HOME/nereid, else ~/.cache/nereid.
  static DiskCache &shared();

  // The payload stored under this kind and key. A damaged entry is removed and counts as none.
  std::optional<std::string> load(std::string_view kind, const Digest &key);
  // Keeps the payload, where that is possible.
  void store(std::string_view kind, const Digest &key, std::string_view payload);

  // Calls visit(payload) for every whole entry of a kind.
  void forEach(std::string_view kind, const std::function<void(std::string_view)> &visit) const;

  struct Entry {
    std::string kind;
    uint64_t bytes = 0;      // of its file
    int64_t nanoseconds = 0; // since it was used, about
  };
  // Calls visit(entry, payload) for every whole entry, the one used last first.
  void forEach(const std::function<void(const Entry &, std::string_view payload)> &visit) const;

  // Removes the oldest entries while all together are larger than the limit, and what killed processes left behind.
  void trim();

  struct Usage {
    uint64_t entries = 0, bytes = 0;
  };
  Usage usage() const;
  // Removes all entries and gives what they took. Other processes go on: an entry that they read is whole or not there, and
  // what they are writing now stays.
  Usage clear();
  // Empty when nothing is kept.
  const std::string &folder() const;

private:
  TrustedFolder open(bool isMade, FileProblem &problem) const;
  TrustedFolder openBelow(const std::string &name, bool isMade, FileProblem &problem) const;
  std::optional<std::string> read(const TrustedFolder &folder, const std::string &name) const;
  bool isTrimDue(uint64_t stored);
  // Turns the cache off, with the reason in the log, once.
  void giveUp(const FileProblem &problem) const;

  CacheOptions options;
  mutable std::atomic<bool> isUsable{true}, canStore{true};
  std::atomic<uint64_t> storedSinceTrim{0};
};

// What the environment says; `isChosen` when NEREID_CACHE_DIR names the folder.
struct CacheFolder {
  std::string path;
  bool isChosen = false;
};
CacheFolder cacheFolderOf(const char *cacheDir, const char *xdgCacheHome, const char *home);

} // namespace nereid::jit
