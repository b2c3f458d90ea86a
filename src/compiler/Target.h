// Target.h: what code is made for, read once from what users write: the interpreter, a CPU or a GPU, with its facts.
#pragma once

#include "cpu/Target.h"
#include "gpu/Target.h"
#include "lang/Session.h"

#include <optional>
#include <string>

namespace nereid::compiler {

struct Target {
  enum class Kind { Interpreter, Cpu, Nvidia, Amd }; // no code is made for the last
  Kind kind = Kind::Interpreter;
  std::string name;               // as it was written
  std::optional<cpu::Target> cpu; // of a CPU
  std::optional<gpu::Target> gpu; // of an NVIDIA GPU

  // What kernel files see of it.
  lang::TargetDescription description() const;
};

// `interp`, `cpu`, `x86-64-v3+avxvnni`, `sm_90a`, `gfx942` and their like.
std::optional<Target> findTarget(const std::string &name);

} // namespace nereid::compiler
