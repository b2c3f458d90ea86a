// Operation.h: one operation of the language, `a + b` or `tl.sum(x, axis=0)`, on tiles that exist already as arrays: what
// a kernel that runs as Python calls. The text of the operation goes through the compiler as any kernel does, once for each
// kind of arguments, and the interpreter of tile IR computes it.
#pragma once

#include "Embedding.h"

#include "interp/Interp.h"

namespace mlir::func {
class FuncOp;
}

namespace nereid::python {

// Adds `operation(…)` and the types `Operation` and `Surroundings` to the module; false with an exception set.
bool addOperations(PyObject *module);

// What an operation was compiled to. `result` describes what it gives, by the numbers of its output arrays.
struct Operation {
  std::shared_ptr<const interp::Program> program;
  std::vector<size_t> inputBytes, outputBytes;
  Reference result;
  Reference steps; // describeSteps, where they were asked for
};

// Compiles `def operation(…): return …` for the arguments that `specs` describes, one tuple for each parameter:
//   ("tensor", "fp32", (128, 64))       a tile; a scalar has no extents
//   ("constant", object)                what is known
//   ("tuple", class or None, [specs])
//   ("block_pointer", [specs], block shape, order)
//   ("descriptor", "fp32", block shape, is NaN padded)
// The description of a result has the same forms, with the number of its (first) array behind them; of a descriptor the
// arrays are its bytes, its extents and its strides. Nothing, with an exception set, where it does not compile.
std::optional<Operation> compileOperation(const std::string &text, PyObject *specs, const lang::EmitOptions &options,
                                          bool withSteps);

// The ops of a function in order, each as (name, numbers of its operands, attributes, types of its results, regions):
// values are numbered from the parameters on.
Reference describeSteps(mlir::func::FuncOp function);

} // namespace nereid::python
