// WriteFile.h: files that hold all that was written, or what they held before: bytes go to a file beside the old one, which
// then takes its place. A full disk, a limit or a crash costs what is new, never what was there.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace nereid::runtime {

using Parts = std::initializer_list<std::string_view>;

// Makes the file `name` of an open folder (or AT_FDCWD) hold these bytes. Gives errno, or 0. A link in its place is replaced.
struct ReplaceOptions {
  mode_t mode = 0600;
  bool isSynced = false; // on the disk before it takes the old one's place
};
int replaceFileAt(int folder, const std::string &name, Parts parts, const ReplaceOptions &options);

// The same for a file of the user's: it keeps its rights, links lead to it, and what is no ordinary file (a pipe, a device) is
// written as it is. Where the folder may not be written to, but the file may, it is written in place.
int writeFile(const std::string &path, Parts parts);

// Whether a file is one that replaceFileAt had not finished.
bool isTemporary(std::string_view path);

} // namespace nereid::runtime
