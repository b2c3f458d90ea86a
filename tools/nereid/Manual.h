// Manual.h: the manual page nereid.1, made of the table of verbs.
#pragma once

#include <ostream>

namespace nereid::tool {

// In the `man` macros of roff. Built and installed with the program (CMakeLists.txt).
void printManual(std::ostream &out);

} // namespace nereid::tool
