// Unit.h: one exercise of the course as its unit.json says it: the kernel that is graded, its tests in the words of
// `nereid run`, the goals in counters.
#pragma once

#include "nereid/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nereid::learn {

// One launch. Its arguments come from the test's, by name; what stands here adds to them or renames them.
struct Step {
  std::string kernel; // empty: the unit's
  std::vector<std::string> arguments;
  std::string grid;
  int numWarps = 0, numStages = 0; // 0: the usual
};

struct Test {
  std::string name;
  bool isHidden = false;
  std::vector<std::string> arguments;
  std::vector<Step> steps;
  std::vector<Step> referenceSteps;
  std::map<std::string, double> tolerance; // by output
  std::map<std::string, double> scale;     // what a float tensor begins with is multiplied by
  uint64_t seed = 0;
  // What the counters assume of the machine; 0: as usual. Small tests need a small cache to show what it is good for.
  int64_t cacheBytes = 0, residentPrograms = 0;
};

// Performance without a stopwatch: Python over a test's scalars and its counters.
struct Goal {
  size_t test = 0;
  std::string that;
  std::string say; // with expressions in braces
};

// What is timed where there is a GPU: a test with other numbers, since one that a learner can wait for is too small for a
// GPU, and the least that it has to move and to compute there, in Python over the numbers.
struct Timed {
  size_t test = 0;
  std::vector<std::string> arguments; // instead of the test's of the same names
  std::string bytes, flops;
};

// A text that the code must have, or must not have.
struct TextRule {
  std::string text, say;
  int64_t times = 1; // how often a required one has to be there
};

struct Unit {
  std::string id, folder, part;
  std::string title, news; // news: the one new thing
  std::string kernel;
  std::vector<std::string> kernels; // all that the file must have
  std::vector<Test> tests;
  std::vector<std::string> outputs;
  std::vector<Goal> goals;
  std::optional<Timed> timed;
  std::vector<TextRule> forbidden, required;
  bool isExam = false;
};

// `name` stands in messages: the path of the text.
Result<Unit> parseUnit(const std::string &name, const std::string &text);

} // namespace nereid::learn
