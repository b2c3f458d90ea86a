// ProfileTest.cpp: the recorder: what launches and scopes leave in a journal, and what is made of it. The format of traces is looked at
// by test/cli/profile.test.
#include "runtime/cpu/Launch.h"
#include "runtime/profile/Journal.h"
#include "runtime/profile/JsonText.h"
#include "runtime/profile/Recorder.h"
#include "runtime/profile/Summary.h"
#include "runtime/profile/Texts.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace nereid::profile {

using Kind = Record::Kind;

static Record sample(uint64_t id) {
  Record record{.kind = Kind::Launch, .thread = 7, .id = id, .scope = 3, .begin = 10, .end = 30};
  record.stream = 5, record.programs = 24, record.grid = {2, 3, 4};
  record.name = "softmax", record.device = "cpu", record.detail = "failed", record.source = "a.py";
  record.arguments = {{"x", "*f32", {4, 5}, ""}, {"n", "int", {}, "20"}};
  record.metrics = {{"bytes", 80.5}};
  return record;
}

// A record with its texts.
static bool append(Journal &journal, const Record &record) {
  RecordAppender appender;
  appender.encode(record);
  return appender.append(journal, 1);
}

TEST(Profile, ARecordIsWhatItsBytesSay) {
  Journal journal;
  ASSERT_TRUE(append(journal, sample(9)));
  std::vector<Record> all = readJournal(journal.since(0));
  ASSERT_EQ(all.size(), 1u);
  const Record &read = all[0];
  EXPECT_EQ(read.kind, Kind::Launch);
  EXPECT_EQ(read.id, 9u);
  EXPECT_EQ(read.scope, 3u);
  EXPECT_EQ(read.duration(), 20);
  EXPECT_EQ(read.grid, (std::array<uint32_t, 3>{2, 3, 4}));
  EXPECT_EQ(read.name + read.device + read.detail + read.source, "softmaxcpufaileda.py");
  EXPECT_EQ(read.arguments, sample(9).arguments);
  EXPECT_EQ(read.metrics, (Metrics{{"bytes", 80.5}}));
}

// Texts are written once for each session that may read them, whoever else has.
TEST(Profile, TextsAreWrittenOnce) {
  Journal journal;
  RecordAppender first, second;
  Record plain = sample(1), other = sample(2);
  other.arguments[1].value = "21";
  auto sizeOf = [&](RecordAppender &appender, const Record &record, uint64_t generation) {
    size_t before = journal.size();
    appender.encode(record);
    EXPECT_TRUE(appender.append(journal, generation));
    return journal.size() - before;
  };
  size_t whole = sizeOf(first, plain, 1), again = sizeOf(first, plain, 1);
  EXPECT_LT(2 * again, whole + again);
  EXPECT_EQ(sizeOf(first, other, 1), whole);
  EXPECT_EQ(sizeOf(second, plain, 1), whole); // another thread
  size_t position = journal.size();
  EXPECT_EQ(sizeOf(first, plain, 2), whole); // another session
  EXPECT_EQ(sizeOf(first, other, 2), whole);
  EXPECT_EQ(sizeOf(first, other, 2), again);
  std::vector<Record> all = readJournal(journal.since(0)), late = readJournal(journal.since(position));
  ASSERT_EQ(all.size(), 7u);
  ASSERT_EQ(late.size(), 3u);
  EXPECT_EQ(all[1].arguments[1].value, "20");
  EXPECT_EQ(late[2].arguments[1].value, "21");
}

TEST(Profile, DamagedBytesAreNoRecords) {
  Journal journal;
  for (uint64_t id = 1; id <= 3; ++id)
    EXPECT_TRUE(append(journal, sample(id)));
  std::vector<std::byte> whole = journal.since(0);
  EXPECT_EQ(readJournal(whole).size(), 3u);
  for (size_t size = 0; size + sizeof(uint64_t) <= whole.size(); ++size) // to which a record is filled up
    EXPECT_LT(readJournal(std::span(whole).first(size)).size(), 3u);
  // Whatever a byte becomes, reading ends.
  for (size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> changed = whole;
    changed[i] = ~changed[i];
    EXPECT_LE(readJournal(changed).size(), 3u);
  }
}

TEST(Profile, AJournalGoesOnFromAPosition) {
  Journal journal;
  std::vector<size_t> positions;
  for (uint64_t id = 1; id <= 20000; ++id) { // several parts of the journal
    positions.push_back(journal.size());
    ASSERT_TRUE(append(journal, sample(id)));
  }
  for (uint64_t from : {0u, 1u, 5000u, 19999u}) {
    std::vector<Record> records = readJournal(journal.since(positions[from]));
    ASSERT_EQ(records.size(), 20000 - from);
    EXPECT_EQ(records.front().id, from + 1);
    EXPECT_EQ(records.back().id, 20000u);
  }
  EXPECT_TRUE(journal.since(journal.size()).empty());
}

namespace {
class ProfileFiles : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/profile-test-XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder;
};
} // namespace

