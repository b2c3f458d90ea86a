// Grid.h: the grid of a launch: given as numbers, or as a Python expression over the arguments.
#pragma once

#include "lang/ConstEval.h"

#include <array>

namespace nereid::jit {

// One to three extents, each at least 0 and at most 2^31 - 1. Fails through the session.
std::array<uint32_t, 3> checkGrid(lang::Session &session, const std::vector<int64_t> &grid);

// `cdiv(n, BLOCK)`, `(cdiv(M, BM) * cdiv(N, BN), 2)` or `lambda meta: (…,)`. Names are the kernel's arguments, then those
// of its module; `cdiv` and `next_power_of_2` are always known.
std::array<uint32_t, 3> evaluateGrid(lang::ConstEval &eval, const lang::Function &kernel, const std::string &text,
                                     const lang::Value &arguments);

} // namespace nereid::jit
