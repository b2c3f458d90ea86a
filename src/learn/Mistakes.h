// Mistakes.h: a wrong result that a typical wrong answer gives, too, has that answer's mistake, so that it can be named.
#pragma once

#include "learn/Course.h"
#include "learn/Scene.h"

namespace nereid::learn {

// One of a unit's wrong answers.
struct KnownMistake {
  std::string text;    // of the file
  std::string meaning; // the first line of its docstring: "The mask is on the load only."
};

std::vector<KnownMistake> mistakesOf(const Course &course, const CourseEntry &entry);

// The meaning of the mistake that leaves in the outputs of a test what `results` has there; empty: none does.
std::string recognize(const std::vector<KnownMistake> &mistakes, jit::KernelModule &python, const Unit &unit,
                      const Test &test, const Scene &results);

} // namespace nereid::learn