TEST_F(ProfileFiles, AKilledProcessLeavesWhatItWrote) {
  pid_t child = fork();
  if (child == 0) {
    Result<std::unique_ptr<Journal>> journal = Journal::inFile(folder + "/41-1.journal");
    for (uint64_t id = 1; journal && id <= 9000; ++id)
      append(**journal, sample(id));
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  std::ofstream(folder + "/42-1.journal") << "no journal at all, of some length";
  ASSERT_EQ(mkfifo((folder + "/43-1.journal").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder + "/44-1.journal");
  std::ofstream(folder + "/45-1.journal").close();
  std::filesystem::resize_file(folder + "/45-1.journal", uintmax_t(1) << 40);
  std::vector<Record> records = readFolder(folder);
  ASSERT_EQ(records.size(), 9000u);
  EXPECT_EQ(records.back().process, 41u);
}

TEST_F(ProfileFiles, NumbersOfDifferentJournalsDiffer) {
  for (const char *name : {"/5-a.journal", "/5-b.journal"}) {
    Result<std::unique_ptr<Journal>> journal = Journal::inFile(folder + name);
    ASSERT_TRUE(journal);
    EXPECT_TRUE(append(**journal, sample(1)));
  }
  std::vector<Record> records = readFolder(folder);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_NE(records[0].id, records[1].id);
  Result<std::unique_ptr<Journal>> again = Journal::inFile(folder + "/5-a.journal");
  EXPECT_FALSE(again); // a file that is there is not written over
}

// Kernels for launches: a program is a number written down.
static void fill(const uint64_t *arguments, cpu::LaunchState *, uint64_t first, uint64_t last, std::byte *) {
  for (uint64_t i = first; i < last; ++i)
    reinterpret_cast<uint64_t *>(arguments[0])[i] = i;
}

static std::shared_ptr<const cpu::LoadedKernel> linkKernel(const char *name) {
  cpu::Artifact artifact;
  artifact.name = name;
  artifact.argumentCount = 1;
  return *cpu::LoadedKernel::link(fill, std::move(artifact));
}

static void runKernel(const cpu::LoadedKernel &kernel, uint32_t programs) {
  std::vector<uint64_t> memory(programs);
  uint64_t argument = reinterpret_cast<uintptr_t>(memory.data());
  ASSERT_TRUE(cpu::launch(kernel, {&argument, 1}, {programs, 1, 1}, {.threads = 2}));
}

static size_t countOf(const std::vector<Record> &records, Kind kind) {
  return size_t(
      std::count_if(records.begin(), records.end(), [&](const Record &record) { return record.kind == kind; }));
}

TEST(Profile, LaunchesAreRecordedWhileASessionGoesOn) {
  auto kernel = linkKernel("fill");
  runKernel(*kernel, 10);
  EXPECT_FALSE(isOn());
  size_t session = begin();
  runKernel(*kernel, 10);
  runKernel(*kernel, 100000);
  std::vector<Record> records = recordsOf(end(session));
  runKernel(*kernel, 10);
  EXPECT_FALSE(isOn());
  EXPECT_EQ(countOf(records, Kind::Launch), 2u);
  EXPECT_EQ(countOf(records, Kind::Device), 2u);
  uint64_t programs = 0;
  Time host = 0, device = 0;
  for (const Record &record : records) {
    EXPECT_LE(record.begin, std::max(record.end, record.begin));
    programs += record.kind == Kind::Worker ? record.programs : 0;
    host += record.kind == Kind::Launch ? record.duration() : 0;
    device += record.kind == Kind::Device ? record.duration() : 0;
  }
  EXPECT_LE(programs, 100010u);
  EXPECT_GT(device, 0);
  EXPECT_GE(host, device);
  Summary summary = summarize(records);
  ASSERT_EQ(summary.kernels.size(), 1u);
  EXPECT_EQ(summary.kernels[0].name, "fill");
  EXPECT_EQ(summary.kernels[0].calls, 2u);
  EXPECT_EQ(summary.kernels[0].programs, 100010u);
  EXPECT_EQ(summary.kernels[0].total, device);
}

TEST(Profile, ScopesMakeATree) {
  auto kernel = linkKernel("fill"), other = linkKernel("other");
  size_t session = begin();
  enterScope("outer", {{"bytes", 8}});
  for (int i = 0; i < 3; ++i) {
    enterScope("inner");
    runKernel(*kernel, 4);
    EXPECT_TRUE(exitScope({{"loss", 0.5}}));
  }
  // Another thread has scopes of its own.
  std::thread([&] {
    EXPECT_EQ(scopeDepth(), 0u);
    EXPECT_FALSE(exitScope());
    runKernel(*other, 4);
  }).join();
  EXPECT_TRUE(exitScope());
  EXPECT_FALSE(exitScope());
  enterScope("open"); // and never closed in the session
  Summary summary = summarize(recordsOf(end(session)));
  EXPECT_TRUE(exitScope());
  ASSERT_EQ(summary.root.children.size(), 3u);
  const ScopeNode &outer = summary.root.children[0];
  EXPECT_EQ(outer.name, "outer");
  EXPECT_EQ(outer.metrics.at("bytes"), 8);
  ASSERT_EQ(outer.children.size(), 1u);
  EXPECT_EQ(outer.children[0].calls, 3u);
  EXPECT_EQ(outer.children[0].metrics.at("loss"), 1.5);
  ASSERT_EQ(outer.children[0].children.size(), 1u);
  EXPECT_TRUE(outer.children[0].children[0].isKernel);
  EXPECT_EQ(outer.device, outer.children[0].children[0].device);
  EXPECT_GE(outer.host, outer.children[0].host);
  EXPECT_EQ(summary.root.children[1].name, "other");
  EXPECT_EQ(summary.root.children[2].name, "open");
  EXPECT_EQ(summary.device, summary.root.device);
  std::string table = renderTable(summary);
  EXPECT_NE(table.find("\n  inner"), std::string::npos) << table;
  EXPECT_NE(table.find("\n    fill"), std::string::npos) << table;
}

TEST(Profile, ANameWithoutEndWidensNoOtherLine) {
  size_t session = begin();
  std::string name(100'000, 'x');
  for (int i = 0; i < 100; ++i) {
    enterScope(i ? "scope " + std::to_string(i) : name);
    EXPECT_TRUE(exitScope());
  }
  std::string table = renderTable(summarize(recordsOf(end(session))));
  EXPECT_NE(table.find(name), std::string::npos);
  EXPECT_LT(table.size(), 200'000u);
}

TEST(Profile, SessionsMayOverlap) {
  auto kernel = linkKernel("fill");
  size_t first = begin();
  runKernel(*kernel, 4);
  size_t second = begin();
  runKernel(*kernel, 4);
  EXPECT_EQ(countOf(recordsOf(recordsSince(second)), Kind::Launch), 1u);
  EXPECT_EQ(countOf(recordsOf(end(first)), Kind::Launch), 2u);
  runKernel(*kernel, 4);
  EXPECT_TRUE(isOn());
  EXPECT_EQ(countOf(recordsOf(end(second)), Kind::Launch), 2u);
  EXPECT_FALSE(isOn());
}

// A launch is told from outside in: the first to open it knows the arguments; one that runs nowhere is none.
TEST(Profile, LaunchesInsideOfOneAreTheSame) {
  auto kernel = linkKernel("fill");
  size_t session = begin();
  {
    Launch outer("outside");
    outer.addArgument("n", "int").value = "4";
    outer.addMetric("bytes", 32);
    Launch inner("inside");
    EXPECT_TRUE(outer.isOutermost() && !inner.isOutermost());
    {
      Scope tune("tune"); // its launches are none of this one's
      runKernel(*kernel, 4);
    }
    runKernel(*kernel, 4);
  }
  {
    Launch refused("refused");
  }
  announceLaunch("renamed", {{"flops", 3}});
  runKernel(*kernel, 4);
  std::vector<Record> records = recordsOf(end(session));
  std::vector<std::string> names;
  for (const Record &record : records)
    if (record.kind == Kind::Launch)
      names.push_back(record.name);
  EXPECT_EQ(names, (std::vector<std::string>{"fill", "outside", "renamed"}));
  EXPECT_EQ(summarize(records).kernels.size(), 3u);
  for (const Record &record : records)
    if (record.name == "outside") {
      EXPECT_EQ(record.arguments.size(), 1u);
      EXPECT_EQ(record.metrics, (Metrics{{"bytes", 32}}));
      EXPECT_EQ(record.device, "cpu");
    }
}

TEST(Profile, ShareOfTheLimit) {
  KernelRow row;
  row.device = "cpu", row.total = 1'000'000'000;
  DeviceLimits limits{{"cpu", {.bytes = 100, .flops = 1000}}};
  EXPECT_FALSE(shareOfLimit(row, limits));
  row.metrics = {{"bytes", 50}, {"flops16", 100}, {"flops32", 700}};
  EXPECT_DOUBLE_EQ(*shareOfLimit(row, limits), 0.8); // the operations, which take longer than the bytes
  EXPECT_FALSE(shareOfLimit(row, {}));
}

TEST(Profile, TextsInJson) {
  EXPECT_EQ(jsonString("a\"b\\\n</script>\xC3\xA9\xFF\xC3"), "\"a\\\"b\\\\\\u000a\\u003c/script>\xC3\xA9??\"");
  EXPECT_EQ(jsonNumber(1.5), "1.5");
  EXPECT_EQ(jsonNumber(0.0 / 0.0), "null");
}

// Scopes by the hundred thousand, one in the other, and all of different names: nothing is quadratic or deep.
TEST(Profile, ManyScopes) {
  std::vector<Record> records;
  for (uint64_t id = 1; id <= 100000; ++id) {
    Record record{.kind = Kind::ScopeBegin, .id = id, .scope = id - 1, .begin = Time(id)};
    record.name = std::to_string(id);
    records.push_back(record);
  }
  Summary summary = summarize(records);
  EXPECT_EQ(summary.root.children.size(), 1u);
  EXPECT_GT(renderTable(summary).size(), 100000u);
}

} // namespace nereid::profile
