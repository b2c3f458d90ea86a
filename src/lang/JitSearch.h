// JitSearch.h: finds the jit functions of a module that executing it did not make: those inside functions, and those
// under conditions that do not hold here.
#pragma once

#include "lang/Loader.h"

namespace nereid::lang {

// Makes a Function for each, in a scope where the names of the enclosing functions are known as well as possible, and
// adds it to the module's jit functions.
void findHiddenJitFunctions(Session &session, const std::shared_ptr<Module> &module);
// Whether a value is not known because it depends on a parameter of an enclosing function that was never called.
bool isEnclosingParameter(const Value &value);
// One entry for each definition, in source order; the most decorated function of it.
std::vector<Loader::JitEntry> listJitFunctions(const Module &module);

} // namespace nereid::lang
