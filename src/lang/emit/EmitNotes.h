// EmitNotes.h: a kernel for those who watch it run: with notes where statements begin and names get their values.
//
// A note is a `tile.print` with the attribute `note`: the interpreter shows it to an observer, and prints nothing.
//   tile.print "" {note = ""}                          a statement begins here
//   tile.print "x" {note = "f32[128]"} %x : …          `x` has got this value, whose type is this
//   tile.print "BLOCK" {note = "128"}                  `BLOCK` is a constant
#pragma once

#include "lang/emit/EmitIR.h"

namespace nereid::lang {

constexpr const char *kNoteAttribute = "note";

// As emitKernel; the module is for the interpreter, as it is: passes would move what notes stand beside.
mlir::OwningOpRef<mlir::ModuleOp> emitKernelWithNotes(mlir::MLIRContext &context, Session &session,
                                                      const Function &kernel,
                                                      const std::vector<ArgumentSpec> &arguments,
                                                      const EmitOptions &options);

} // namespace nereid::lang
