// The disk cache alone: round trips, damage of every kind, the bound on its size, folders that cannot be used.
#include "jit/cache/DiskCache.h"
#include "jit/cache/ArtifactCodec.h"
#include "jit/cache/BuildId.h"
#include "jit/cache/EntryFile.h"
#include "jit/cache/Files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::jit {

namespace fs = std::filesystem;

namespace {

class CacheFolderTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "nereid-cache-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    top = pattern;
  }
  void TearDown() override { fs::remove_all(top); }

  std::string folder() const { return top + "/cache"; }
  std::vector<std::string> files() const {
    std::vector<std::string> paths;
    FileProblem problem;
    for (const TrustedFolder::Found &file : TrustedFolder::open(folder(), false, problem).filesBelow())
      paths.push_back(folder() + "/" + file.name);
    return paths;
  }
  // Whether a new cache of this folder gives the entry that this one stored.
  bool isTrusted() const { return DiskCache({.folder = folder()}).load("artifact", sha256("key")).has_value(); }
  std::string top;
};
using DiskCacheTest = CacheFolderTest;

cpu::Artifact someArtifact() {
  cpu::Artifact artifact{
      .name = "kernel", .scratchBytes = 4096, .argumentCount = 3, .isOrderSensitive = true, .isMovable = true};
  artifact.object.assign(1000, std::byte{42});
  cpu::Site site{.kind = cpu::Site::Kind::Print,
                 .text = "x: ",
                 .file = "a.py",
                 .line = 7,
                 .column = 2,
                 .endColumn = 9,
                 .isHex = true};
  site.values.push_back({"f16", {4, 8}});
  artifact.sites.push_back(site);
  return artifact;
}

} // namespace

TEST(EntryFile, everyFlippedByteAndEveryTruncationIsNoticed) {
  Digest key = sha256("key");
  std::string entry = wrapEntry("artifact", key, "some payload");
  ASSERT_EQ(unwrapEntry("artifact", key, entry), "some payload");
  for (size_t i = 0; i < entry.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = entry;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_FALSE(unwrapEntry("artifact", key, damaged)) << "byte " << i;
    }
  for (size_t size = 0; size < entry.size(); ++size)
    EXPECT_FALSE(unwrapEntry("artifact", key, entry.substr(0, size)));
  EXPECT_FALSE(unwrapEntry("artifact", key, entry + "x"));
  EXPECT_FALSE(unwrapEntry("manifest", key, entry));
  EXPECT_FALSE(unwrapEntry("artifact", sha256("other"), entry));
}

TEST(ArtifactCodec, roundTrip) {
  cpu::Artifact artifact = someArtifact();
  std::optional<cpu::Artifact> back = decodeArtifact(encode(artifact));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->name, "kernel");
  EXPECT_EQ(back->object, artifact.object);
  EXPECT_EQ(back->scratchBytes, 4096u);
  EXPECT_EQ(back->argumentCount, 3u);
  EXPECT_TRUE(back->isOrderSensitive);
  EXPECT_TRUE(back->isMovable);
  ASSERT_EQ(back->sites.size(), 1u);
  EXPECT_EQ(back->sites[0].kind, cpu::Site::Kind::Print);
  EXPECT_EQ(back->sites[0].file, "a.py");
  EXPECT_EQ(back->sites[0].endColumn, 9u);
  EXPECT_EQ(back->sites[0].values[0].shape, (std::vector<int64_t>{4, 8}));
}

TEST(ArtifactCodec, wrongBytesNeverCrash) {
  std::string bytes = encode(someArtifact());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decodeArtifact(bytes.substr(0, size)));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(0xff);
    decodeArtifact(damaged); // any answer, but no crash and no endless memory
  }
}

TEST(BuildId, staysTheSame) { EXPECT_EQ(buildId(), buildId()); }

TEST(CacheFolder, fromTheEnvironment) {
  EXPECT_EQ(cacheFolderOf("/a", "/b", "/c").path, "/a");
  EXPECT_EQ(cacheFolderOf(nullptr, "/b", "/c").path, "/b/nereid");
  EXPECT_EQ(cacheFolderOf(nullptr, "relative", "/c").path, "/c/.cache/nereid");
  EXPECT_EQ(cacheFolderOf(nullptr, nullptr, nullptr).path, "");
  EXPECT_EQ(cacheFolderOf("", "/b", "/c").path, ""); // set to nothing: off
}

TEST_F(DiskCacheTest, storesAndLoads) {
  DiskCache cache({.folder = folder()});
  Digest key = sha256("key");
  EXPECT_FALSE(cache.load("artifact", key));
  cache.store("artifact", key, "payload");
  EXPECT_EQ(cache.load("artifact", key), "payload");
  EXPECT_FALSE(cache.load("manifest", key));
  cache.store("artifact", key, "another");
  EXPECT_EQ(DiskCache({.folder = folder()}).load("artifact", key), "another");
  EXPECT_EQ(cache.usage().entries, 1u);
  EXPECT_EQ(files().size(), 1u); // nothing else is left behind
}

