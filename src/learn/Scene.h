// Scene.h: the tensors and numbers of one test, and the launches over them.
#pragma once

#include "jit/ArgumentWords.h"
#include "jit/KernelModule.h"
#include "jit/Settings.h"
#include "learn/Unit.h"

namespace nereid::learn {

class Scene {
public:
  // Makes what the test's words say; `python` evaluates the expressions among them, now and later.
  static Result<Scene> make(jit::KernelModule &python, const Test &test);

  // The same with float tensors in float64, as references take them.
  Result<Scene> inDoubles() const;

  // What a step launches: its arguments, and the grid, which sees the scalars of the test and those of the step.
  struct Ready {
    std::shared_ptr<lang::Function> kernel;
    std::vector<Argument> arguments;
    jit::Settings settings;
  };
  Result<Ready> prepare(jit::KernelModule &module, const Step &step) const;

  const jit::NamedTensor *find(const std::string &name) const;
  const std::vector<jit::NamedTensor> &tensors() const { return words.tensors; }
  bool isEmpty(const std::string &tensor) const; // it began as `empty`
  bool isInput(const std::string &tensor) const; // it began with values of its own: randn, arange …

  // The scalars and tensors by name, for expressions.
  lang::Value dictionary() const;

private:
  explicit Scene(jit::KernelModule &python) : python(&python) {}
  Result<Argument::Value> evaluate(const std::string &name, const std::string &text) const;

  jit::KernelModule *python;
  jit::ArgumentWords words; // scalars first
  std::vector<std::string> inputs;
};

} // namespace nereid::learn
