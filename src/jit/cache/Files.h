// Files.h: the few file operations of the disk cache, each a single failure or success. POSIX, because the cache relies
// on its guarantees: rename replaces atomically, an open file outlives its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::jit {

// All bytes of an ordinary file. Nothing for anything else (a folder, a pipe, a link to nowhere).
std::optional<std::string> readWholeFile(const std::string &path);
// Makes `path` hold exactly these bytes or leaves it as it was. On failure gives errno.
int replaceFile(const std::string &path, std::string_view bytes);
// Makes a folder and those above it, for the user alone. On failure gives errno.
int makeFolders(const std::string &path);
// Sets the time of last use to now.
void touch(const std::string &path);

struct FoundFile {
  std::string path;
  uint64_t bytes = 0;
  int64_t nanoseconds = 0; // of its last change
};
// The ordinary files one level below `folder`, in its sub-folders of two letters.
std::vector<FoundFile> filesBelow(const std::string &folder);

bool isTemporary(std::string_view path);

} // namespace nereid::jit
