// ToJson.h: the parts of a view as the page reads them.
#pragma once

#include "interp/trace/Trace.h"
#include "jit/KernelModule.h"
#include "view/CodeView.h"

#include "llvm/Support/JSON.h"

namespace nereid::view {

// A text for JSON, which is UTF-8: other bytes become U+FFFD.
std::string cleanText(std::string_view text);

// A list for each number: file, line, file, line …, innermost first.
llvm::json::Array placesJson(const Places &places);
llvm::json::Object codeJson(const CodeView &view);
// Places of the trace become numbers of `places`.
llvm::json::Object traceJson(const interp::Trace &trace, jit::KernelModule &module, Places &places);
// A value with some of its numbers; `budget` is what is left of the bytes that all values of a page may take.
llvm::json::Object valueJson(const interp::TracedValue &value, const std::vector<runtime::Allocation> &tensors,
                             size_t &budget);

} // namespace nereid::view
