// Faults.h: machine code that touches memory it may not ends with a message, not with a bare signal.
#pragma once

namespace nereid::tool {

// From here on an illegal access ends the program with exit status 1 and the advice to run `nereid check`.
void reportFaults();

} // namespace nereid::tool
