#include "ProgramNumbers.h"

#include <charconv>

namespace nereid::tool {

std::string programText(const std::array<uint32_t, 3> &program) {
  return "(" + std::to_string(program[0]) + ", " + std::to_string(program[1]) + ", " + std::to_string(program[2]) + ")";
}

std::optional<std::array<uint32_t, 3>> readProgram(const std::string &text, const std::array<uint32_t, 3> &grid,
                                                   Console &console) {
  std::array<uint32_t, 3> program{};
  size_t axis = 0;
  const char *at = text.data(), *end = at + text.size();
  for (; axis < 3; ++axis) {
    while (at != end && (*at == ' ' || *at == '('))
      ++at;
    auto [after, problem] = std::from_chars(at, end, program[axis]);
    at = after;
    while (at != end && (*at == ' ' || *at == ')'))
      ++at;
    if (problem != std::errc())
      break;
    if (at == end || *at != ',') {
      ++axis;
      break;
    }
    ++at;
  }
  if (axis == 0 || at != end) {
    fail(console, "a program is written `3`, `3,1` or `3,1,0`, not `" + text.substr(0, 80) + "`");
    return std::nullopt;
  }
  for (size_t i = 0; i < 3; ++i)
    if (program[i] >= grid[i]) {
      fail(console, "there is no program " + programText(program) + ": the grid is " + programText(grid));
      return std::nullopt;
    }
  return program;
}

std::optional<std::vector<std::array<uint32_t, 3>>>
readPrograms(const std::vector<std::string> &texts, const std::array<uint32_t, 3> &grid, Console &console) {
  std::vector<std::array<uint32_t, 3>> programs;
  for (const std::string &text : texts) {
    auto program = readProgram(text, grid, console);
    if (!program)
      return std::nullopt;
    programs.push_back(*program);
  }
  return programs;
}

} // namespace nereid::tool
