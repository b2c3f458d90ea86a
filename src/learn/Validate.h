// Validate.h: the proof that a unit teaches what it says: its starter fails with a message that helps, its solution passes,
// each wrong answer gets the message that it is there for, hints do not give the answer away, and the goals tell a good kernel
// from a naive one.
#pragma once

#include "learn/Course.h"

namespace nereid::learn {

struct Proof {
  std::string unit;
  std::vector<std::string> problems; // none: the unit holds
  size_t answers = 0;                // files that were graded
  double seconds = 0;                // for the solution alone
};

// `device`: where compiled code runs.
Proof validateUnit(const Course &course, const CourseEntry &entry, const std::string &device);
// All units, several at a time.
std::vector<Proof> validateCourse(const Course &course, const std::vector<CourseEntry> &entries, unsigned jobs,
                                  const std::string &device);

} // namespace nereid::learn
