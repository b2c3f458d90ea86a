// ArgumentWords.h: the arguments of a launch in words, as the command line and the exercises of a course have them: NAME=VALUE
// with numbers, true, None, tensors (TensorSpec.h) and Python expressions.
#pragma once

#include "nereid/nereid.hpp"
#include "runtime/TensorSpec.h"

#include <span>

namespace nereid::jit {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

struct ArgumentWords {
  std::vector<Argument> arguments;
  std::vector<NamedTensor> tensors; // those among the arguments
  std::vector<std::string> empty;   // the names of those that hold nothing yet
};

// Numbers, true, false, None; other text is a Python expression. Tensors are not among them.
Argument::Value parseScalar(const std::string &text);

// One word in its two parts. Fails where it is not NAME=VALUE.
Result<std::pair<std::string, std::string>> splitArgumentWord(const std::string &word);

// Makes the tensors too; `seed` decides the random ones. Extents are numbers, integers among the arguments, or what
// `extents` knows.
Result<ArgumentWords> readArgumentWords(std::span<const std::string> words, uint64_t seed,
                                        const runtime::ExtentLookup &extents = nullptr);

} // namespace nereid::jit
