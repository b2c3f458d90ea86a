// CodeText.h: what a learner's text says, without what only looks like code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::learn {

// Comments and the contents of strings become blanks; every line stays where it is.
std::string codeWithoutComments(const std::string &text);
// Where the words stand in code, not as a part of longer names; npos: nowhere.
size_t findCode(const std::string &code, const std::string &words, size_t from = 0);
int64_t countCode(const std::string &code, const std::string &words);
// The number of the first line with a comment `# YOUR CODE`; 0: there is none.
unsigned firstHole(const std::string &text);
// The number of the first such line that is as in the starter, as is the line behind it; 0: all of them were worked on.
unsigned firstHoleOf(const std::string &starter, const std::string &text);
// The first line inside of a function that sets a name which stands nowhere else.
struct UnusedName {
  std::string name; // empty: there is none
  unsigned line = 0;
};
UnusedName findUnusedName(const std::string &text);
// The lines, without blanks at their ends and without those that are empty or only a comment.
std::vector<std::string> codeLines(const std::string &text);

} // namespace nereid::learn