TEST_F(DiskCacheTest, damagedEntryIsRemoved) {
  DiskCache cache({.folder = folder()});
  Digest key = sha256("key");
  cache.store("artifact", key, std::string(10000, 'x'));
  fs::resize_file(files().at(0), 5000);
  EXPECT_FALSE(cache.load("artifact", key));
  EXPECT_TRUE(files().empty());
  cache.store("artifact", key, "new");
  EXPECT_EQ(cache.load("artifact", key), "new");
}

TEST_F(DiskCacheTest, entryOfAnotherKeyIsNotTaken) {
  DiskCache cache({.folder = folder()});
  Digest key = sha256("key"), other = sha256("other");
  cache.store("artifact", key, "payload");
  cache.store("artifact", other, "other payload");
  std::string keyFile = folder() + "/" + hexText(key).substr(0, 2) + "/" + hexText(key).substr(2) + ".artifact";
  std::string otherFile = folder() + "/" + hexText(other).substr(0, 2) + "/" + hexText(other).substr(2) + ".artifact";
  fs::copy_file(keyFile, otherFile, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.load("artifact", other));
}

TEST_F(DiskCacheTest, folderOrPipeInThePlaceOfAnEntry) {
  DiskCache cache({.folder = folder()});
  Digest key = sha256("key");
  std::string path = folder() + "/" + hexText(key).substr(0, 2) + "/" + hexText(key).substr(2) + ".artifact";
  fs::create_directories(path);
  EXPECT_FALSE(cache.load("artifact", key));
  cache.store("artifact", key, "payload");
  EXPECT_FALSE(cache.load("artifact", key));
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(cache.load("artifact", key)); // and does not wait for a writer
}

TEST_F(DiskCacheTest, oldestGoFirstWhenItIsFull) {
  DiskCache cache({.folder = folder(), .maxBytes = 100000});
  for (int i = 0; i < 40; ++i)
    cache.store("artifact", sha256(std::to_string(i)), std::string(10000, 'x'));
  EXPECT_LE(cache.usage().bytes, 100000u);
  EXPECT_GE(cache.usage().entries, 5u);
  EXPECT_TRUE(cache.load("artifact", sha256("39")));
  EXPECT_FALSE(cache.load("artifact", sha256("0")));
  cache.store("artifact", sha256("large"), std::string(99999, 'x')); // would push out all others
  EXPECT_FALSE(cache.load("artifact", sha256("large")));
}

TEST_F(DiskCacheTest, leftoversOfKilledProcessesAreRemoved) {
  DiskCache cache({.folder = folder()});
  cache.store("artifact", sha256("key"), "payload");
  std::string leftover = files().at(0) + ".part-1-2-3";
  std::ofstream(leftover) << "half";
  cache.trim();
  EXPECT_TRUE(fs::exists(leftover)); // it may still be in use
  fs::last_write_time(leftover, fs::file_time_type::clock::now() - std::chrono::hours(1));
  cache.trim();
  EXPECT_FALSE(fs::exists(leftover));
  EXPECT_TRUE(cache.load("artifact", sha256("key")));
}

TEST_F(DiskCacheTest, foldersThatCannotBeUsed) {
  std::ofstream(top + "/file") << "not a folder";
  mkdir((top + "/open").c_str(), 0777);
  chmod((top + "/open").c_str(), 0777);
  std::string deep = top + "/" + std::string(300, 'x');
  for (std::string path :
       {top + "/file", top + "/file/below", top + "/open", deep, std::string("/proc/nereid"), std::string()}) {
    DiskCache cache({.folder = path, .isChosen = false});
    cache.store("artifact", sha256("key"), "payload");
    EXPECT_FALSE(cache.load("artifact", sha256("key"))) << path;
    cache.trim();
    EXPECT_EQ(cache.usage().entries, 0u);
  }
}

TEST_F(DiskCacheTest, onlyWhatNobodyElseCanWriteIsRead) {
  DiskCache({.folder = folder()}).store("artifact", sha256("key"), "payload");
  std::string entry = files().at(0), middle = fs::path(entry).parent_path();
  EXPECT_TRUE(isTrusted());
  for (const std::string &path : {entry, middle, folder()}) {
    struct stat status{};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    mode_t mode = status.st_mode & 07777;
    chmod(path.c_str(), mode | S_IWOTH);
    EXPECT_FALSE(isTrusted()) << path;
    chmod(path.c_str(), mode | S_IRGRP | S_IROTH);
    EXPECT_TRUE(isTrusted()) << path << ": others may read";
    chmod(path.c_str(), mode);
    if (geteuid() == 0) { // only root can give files away
      ASSERT_EQ(chown(path.c_str(), 12345, gid_t(-1)), 0);
      EXPECT_FALSE(isTrusted()) << path << ": it belongs to another user";
      ASSERT_EQ(chown(path.c_str(), 0, 12345), 0);
      chmod(path.c_str(), mode | S_IWGRP);
      EXPECT_FALSE(isTrusted()) << path << ": a group may write";
      ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
      chmod(path.c_str(), mode);
    }
  }
  EXPECT_TRUE(isTrusted());
}

