#include "learn/Validate.h"

#include "learn/CodeText.h"
#include "learn/Grade.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <map>
#include <set>
#include <thread>

namespace nereid::learn {

namespace {

constexpr size_t kWrongAnswers = 3, kHints = 3;

// `# expect: TEXT` of the first line.
std::string expectation(const std::string &text) {
  constexpr std::string_view kMark = "# expect:";
  if (!text.starts_with(kMark))
    return {};
  size_t begin = text.find_first_not_of(' ', kMark.size()), end = std::min(text.find('\n'), text.size());
  return begin < end ? text.substr(begin, end - begin) : std::string();
}

std::string withoutBlanks(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter); });
  return text;
}

// What of a line of the solution gives it away: the line, or all that a name is set to. `else:` is no answer, nor is `i + 1`.
bool isGivenAway(const std::string &line, const std::string &hint) {
  constexpr size_t kShortest = 12, kShortestValue = 24;
  size_t equals = line.find(" = ");
  std::string value = equals == std::string::npos ? "" : line.substr(equals + 3);
  return (line.size() >= kShortest && hint.find(withoutBlanks(line)) != std::string::npos) ||
         (value.size() >= kShortestValue && hint.find(withoutBlanks(value)) != std::string::npos);
}

std::string outcome(const Report &report) {
  if (report.isPassed())
    return "it passes";
  return "it fails at `" + std::string(nameOf(report.stage)) + "`:\n" + report.text();
}

class Validation {
public:
  Validation(const Course &course, const CourseEntry &entry, std::string device)
      : course(course), entry(entry), device(std::move(device)) {
    proof.unit = entry.id;
  }

  Proof run() {
    Result<Unit> read = course.unit(entry);
    if (!read) {
      add(read.error().message);
      return std::move(proof);
    }
    unit = std::move(*read);
    start = require("start.py");
    solution = require("solution.py");
    std::string reference = require("reference.py");
    checkTexts();
    if (start.empty() || solution.empty() || reference.empty())
      return std::move(proof);
    Grader grader(unit, reference, {.seconds = 20, .threads = 1, .device = device});
    if (checkSolution(grader)) {
      checkStart(grader);
      checkWrongAnswers(grader);
      checkNaive(grader);
    }
    return std::move(proof);
  }

private:
  void add(std::string problem) { proof.problems.push_back(std::move(problem)); }

  std::string require(const std::string &name) {
    Result<std::string> text = course.text(entry, name);
    if (!text || text->empty())
      add(text ? name + " is empty" : text.error().message);
    return text ? *text : std::string();
  }

  void checkTexts() {
    std::string lesson = require("lesson.md");
    if (!lesson.empty() && lesson.find("## What real kernels do here") == std::string::npos)
      add("lesson.md does not end with `## What real kernels do here`");
    if (!unit.isExam && !start.empty() && !firstHole(start))
      add("start.py has no line `# YOUR CODE`");
    if (firstHole(solution))
      add("solution.py still says `# YOUR CODE`");
    bool hasHidden = std::ranges::any_of(unit.tests, &Test::isHidden);
    if (!hasHidden || std::ranges::all_of(unit.tests, &Test::isHidden))
      add("unit.json: there is to be at least one test that is shown, and one that is hidden");
    checkHints();
  }

  void checkHints() {
    Result<std::vector<std::string>> read = course.hints(entry);
    if (!read)
      return add(read.error().message);
    const std::vector<std::string> &hints = *read;
    std::vector<std::string> given = codeLines(start);
    if (hints.size() != kHints)
      add("hints.md has " + std::to_string(hints.size()) + " hints between lines `---`, not " + std::to_string(kHints));
    for (const std::string &line : codeLines(solution))
      for (size_t i = 0; i < hints.size(); ++i)
        if (std::ranges::find(given, line) == given.end() && isGivenAway(line, withoutBlanks(hints[i])))
          add("hint " + std::to_string(i + 1) + " contains a line of the solution: `" + line + "`");
  }

  Report grade(Grader &grader, const std::string &name, const std::string &text) {
    ++proof.answers;
    return grader.gradeText(name, text);
  }

  bool checkSolution(Grader &grader) {
    auto begin = std::chrono::steady_clock::now();
    Report report = grade(grader, "solution.py", solution);
    proof.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!report.isPassed())
      add("solution.py is to pass, but " + outcome(report));
    return report.isPassed();
  }

  void checkStart(Grader &grader) {
    Report report = grade(grader, "start.py", start);
    if (report.isPassed() || report.stage == Stage::Unit || report.stage == Stage::Internal)
      add("start.py is to fail by the learner's part, but " + outcome(report));
    else if (report.stage == Stage::Read)
      add("start.py does not parse: " + outcome(report));
    else if (report.line == 0 && report.message.find("YOUR CODE") == std::string::npos && !unit.isExam)
      add("start.py fails with a message that names no line: " + outcome(report));
  }

  void checkWrongAnswers(Grader &grader) {
    std::vector<std::string> names = course.wrongAnswers(entry);
    if (names.size() < kWrongAnswers)
      add("wrong/ has " + std::to_string(names.size()) + " answers; at least " + std::to_string(kWrongAnswers) +
          " are expected");
    std::set<std::string> expected;
    std::vector<std::pair<std::string, std::string>> wants; // a path, and what its message is to say
    std::map<std::string, std::string> messages;            // by path
    for (const std::string &path : names) {
      std::string text = require(path), want = expectation(text);
      if (want.empty()) {
        add(path + ": its first line is to be `# expect: TEXT`");
        continue;
      }
      if (!expected.insert(want).second)
        add(path + ": another wrong answer expects `" + want + "`, too");
      Report report = grade(grader, path, text);
      if (report.isPassed())
        add(path + " is to fail, but it passes");
      else if (report.message.find(want) == std::string::npos) // the name of a test is no message
        add(path + ": `" + want + "` is expected in the message, but " + outcome(report));
      wants.emplace_back(path, want);
      messages[path] = report.message;
    }
    for (const auto &[path, want] : wants)
      for (const auto &[other, message] : messages)
        if (other != path && message.find(want) != std::string::npos)
          add(path + ": `" + want + "` is in the message of " + other + ", too");
  }

  void checkNaive(Grader &grader) {
    std::string path = entry.folder == "." ? "naive.py" : entry.folder + "/naive.py";
    if (!course.files.has(path)) {
      if (!unit.goals.empty())
        add("it has goals, but no naive.py that misses one");
      return;
    }
    if (unit.goals.empty())
      return add("it has a naive.py, but no goals");
    Report report = grade(grader, "naive.py", require("naive.py"));
    if (report.stage != Stage::Goal)
      add("naive.py is to give right results and miss a goal, but " + outcome(report));
  }

  const Course &course;
  const CourseEntry &entry;
  std::string device;
  Unit unit;
  std::string start, solution;
  Proof proof;
};

} // namespace

Proof validateUnit(const Course &course, const CourseEntry &entry, const std::string &device) {
  return Validation(course, entry, device).run();
}

std::vector<Proof> validateCourse(const Course &course, const std::vector<CourseEntry> &entries, unsigned jobs,
                                  const std::string &device) {
  std::vector<Proof> proofs(entries.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < entries.size();)
      proofs[i] = validateUnit(course, entries[i], device);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min<size_t>(std::max(1u, jobs), entries.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return proofs;
}

} // namespace nereid::learn
