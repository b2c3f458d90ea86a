// Grade.h: a learner's file against a unit, in the order in which one would look for a mistake: it reads and parses, has the
// kernel, compiles; each test runs under the checker and gives what the reference gives, on the interpreter and as compiled
// code; the goals are met. The first failure ends it, with all that helps.
#pragma once

#include "learn/Accesses.h"
#include "learn/Compare.h"
#include "learn/Goals.h"
#include "learn/Mistakes.h"
#include "learn/Timing.h"

namespace nereid::learn {

// What failed. Unit: the unit itself is wrong, not the learner's file.
enum class Stage { Passed, Read, Kernel, Compile, Check, Result, Compiled, Goal, Unit, Internal };
std::string_view nameOf(Stage stage);

struct TestOutcome {
  std::string name;
  bool isHidden = false;
  enum class State { NotRun, Passed, Failed } state = State::NotRun;
};

struct GoalOutcome {
  std::string that, said;
  bool isMet = false;
};

struct Report {
  Stage stage = Stage::Passed;
  std::string test;              // during which one it failed
  std::string message;           // what happened, where and why: text with a line end
  std::string picture;           // of the elements that are wrong, or empty
  std::string printed;           // what device_print wrote
  unsigned line = 0, column = 0; // in the learner's file; 0: not known
  std::vector<TestOutcome> tests;
  std::vector<GoalOutcome> goals;
  Counters counters;                // of the first test that has a goal
  std::optional<MeasuredTime> time; // where there is a GPU
  std::optional<Comparison> comparison;
  std::vector<AccessPicture> accesses; // of a test that failed when it ran

  bool isPassed() const { return stage == Stage::Passed; }
  // What the learner reads: in which test, what, and the picture.
  std::string text() const;
};

struct GradeOptions {
  double seconds = 10; // a launch that takes longer has failed
  unsigned threads = 0;
  std::string device = "cpu";         // where the compiled code runs
  std::vector<KnownMistake> mistakes; // to recognize, and to name
  std::string starter;                // the text that the learner began with, where it is known
  std::string timedOn;                // a GPU, such as "cuda": what passes is timed on it where it is there
};

// Grades any number of files against one unit; what the reference gives is computed once.
class Grader {
public:
  // `reference` is the text of the unit's reference.py.
  Grader(const Unit &unit, std::string reference, GradeOptions options = {});
  ~Grader();

  // A file on the disk.
  Report gradeFile(const std::string &path);
  // A text, under a name for messages.
  Report gradeText(const std::string &name, const std::string &text);

private:
  class Work;
  struct State;
  std::unique_ptr<State> state;
};

} // namespace nereid::learn
