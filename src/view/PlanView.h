// PlanView.h: what is planned for the threads of a GPU, in numbers: layouts, the pipeline, shared memory.
#pragma once

#include "view/CodeView.h"

#include "compiler/Compiler.h"
#include "gpu/lower/SharedTrace.h"

namespace nereid::view {

// The layouts of all tiles, and what is in flight while a program of the launch runs.
void viewPlan(const compiler::TileModule &planned, const jit::Specialization &launch,
              const std::array<uint32_t, 3> &grid, Places &places, CodeView &view);
void viewShared(const std::vector<gpu::SharedUse> &uses, const Places &places, CodeView &view);

} // namespace nereid::view
