// Note.h: a note in a kernel (lang/emit/EmitNotes.h): nothing happens there, but observers see it.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

struct NotePayload : Payload {
  std::string name; // empty: a statement begins
  std::string text; // the type of the value, or a constant
  std::vector<int64_t> shape;
  bool isSigned = true;
};
inline void runNote(Machine &, const Instruction &) {}

} // namespace nereid::interp
