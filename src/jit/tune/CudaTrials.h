// CudaTrials.h: timing candidates on a GPU. Tensors of the host are brought there once, and the trials work on the copies;
// tensors that live on the GPU are saved and hold afterwards what they held before.
#pragma once

#include "jit/StagedTensors.h"
#include "jit/tune/Candidates.h"

namespace nereid::jit {

class CudaTrials {
public:
  explicit CudaTrials(cuda::Device &device) : device(device), tensors(device, nullptr) {}

  Result<void> prepare(const Binding &binding, const Settings &settings);
  const StagedTensors &staged() const { return tensors; }
  // The median of a candidate's runs, into its trial.
  void time(const Candidate &candidate, double best, Trial &trial);
  // As it was before; and, as Triton does it before the launch that comes next, zeros where `reset_to_zero` lists a
  // tensor.
  Result<void> restore();
  const std::vector<std::string> &notes() const { return problems; }

private:
  Result<void> save(const Binding &binding, const std::string &name, const Tensor &tensor);
  Result<void> reset(bool isLast);

  struct Copy {
    cuda::driver::Address live = 0;
    cuda::Buffer saved;
  };
  struct Zeroed {
    Tensor tensor;
    cuda::driver::Address address; // on the GPU
  };
  cuda::Device &device;
  StagedTensors tensors;
  std::vector<Copy> copies;
  std::vector<Zeroed> zeroed;
  std::vector<std::string> problems;
};

} // namespace nereid::jit
