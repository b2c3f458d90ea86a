// Checker.h: what `nereid check` watches while programs run.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

class Checker {
public:
  Checker(const Program &program, Launch &launch, const CheckOptions &options) : program(program), launch(launch), options(options) {}

  void run(Machine &machine, const Instruction &instruction);
  void finishProgram(Machine &machine) {}
  std::vector<CheckReport> takeReports() { return {}; }

private:
  const Program &program;
  Launch &launch;
  CheckOptions options;
};

} // namespace nereid::interp
