// GdbInterface.h: tells a debugger about code that was not there when the program started.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace nereid::cpu {

struct GdbEntry;

// `file` is the object with the loaded addresses in its section headers; gdb reads its symbols and lines from there.
// The entry takes the code back when it is deleted.
std::unique_ptr<GdbEntry, void (*)(GdbEntry *)> registerWithGdb(std::vector<std::byte> file);

} // namespace nereid::cpu
