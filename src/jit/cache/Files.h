// Files.h: the file operations of the disk cache, in folders that are held open, so that what was found trustworthy is what
// is used. POSIX, because the cache relies on its guarantees: rename replaces atomically, an open file outlives its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::jit {

// What went wrong: errno, or why something is not trusted.
struct FileProblem {
  int number = 0;
  std::string distrust;
};

// A folder that nobody but this user and root can change.
class TrustedFolder {
public:
  TrustedFolder() = default;
  // Links may lead to it: only who can change the folders above can make them. With `isMade`, it and those above are made
  // where they are not, for the user alone.
  static TrustedFolder open(const std::string &path, bool isMade, FileProblem &problem);
  // A folder in this one, which is no link.
  TrustedFolder below(const std::string &name, bool isMade, FileProblem &problem) const;
  TrustedFolder(TrustedFolder &&other) noexcept : descriptor(other.descriptor) { other.descriptor = -1; }
  TrustedFolder &operator=(TrustedFolder &&) = delete;
  ~TrustedFolder();
  explicit operator bool() const { return descriptor >= 0; }

  // All bytes of an ordinary file that is trusted, too; it counts as used now. No other thing is read (a folder, a pipe, a link).
  std::optional<std::string> read(const std::string &name, FileProblem &problem) const;
  // Makes a file hold exactly these bytes or leaves it as it was. Gives errno or 0.
  int replace(const std::string &name, std::string_view bytes) const;
  bool remove(const std::string &name) const;
  // Nanoseconds since the last change of a file; nothing where there is none.
  std::optional<int64_t> ageOf(const std::string &name) const;
  // Whether this process is the only one that holds this file, which is made where it is not; holds it as long as it lives.
  class Lock {
  public:
    Lock(const TrustedFolder &folder, const std::string &name);
    Lock(const Lock &) = delete;
    ~Lock();
    explicit operator bool() const { return isHeld; }

  private:
    int descriptor;
    bool isHeld;
  };

  struct Found {
    std::string name; // ab/cd…
    uint64_t bytes = 0;
    int64_t nanoseconds = 0; // of its last change
  };
  // The ordinary files one level below, in sub-folders of two letters.
  std::vector<Found> filesBelow() const;

private:
  TrustedFolder(int descriptor, std::string what, FileProblem &problem);
  int descriptor = -1;
};

// In nanoseconds.
inline constexpr int64_t kSecond = 1000000000;

int64_t nowNanoseconds();

} // namespace nereid::jit
