// ReportJson.h: a report for programs: what `nereid learn check --json` prints, and what the browser gets.
#pragma once

#include "learn/Grade.h"

#include "llvm/Support/JSON.h"

namespace nereid::learn {

// Counters of goals, which file and unit: all of it one object.
llvm::json::Object toJson(const Unit &unit, const Report &report);

} // namespace nereid::learn