TEST_F(DiskCacheTest, linksInsideAreNotFollowed) {
  DiskCache cache({.folder = folder()});
  cache.store("artifact", sha256("key"), "payload");
  std::string entry = files().at(0), middle = fs::path(entry).parent_path();
  fs::rename(entry, top + "/elsewhere");
  fs::create_symlink(top + "/elsewhere", entry);
  EXPECT_FALSE(isTrusted());
  fs::remove(entry);
  fs::rename(top + "/elsewhere", entry);
  EXPECT_TRUE(isTrusted());
  fs::rename(middle, top + "/away");
  fs::create_directory_symlink(top + "/away", middle);
  EXPECT_FALSE(isTrusted());
  auto size = fs::file_size(entry);
  DiskCache({.folder = folder()}).store("artifact", sha256("key"), "another payload");
  EXPECT_EQ(fs::file_size(entry), size); // nor is one written through
  fs::remove(middle);
  fs::rename(top + "/away", middle);
  // The way to the folder may have links: they are the user's.
  fs::create_directory_symlink(folder(), top + "/link");
  EXPECT_TRUE(DiskCache({.folder = top + "/link"}).load("artifact", sha256("key")));
}

TEST_F(DiskCacheTest, oneDistrustedEntryEndsTheUseOfTheFolder) {
  DiskCache cache({.folder = folder()});
  cache.store("artifact", sha256("key"), "payload");
  chmod(files().at(0).c_str(), 0666);
  cache.store("artifact", sha256("other"), "payload");
  EXPECT_FALSE(cache.load("artifact", sha256("key")));
  EXPECT_FALSE(cache.load("artifact", sha256("other")));
  EXPECT_EQ(cache.folder(), "");
  EXPECT_EQ(cache.usage().entries, 0u);
}

TEST_F(DiskCacheTest, folderThatWentAwayIsMadeAgain) {
  DiskCache cache({.folder = folder()});
  cache.store("artifact", sha256("key"), "payload");
  fs::remove_all(folder());
  EXPECT_FALSE(cache.load("artifact", sha256("key")));
  cache.store("artifact", sha256("key"), "payload");
  EXPECT_TRUE(cache.load("artifact", sha256("key")));
}

TEST_F(DiskCacheTest, limitOnFileSizes) {
  DiskCache cache({.folder = folder()});
  rlimit saved{}, low{};
  getrlimit(RLIMIT_FSIZE, &saved);
  low = saved;
  low.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  cache.store("artifact", sha256("large"), std::string(100000, 'x'));
  cache.store("artifact", sha256("small"), "x");
  setrlimit(RLIMIT_FSIZE, &saved);
  EXPECT_FALSE(cache.load("artifact", sha256("large")));
  EXPECT_TRUE(cache.load("artifact", sha256("small")));
  EXPECT_EQ(files().size(), 1u);
}

// Processes that store, load and push each other's entries out: a reader sees a whole entry or none.
TEST_F(DiskCacheTest, manyProcessesWithLittleRoom) {
  auto payloadOf = [](int number) {
    return std::string(3000 + static_cast<size_t>(number) * 50, static_cast<char>('a' + number % 26));
  };
  std::vector<pid_t> children;
  for (int child = 0; child < 6; ++child) {
    pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid > 0) {
      children.push_back(pid);
      continue;
    }
    DiskCache cache({.folder = folder(), .maxBytes = 100000});
    unsigned state = static_cast<unsigned>(child) + 1;
    for (int i = 0; i < 300; ++i) {
      state = state * 1664525 + 1013904223;
      int number = static_cast<int>(state >> 16) % 60;
      Digest key = sha256(std::to_string(number));
      std::optional<std::string> found = cache.load("artifact", key);
      if (found && *found != payloadOf(number))
        _exit(1);
      if (!found)
        cache.store("artifact", key, payloadOf(number));
    }
    _exit(0);
  }
  for (pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  DiskCache cache({.folder = folder(), .maxBytes = 100000});
  cache.trim();
  EXPECT_LE(cache.usage().bytes, 100000u);
  EXPECT_GT(cache.usage().entries, 5u);
}

} // namespace nereid::jit
