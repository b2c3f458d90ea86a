// Sizes.h: numbers as expressions in the words of a launch: `--let M=64`, `x=randn:f32[2*M]`, `n=4*M`, `x=randn:f16[M,M]@[B,B]`.
// An expression is Python over the names of `--let`, the numbers among the arguments and the names of the kernel's file.
#pragma once

#include "LaunchWords.h"

namespace nereid::tool {

class Sizes {
public:
  // The names of `--let` go into the settings of the launch, for its grid.
  Sizes(LaunchWords &launch, Console &console) : launch(launch), console(console) {}

  // The arguments with a number in place of each expression that gives one. On failure prints it and gives the exit status.
  std::optional<std::vector<std::string>> plainWords(std::span<const std::string> operands,
                                                     const std::vector<std::string> &lets, int &status);

private:
  int define(const std::vector<std::string> &lets);
  int resolve(const std::string &name, std::string &text);
  std::optional<std::string> plainTensor(const std::string &name, const std::string &text);
  std::optional<std::string> plainList(const std::string &name, std::string_view list, bool isShape);

  LaunchWords &launch;
  Console &console;
  std::vector<std::string> names; // of the arguments
  std::vector<Argument> known;    // numbers
};

} // namespace nereid::tool
