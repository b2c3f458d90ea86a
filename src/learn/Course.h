// Course.h: the list of units, in order.
#pragma once

#include "learn/CourseFiles.h"
#include "learn/Unit.h"

namespace nereid::learn {

struct CourseEntry {
  std::string id;     // day-01, stage-1/add, puzzle-07
  std::string folder; // in the course
  std::string part;   // days, stages, puzzles, exam
};

struct Course {
  CourseFiles files;
  std::string title;
  std::vector<CourseEntry> entries;

  // The embedded course, or that of a folder: one with course.json, or the folder of one unit.
  static Result<Course> open(const std::string &folder);

  // By id, by folder, by a number of a day (`3`), or by what an id begins with where that is one. Fails with the nearest.
  Result<CourseEntry> find(const std::string &name) const;
  Result<Unit> unit(const CourseEntry &entry) const;
  // The parts of hints.md between lines `---`.
  Result<std::vector<std::string>> hints(const CourseEntry &entry) const;
  // A file of a unit.
  Result<std::string> text(const CourseEntry &entry, const std::string &name) const;
  // The names of a unit's wrong answers: wrong/NAME.py.
  std::vector<std::string> wrongAnswers(const CourseEntry &entry) const;
};

} // namespace nereid::learn
