// Learn.h: `nereid learn`: its words, each a function in a file of its own.
#pragma once

#include "Command.h"

#include "learn/Course.h"

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

int learnCheck(const LearnWords &words, Console &console);
int learnValidate(const LearnWords &words, Console &console);

} // namespace nereid::tool
