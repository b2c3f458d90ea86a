// UnicodeTables.cpp: the generated tables, kept apart from the code as data.
#include "syntax/UnicodeTables.h"

namespace nereid::syntax {

#include "syntax/UnicodeNames.inc"
#include "syntax/UnicodeTables.inc"

} // namespace nereid::syntax
