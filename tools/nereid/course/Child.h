// Child.h: this program run again as a child, with bounds on its time and memory: what learners write runs there, so that
// nothing of it ends the terminal, the server or the grading of others.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nereid::tool {

// The words that start this program, where that is not its own file (Python's interpreter and a module).
void setOwnProgram(std::vector<std::string> words);

struct ChildLimits {
  double seconds = 60;
  size_t memory = size_t(4) << 30; // bytes
  bool countsAddresses = true;     // all of them, else those that can be written
  size_t output = size_t(4) << 20; // what is more is dropped
};

// Lets a child grade on a device, where one is named: the driver of a GPU takes more addresses than there is memory, and
// writes to few of them.
void gradeOn(const std::optional<std::string> &device, std::vector<std::string> &words, ChildLimits &limits);

struct ChildResult {
  int status = -1; // its exit status; -1: it did not start, or ended by a signal
  int signal = 0;  // that ended it
  bool timedOut = false;
  std::string output; // both streams where they are joined, else its standard output
};

// Runs `nereid WORDS` and waits.
ChildResult runChild(const std::vector<std::string> &words, const ChildLimits &limits, bool joinsStreams = false);
// Why a child gave no result, in a learner's words.
std::string whyEnded(const ChildResult &result, const ChildLimits &limits);

} // namespace nereid::tool
