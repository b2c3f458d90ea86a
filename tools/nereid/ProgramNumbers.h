// ProgramNumbers.h: programs of a grid as people write them: `3`, `3,1`, `0,2,1`.
#pragma once

#include "Command.h"

#include <array>

namespace nereid::tool {

// Nothing after saying what is wrong.
std::optional<std::array<uint32_t, 3>> readProgram(const std::string &text, const std::array<uint32_t, 3> &grid,
                                                   Console &console);
std::optional<std::vector<std::array<uint32_t, 3>>> readPrograms(const std::vector<std::string> &texts,
                                                                 const std::array<uint32_t, 3> &grid, Console &console);
std::string programText(const std::array<uint32_t, 3> &program);

} // namespace nereid::tool
