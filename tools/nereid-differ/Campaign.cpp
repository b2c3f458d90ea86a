#include "Campaign.h"

#include "Watch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <numeric>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::differ {

uint64_t programSeed(uint64_t seed, int64_t index) {
  return runtime::Random(seed * 0x9e3779b97f4a7c15 + uint64_t(index)).next() >> 16;
}

int64_t Totals::total() const { return std::accumulate(std::begin(counts), std::end(counts), int64_t(0)); }

namespace {

using Clock = std::chrono::steady_clock;

// A worker tells with records that a program begins, that the reference is through with it, and how it ended. Small
// enough that a pipe takes each in one piece.
constexpr int32_t kBegins = -1, kReferenceDone = -2;
struct Record {
  int64_t index = 0;
  int32_t kind = kBegins;
  uint32_t length = 0;
  char detail[3000];
};
constexpr size_t kHead = offsetof(Record, detail);

constexpr int64_t kProgramsPerWorker = 1000; // then a new process: what compilers leave behind in memory goes away

void sendRecord(int fd, const Record &record) {
  if (write(fd, &record, kHead + record.length) < 0)
    _exit(1);
}

[[noreturn]] void work(const CampaignOptions &options, int fd, int64_t first, int64_t step) {
  int64_t done = 0;
  // What fails on a GPU may cost the process its context: the next program gets a new one.
  bool mayLoseGpu = std::ranges::any_of(devicesIn(options.evaluate.device), isGpu);
  for (int64_t index = first; index < options.first + options.programs && done < kProgramsPerWorker;
       index += step, ++done) {
    Record record{.index = index};
    sendRecord(fd, record);
    Case testCase = makeCase(Generator(programSeed(options.seed, index), options.generator).generate());
    Verdict verdict =
        evaluate(testCase, options.evaluate, [&] { sendRecord(fd, {.index = index, .kind = kReferenceDone}); });
    record.kind = int32_t(verdict.kind);
    record.length = uint32_t(std::min(verdict.detail.size(), sizeof record.detail));
    std::memcpy(record.detail, verdict.detail.data(), record.length);
    sendRecord(fd, record);
    if (verdict.kind != Verdict::Kind::Same && mayLoseGpu)
      break;
  }
  _exit(0);
}

struct Worker {
  pid_t process = 0;
  int fd = -1;
  int64_t next = 0;       // the first program that is not finished
  bool isRunning = false; // the program `next` has begun
  bool isReferenceDone = false;
  Watch watch;
};

class Pool {
public:
  Pool(const CampaignOptions &options, const std::function<void(const Finding &)> &report,
       const std::function<void(const Totals &)> &progress)
      : options(options), report(report), progress(progress), workers(std::max(1u, options.jobs)) {}

  Totals run() {
    auto start = Clock::now();
    for (size_t i = 0; i < workers.size(); ++i)
      begin(workers[i], options.first + int64_t(i));
    for (;;) {
      bool isOver = options.timeLimit > 0 && Clock::now() - start > std::chrono::duration<double>(options.timeLimit);
      std::vector<pollfd> waits;
      for (Worker &worker : workers)
        if (worker.process)
          waits.push_back({worker.fd, POLLIN, 0});
      if (waits.empty() || isOver)
        break;
      poll(waits.data(), waits.size(), 500);
      for (Worker &worker : workers)
        if (worker.process)
          attend(worker);
    }
    for (Worker &worker : workers)
      if (worker.process)
        end(worker);
    return totals;
  }

private:
  void begin(Worker &worker, int64_t first) {
    worker = {.next = first};
    if (first >= options.first + options.programs)
      return;
    int ends[2];
    if (pipe(ends))
      return;
    worker.process = fork();
    if (worker.process == 0) {
      close(ends[0]);
      work(options, ends[1], first, int64_t(workers.size()));
    }
    close(ends[1]);
    worker.fd = ends[0];
    worker.watch = Watch(worker.process);
  }

  int end(Worker &worker) {
    kill(worker.process, SIGKILL);
    int status = 0;
    waitpid(worker.process, &status, 0);
    close(worker.fd);
    worker.process = 0;
    return status;
  }

  void attend(Worker &worker) {
    pollfd wait{worker.fd, POLLIN, 0};
    if (poll(&wait, 1, 0) > 0)
      return receive(worker);
    if (worker.isRunning && worker.watch.isOver(options.evaluate.timeout)) {
      end(worker);
      finish(worker,
             {Verdict::Kind::Hung, "no result after " + std::to_string(int(options.evaluate.timeout)) + " s\n"});
      begin(worker, worker.next);
    }
  }

  void receive(Worker &worker) {
    Record record;
    ssize_t got = read(worker.fd, &record, kHead);
    if (got != ssize_t(kHead))
      return lost(worker);
    for (size_t at = 0; at < record.length;) {
      ssize_t more = read(worker.fd, record.detail + at, record.length - at);
      if (more <= 0)
        return lost(worker);
      at += size_t(more);
    }
    worker.watch = Watch(worker.process);
    worker.isRunning = record.kind < 0;
    worker.isReferenceDone = record.kind == kReferenceDone;
    worker.next = record.index;
    if (record.kind >= 0)
      finish(worker, {Verdict::Kind(record.kind), std::string(record.detail, record.length)});
  }

  // The pipe ended: the worker is through with its share, or it died in a program.
  void lost(Worker &worker) {
    int status = 0;
    waitpid(worker.process, &status, 0);
    close(worker.fd);
    worker.process = 0;
    if (worker.isRunning)
      finish(worker, crashVerdict(worker.isReferenceDone, status));
    begin(worker, worker.next);
  }

  void finish(Worker &worker, const Verdict &verdict) {
    ++totals.counts[size_t(verdict.kind)];
    if (verdict.kind != Verdict::Kind::Same)
      report({worker.next, programSeed(options.seed, worker.next), verdict});
    progress(totals);
    worker.next += int64_t(workers.size());
    worker.isRunning = false;
  }

  const CampaignOptions &options;
  const std::function<void(const Finding &)> &report;
  const std::function<void(const Totals &)> &progress;
  std::vector<Worker> workers;
  Totals totals;
};

} // namespace

Totals runCampaign(const CampaignOptions &options, const std::function<void(const Finding &)> &report,
                   const std::function<void(const Totals &)> &progress) {
  return Pool(options, report, progress).run();
}

} // namespace nereid::differ
