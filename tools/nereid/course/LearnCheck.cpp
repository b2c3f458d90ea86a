// LearnCheck.cpp: `nereid learn check`: grades one file and notes the result.
#include "Devices.h"
#include "LaunchWords.h"
#include "course/Learn.h"

#include "jit/Backend.h"
#include "jit/CudaDevice.h"
#include "learn/Grade.h"
#include "learn/ReportJson.h"

#include "llvm/Support/FormatVariadic.h"

#include <filesystem>

namespace nereid::tool {

static void printReport(const learn::Unit &unit, const learn::Report &report, Console &console) {
  using State = learn::TestOutcome::State;
  std::ostream &out = console.out;
  out << unit.id << ": " << unit.title << "\n";
  for (const learn::TestOutcome &test : report.tests)
    if (test.state != State::NotRun)
      out << (test.state == State::Passed ? "  ok     " : "  WRONG  ") << test.name << "\n";
  for (const learn::GoalOutcome &goal : report.goals)
    out << (goal.isMet ? "  ok     " : "  MISSED ") << goal.said << "\n";
  if (report.time)
    out << "  time   " << describe(*report.time) << "\n";
  if (!report.printed.empty())
    out << "\nit printed:\n" << report.printed;
  if (!report.isPassed())
    out << "\n" << report.text();
}

static void printNext(const Desk &desk, const learn::CourseEntry &entry, Console &console) {
  console.out << "\n" << entry.id << " is passed.\n";
  if (const learn::CourseEntry *next = desk.next(entry.id))
    console.out << "Next is " << next->id << ": " << titleOf(desk.course, *next) << "; begin with `"
                << desk.command("start " + next->id) << "`.\n";
  else
    console.out << "That was the last one; `" << desk.command("certificate") << "` writes down what you passed.\n";
}

static void note(Desk &desk, const learn::CourseEntry &entry, const learn::Report &graded, Console &console) {
  desk.update(
      [&](learn::CourseState &state) {
        learn::UnitState &unit = state.units[entry.id];
        ++unit.attempts;
        state.current = entry.id;
        if (!graded.isPassed())
          return;
        if (!unit.isPassed)
          unit.passedAt = learn::today();
        unit.isPassed = true;
        unit.goals.clear();
        for (const learn::GoalOutcome &goal : graded.goals)
          unit.goals.push_back(goal.said);
      },
      console);
}

std::optional<std::string> gradingDevice(const LearnWords &words, Console &console, int &status) {
  std::optional<std::string> device = readDevice(words.words.value("--device").value_or("cpu"), console, status);
  if (!device || jit::findBackend(*device) != &jit::cudaBackend())
    return device;
  if (Result<cuda::Device *> gpu = jit::findCudaDevice(*device); !gpu) {
    status = report(console, gpu.error());
    return std::nullopt;
  }
  return device;
}

int learnCheck(const LearnWords &words, Console &console) {
  auto seconds = words.words.integer("--timeout", 60, 1, 3600, console);
  if (!seconds)
    return kBadInput;
  int status = kFine;
  std::optional<Asked> asked = ask(words, console, status);
  if (!asked)
    return status;
  auto &[desk, entry] = *asked;
  Result<learn::Unit> unit = desk.course.unit(entry);
  Result<std::string> reference = desk.course.text(entry, "reference.py");
  if (!unit || !reference)
    return report(console, unit ? reference.error() : unit.error());
  bool isFirstOnly = words.words.has("--first");
  if (isFirstOnly) {
    unit->tests.resize(1);
    unit->goals.clear();
    unit->timed.reset();
  }
  std::optional<std::string> device = gradingDevice(words, console, status);
  if (!device)
    return status;
  std::string file = words.words.value("--file").value_or(desk.file(entry));
  std::error_code none;
  if (!words.words.has("--file") && !std::filesystem::exists(file, none))
    return fail(console, "you have not begun `" + entry.id + "`: there is no `" + file + "`",
                {"write `" + desk.command("start " + entry.id) + "`"});
  Result<std::string> starter = desk.course.text(entry, "start.py");
  // A launch has half of the time: its own message, with the line, comes before whoever waits for this process ends it.
  learn::GradeOptions options{.seconds = std::min(0.5 * static_cast<double>(*seconds), 10.0),
                              .device = *device,
                              .mistakes = learn::mistakesOf(desk.course, entry),
                              .starter = starter ? *starter : ""};
  if (!isFirstOnly)
    options.timedOn = jit::findBackend(options.device) == &jit::cudaBackend() ? options.device : "cuda";
  learn::Report graded = learn::Grader(*unit, *reference, options).gradeFile(file);
  if (!words.words.has("--no-record") && !isFirstOnly)
    note(desk, entry, graded, console);
  if (words.words.has("--json"))
    console.out << llvm::formatv("{0:2}", llvm::json::Value(learn::toJson(*unit, graded))).str() << "\n";
  else
    printReport(*unit, graded, console);
  if (graded.isPassed() && !words.words.has("--json") && !isFirstOnly)
    printNext(desk, entry, console);
  switch (graded.stage) {
  case learn::Stage::Passed: return kFine;
  case learn::Stage::Unit: return kBadInput;
  case learn::Stage::Internal: return kInternal;
  default: return kCheckFailed;
  }
}

} // namespace nereid::tool
