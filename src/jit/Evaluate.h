// Evaluate.h: compile-time Python on behalf of a launch: argument expressions, heuristics, grids.
#pragma once

#include "jit/Bind.h"

#include <array>

namespace nereid::jit {

// Arguments of the public interface as host values; an expression is evaluated among the names of the kernel's module.
Result<std::vector<NamedHostValue>> hostValues(KernelModule &module, const std::vector<Argument> &arguments);

// The value of a Python expression given as text; `what` names it in messages, `names` are numbers that it may use.
Result<lang::Value> evaluateExpression(KernelModule &module, const std::string &what, const std::string &text,
                                       const std::vector<Argument> &names = {});

// Calls a function of the source (a heuristic, a grid lambda).
Result<lang::Value> callFunction(KernelModule &module, const lang::Value &callee, lang::Values arguments);

// The value of an expression that sees the arguments of a launch as names: `cdiv(n, BLOCK)`; or of a lambda over them.
Result<lang::Value> evaluateWithArguments(KernelModule &module, const Binding &binding, const std::string &what,
                                          const std::string &text, const std::vector<Argument> &names = {});

// The same with names of one's own: a dict of Python.
Result<lang::Value> evaluateWithNames(KernelModule &module, const lang::Value &dictionary, const std::string &what,
                                      const std::string &text, const std::vector<Argument> &names = {});

// The grid of a launch, from its extents or its expression; checked.
Result<std::array<uint32_t, 3>> evaluateGrid(KernelModule &module, const Binding &binding, const Settings &settings);

} // namespace nereid::jit
