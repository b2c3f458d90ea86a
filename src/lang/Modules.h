// Modules.h: attributes of modules and of types: the names that the language, its libraries and files provide.
#pragma once

#include "lang/evaluate/ConstEval.h"

namespace nereid::lang {

// An attribute of a module: of its globals, of the builtin tables and embedded files behind it, or a sub-module.
// Executes the body of a file on first need. No value when there is none.
Value moduleAttribute(ConstEval &eval, Module &module, const std::string &name);
// The public names of a module, for `from m import *`.
std::vector<std::string> publicNames(ConstEval &eval, Module &module);

// The scope of Python's builtins: the outermost scope of every module.
const std::shared_ptr<Scope> &builtinScope();
// A part of the language that is written in the language (prelude/NAME.py), loaded on first use; null when absent.
std::shared_ptr<Module> preludeModule(std::string_view name);

} // namespace nereid::lang
