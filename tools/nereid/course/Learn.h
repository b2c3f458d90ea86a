// Learn.h: `nereid learn`: its words, each a function, and what they share: the course, the learner's state and folder.
#pragma once

#include "Command.h"

#include "learn/Course.h"
#include "learn/State.h"

namespace nereid::tool {

// `nereid learn WORD …`: the operands behind the word.
struct LearnWords {
  const Words &words;
  std::span<const std::string> operands;
  std::string courseFolder; // of --course; empty: the course in the binary
};

// A word of `nereid learn`.
struct LearnWord {
  std::string_view name;
  std::string_view usage; // what follows the word
  std::string_view summary;
  int (*run)(const LearnWords &words, Console &console);
  size_t fewest = 0, most = 0; // operands
};
std::span<const LearnWord> learnWords();

// The course that the words name; nothing after printing why not.
std::optional<learn::Course> openCourse(const LearnWords &words, Console &console, int &status);

// A learner in a course.
class Desk {
public:
  // Nothing after printing why not.
  static std::optional<Desk> open(const LearnWords &words, Console &console, int &status);

  const learn::Course course;
  learn::CourseState state;

  // The unit that is named, or else the one to work on: the last one begun that is not passed, or the next.
  Result<learn::CourseEntry> find(std::span<const std::string> operands) const;
  // The first unit behind this one (of the same part first) that is not passed; null: all are.
  const learn::CourseEntry *next(const std::string &after) const;
  // Where the learner's file of a unit is, or would be: in the folder of the course, else in this folder.
  std::string file(const learn::CourseEntry &entry) const;
  // Changes the state on the disk and here. A failure is said, and costs nothing else.
  void update(const std::function<void(learn::CourseState &)> &change, Console &console);
  // What to write for this course: `nereid learn WORD`, with --course where it is another one.
  std::string command(const std::string &words) const;

private:
  Desk(learn::Course course, learn::StateFile file) : course(std::move(course)), stateFile(std::move(file)) {}
  learn::StateFile stateFile;
};

// Where compiled code is graded: the value of --device, else the CPU; nothing after printing why not, also where there is no such GPU.
std::optional<std::string> gradingDevice(const LearnWords &words, Console &console, int &status);

// A learner at the unit that the words name.
struct Asked {
  Desk desk;
  learn::CourseEntry entry;
};
// Nothing after printing why not.
std::optional<Asked> ask(const LearnWords &words, Console &console, int &status);

// The folder of the course, from that of a unit's file.
std::string courseFolderOf(const std::string &file, const learn::CourseEntry &entry);
// Makes the learner's file of a unit where it is not there yet; gives its path.
Result<std::string> startUnit(Desk &desk, const learn::CourseEntry &entry, const std::string &folder, Console &console);
// The title of a unit, or why it cannot be read.
std::string titleOf(const learn::Course &course, const learn::CourseEntry &entry);
// What the terminal shows of a lesson: its text, with headings and code set off where that is a terminal.
std::string lessonForTerminal(const std::string &markdown, bool hasColours);

int learnHere(const LearnWords &words, Console &console);
int learnList(const LearnWords &words, Console &console);
int learnProgress(const LearnWords &words, Console &console);
int learnStart(const LearnWords &words, Console &console);
int learnLesson(const LearnWords &words, Console &console);
int learnReset(const LearnWords &words, Console &console);
int learnHint(const LearnWords &words, Console &console);
int learnSolution(const LearnWords &words, Console &console);
int learnCheck(const LearnWords &words, Console &console);
int learnWatch(const LearnWords &words, Console &console);
int learnCertificate(const LearnWords &words, Console &console);
int learnValidate(const LearnWords &words, Console &console);
int learnNew(const LearnWords &words, Console &console);
int learnGrade(const LearnWords &words, Console &console);
int learnWeb(const LearnWords &words, Console &console);

} // namespace nereid::tool
