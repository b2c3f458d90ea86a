// LearnGrade.cpp: `nereid learn grade`: the submissions of many learners, several at a time, each in a child with bounds.
#include "LaunchWords.h"
#include "Progress.h"
#include "Summary.h"
#include "course/Child.h"
#include "course/Learn.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

namespace nereid::tool {

namespace fs = std::filesystem;

namespace {

struct Submission {
  std::string learner, unit, file;
  bool isPassed = false;
  std::string stage, message;
};

// Where a file lies below its learner's folder without a link on the way: a link leads to what others wrote.
bool isOwn(const fs::path &learner, const fs::path &name) {
  std::error_code problem;
  fs::path folder = fs::canonical(learner, problem);
  return !problem && fs::canonical(learner / name, problem) == folder / name && !problem;
}

// What a terminal shows of a name that may hold anything.
std::string shown(std::string name) {
  std::ranges::replace_if(name, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; }, '?');
  return name;
}

// FOLDER/LEARNER/UNIT.py, or FOLDER/LEARNER/UNIT/kernel.py as `start` makes it; `stage-1/add` may be written stage-1-add.py.
std::vector<Submission> findSubmissions(const learn::Course &course, const std::string &folder) {
  std::vector<Submission> found;
  std::error_code problem;
  for (fs::directory_iterator it(folder, problem), end; !problem && it != end; it.increment(problem)) {
    std::error_code none;
    if (!it->is_directory(none) || it->is_symlink(none))
      continue;
    std::string learner = it->path().filename().string();
    for (const learn::CourseEntry &entry : course.entries) {
      std::string flat = entry.id;
      std::ranges::replace(flat, '/', '-');
      for (const fs::path &name : {fs::path(flat + ".py"), fs::path(entry.folder) / "kernel.py"})
        if (fs::path file = it->path() / name; fs::is_regular_file(file, none)) {
          found.push_back({learner, entry.id, file.string()});
          if (!isOwn(it->path(), name)) {
            found.back().stage = "read";
            found.back().message = "error: `" + shown(file.string()) + "` is a link; a file is expected\n";
          }
          break;
        }
    }
  }
  std::ranges::stable_sort(found, {}, &Submission::learner);
  return found;
}

void gradeOne(Submission &submission, const std::string &course, const ChildLimits &limits) {
  std::vector<std::string> words = {"learn",  "check",         submission.unit,
                                    "--file", submission.file, "--no-record",
                                    "--json", "--timeout",     std::to_string(static_cast<int>(limits.seconds))};
  if (!course.empty())
    words.insert(words.end(), {"--course", course});
  ChildResult result = runChild(words, limits);
  auto parsed = llvm::json::parse(result.output);
  const llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  if (object) {
    submission.isPassed = object->getBoolean("passed").value_or(false) && result.status == kFine;
    submission.stage = object->getString("stage").value_or("").str();
    submission.message = object->getString("message").value_or("").str();
    return;
  }
  llvm::consumeError(parsed.takeError());
  submission.stage = "ended";
  submission.message = whyEnded(result, limits);
}

} // namespace

int learnGrade(const LearnWords &words, Console &console) {
  auto jobs = words.words.integer("--jobs", std::max(1u, std::thread::hardware_concurrency()), 1, 256, console);
  auto seconds = words.words.integer("--timeout", 60, 1, 3600, console);
  int status = kFine;
  std::optional<learn::Course> course = openCourse(words, console, status);
  if (!jobs || !seconds || !course)
    return course ? kBadInput : status;
  const std::string &folder = words.operands[0];
  std::error_code none;
  if (!fs::is_directory(folder, none))
    return fail(console, "there is no folder `" + folder.substr(0, 200) + "`", {}, kEnvironment);
  std::vector<Submission> submissions = findSubmissions(*course, folder);
  if (submissions.empty())
    return fail(console, "`" + folder.substr(0, 200) + "` has no submissions",
                {"they are FOLDER/LEARNER/UNIT.py, or FOLDER/LEARNER/UNIT/kernel.py"});
  std::atomic<size_t> next{0}, done{0};
  std::mutex mutex;
  Progress progress(console);
  auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < submissions.size();) {
      if (submissions[i].stage.empty())
        gradeOne(submissions[i], words.courseFolder, {.seconds = static_cast<double>(*seconds)});
      std::lock_guard lock(mutex);
      progress.show("grading", ++done, submissions.size());
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(static_cast<size_t>(*jobs), submissions.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  progress.clear();
  llvm::json::Array rows;
  size_t passed = 0;
  for (const Submission &submission : submissions) {
    passed += submission.isPassed;
    std::string first = submission.message.substr(0, submission.message.find('\n'));
    if (!words.words.has("--json"))
      console.out << shown(submission.learner) << "  " << submission.unit << "  "
                  << (submission.isPassed ? "passed" : submission.stage + ": " + shown(first)) << "\n";
    rows.push_back(llvm::json::Object{{"learner", jsonText(submission.learner)},
                                      {"unit", submission.unit},
                                      {"file", jsonText(submission.file)},
                                      {"passed", submission.isPassed},
                                      {"stage", submission.stage},
                                      {"message", submission.message}});
  }
  if (words.words.has("--json"))
    console.out << llvm::formatv("{0:2}", llvm::json::Value(
                                              llvm::json::Object{{"submissions", std::move(rows)}, {"passed", passed}}))
                       .str()
                << "\n";
  else
    console.out << passed << " of " << submissions.size() << " passed\n";
  return kFine;
}

} // namespace nereid::tool
