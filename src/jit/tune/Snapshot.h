// Snapshot.h: the contents of a launch's tensors, to be put back after trial runs that change them.
#pragma once

#include "jit/Bind.h"

namespace nereid::jit {

class Snapshot {
public:
  // Copies all tensors where there is memory for that, else those that the kernel's author lists in `restore_value`.
  Snapshot(const Binding &binding, const lang::Autotune &tuning);
  // Before each trial: what `reset_to_zero` lists.
  void reset() const;
  void restore() const;
  const std::vector<std::string> &notes() const { return problems; }

private:
  struct Copy {
    Tensor live, saved;
  };
  std::vector<Copy> copies;
  std::vector<Tensor> zeroed;
  std::vector<std::string> problems;
};

} // namespace nereid::jit
