// Expect.h: `--expect NAME=FILE.npy` and `--expect NAME=EXPRESSION`: what tensors should hold after a launch. Expressions are
// over the arguments as they are before it, so they are evaluated first.
#pragma once

#include "LaunchWords.h"

#include "llvm/Support/JSON.h"

namespace nereid::tool {

struct Expectation {
  size_t tensor = 0; // its place in LaunchWords::tensors
  std::string text;
  std::vector<double> values; // in row-major order
};

// Reads and evaluates all that the words ask for; on failure prints it and gives the exit status.
std::optional<std::vector<Expectation>> readExpectations(const Words &words, const LaunchWords &launch,
                                                         Console &console, int &status);

// Compares, prints what differs, and gives the exit status; adds a row for each to `rows`.
int checkExpectations(const std::vector<Expectation> &expectations, const LaunchWords &launch,
                      std::optional<double> tolerance, Console &console, bool isJson, llvm::json::Array &rows);

inline constexpr Option kExpectOption{"--expect", "NAME=EXPR|FILE.npy",
                                      "compare a tensor with a file, or with Python over the arguments before the run, "
                                      "as in out='softmax(x, axis=1)'; may "
                                      "be given several times"};

} // namespace nereid::tool
