// LoadedCode.h: code that is ready to run, whatever runs it: a program of the interpreter, machine code in this process, a
// kernel on a GPU.
#pragma once

namespace nereid::runtime {

class LoadedCode {
public:
  virtual ~LoadedCode() = default;
};

} // namespace nereid::runtime
