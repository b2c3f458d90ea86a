// OutOfMemory.h: what happens where the compiler gets no memory. LLVM and MLIR are built without exceptions and would end the
// process; here std::bad_alloc passes through them, to the caller of the library or to the handler of the program.
#pragma once

namespace nereid::compiler {

// Once, before LLVM is used: where it gets no memory, std::get_new_handler() is called, then std::bad_alloc thrown.
void throwWhereMemoryEnds();

} // namespace nereid::compiler
