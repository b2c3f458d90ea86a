// LearnCheck.cpp: `nereid learn check`: grades one file.
#include "LaunchWords.h"
#include "course/Learn.h"

#include "learn/Grade.h"
#include "learn/ReportJson.h"

#include "llvm/Support/FormatVariadic.h"

namespace nereid::tool {

static void printReport(const learn::Unit &unit, const learn::Report &report, Console &console) {
  using State = learn::TestOutcome::State;
  std::ostream &out = console.out;
  out << unit.id << ": " << unit.title << "\n";
  for (const learn::TestOutcome &test : report.tests)
    if (test.state != State::NotRun)
      out << (test.state == State::Passed ? "  ok    " : "  WRONG ") << test.name << "\n";
  if (!report.printed.empty())
    out << "printed:\n" << report.printed;
  for (const learn::GoalOutcome &goal : report.goals)
    out << (goal.isMet ? "  ok    " : "  MISSED ") << goal.said << "\n";
  if (report.isPassed()) {
    out << "passed\n";
    return;
  }
  out << "\n" << report.text();
}

int learnCheck(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<learn::Course> course = openCourse(words, console, status);
  if (!course)
    return status;
  Result<learn::CourseEntry> entry = course->find(words.operands[0]);
  if (!entry)
    return report(console, entry.error());
  Result<learn::Unit> unit = course->unit(*entry);
  if (!unit)
    return report(console, unit.error());
  Result<std::string> reference = course->text(*entry, "reference.py");
  if (!reference)
    return report(console, reference.error());
  std::optional<std::string> file = words.words.value("--file");
  if (!file)
    return fail(console, "no file is given", {"write `--file F`"});
  learn::Report graded = learn::Grader(*unit, *reference).gradeFile(*file);
  if (words.words.has("--json"))
    console.out << llvm::formatv("{0:2}", llvm::json::Value(learn::toJson(*unit, graded))).str() << "\n";
  else
    printReport(*unit, graded, console);
  switch (graded.stage) {
  case learn::Stage::Passed: return kFine;
  case learn::Stage::Unit: return kBadInput;
  case learn::Stage::Internal: return kInternal;
  default: return kCheckFailed;
  }
}

} // namespace nereid::tool
