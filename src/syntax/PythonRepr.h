// PythonRepr.h: values as Python's repr() prints them.
#pragma once

#include "syntax/Ast.h"

#include <string>

namespace nereid::syntax {

void appendStringRepr(std::string &out, std::string_view text); // UTF-8 with lone surrogates in WTF-8
void appendBytesRepr(std::string &out, std::string_view bytes);
void appendFloatRepr(std::string &out, double value);
void appendConstantRepr(std::string &out, const Constant &constant);

} // namespace nereid::syntax
