// Check.cpp: a call under the sanitizer, or counted: the interpreter runs it on the memory of the arguments, and never touches what
// is not theirs.
#include "Grid.h"
#include "Interruptible.h"
#include "Launch.h"

#include "jit/Report.h"
#include "jit/count/CountJson.h"

#include <cstdio>

namespace nereid::python {

bool KernelState::writesToReadOnly(const jit::Binding &binding) {
  Result<jit::Specialization> specialization = jit::specialize(binding);
  if (!specialization)
    return raise(specialization.error()), true;
  Compiled code;
  code.specs = specialization->specs, code.options = binding.options;
  return writesTo(code, specialization->readOnly);
}

PyObject *KernelState::check(Call &call) {
  if (!prepare() || !globalsUnchanged() || !refresh() || !bind(call))
    return nullptr;
  call.options.debug = true;         // asserts are looked at
  call.options.sanitizeOverflow = 0; // addresses are watched anyway, and data may wrap around
  std::optional<std::array<uint32_t, 3>> grid = callGrid(call) ? readGrid(call.grid, false) : std::nullopt;
  if (!grid)
    return nullptr;
  Busy busy(*this);
  std::optional<jit::Binding> binding = makeBinding(call);
  if (binding)
    boundByMappings(*binding);
  if (!binding || writesToReadOnly(*binding))
    return nullptr;
  jit::Settings settings;
  settings.check = true;
  Interruptible python;
  settings.limits = python.limits(call.options.timeout);
  Result<jit::Launched> launched = jit::launchBound(*module, *binding, "interp", *grid, settings);
  if (PyErr_Occurred()) // of a signal's handler
    return nullptr;
  if (!launched && launched.error().status == Status::CheckFailed)
    return PyUnicode_FromString(launched.error().message.c_str());
  if (!launched)
    return raise(launched.error()), nullptr;
  std::fwrite(launched->output.data(), 1, launched->output.size(), stdout);
  std::fflush(stdout);
  return PyUnicode_FromString(jit::renderReports(*module, launched->reports).c_str());
}

PyObject *KernelState::count(Call &call, const jit::CountRequest &request) {
  if (!prepare() || !globalsUnchanged() || !refresh() || !bind(call))
    return nullptr;
  std::optional<std::array<uint32_t, 3>> grid = callGrid(call) ? readGrid(call.grid, false) : std::nullopt;
  if (!grid)
    return nullptr;
  Busy busy(*this);
  std::optional<jit::Binding> binding = makeBinding(call);
  if (binding)
    boundByMappings(*binding);
  if (!binding || writesToReadOnly(*binding))
    return nullptr;
  jit::Settings settings;
  Interruptible python;
  settings.limits = python.limits(call.options.timeout);
  Result<jit::Counted> counted = jit::countBound(*module, *binding, *grid, settings, request);
  if (PyErr_Occurred()) // of a signal's handler
    return nullptr;
  if (!counted)
    return raise(counted.error()), nullptr;
  std::fwrite(counted->launched.output.data(), 1, counted->launched.output.size(), stdout);
  std::fflush(stdout);
  return PyUnicode_FromString(jit::toJson(*counted, binding->kernel->name).c_str());
}

bool KernelState::runBound(Call &call, const std::array<uint32_t, 3> &grid) {
  Busy busy(*this);
  bool checks = call.options.check || jit::checksEveryLaunch();
  call.options.debug |= checks;
  std::optional<jit::Binding> binding = makeBinding(call);
  if (!binding)
    return false;
  bool onInterpreter = checks || isInterpreted;
  if (onInterpreter)
    boundByMappings(*binding);
  Interruptible python;
  jit::Settings settings{.check = checks, .limits = python.limits(call.options.timeout)};
  Result<jit::Launched> launched =
      jit::launchBound(*module, *binding, onInterpreter ? "interp" : "cpu", grid, settings);
  if (PyErr_Occurred()) // of a signal's handler
    return false;
  if (!launched)
    return raise(launched.error()), false;
  std::fwrite(launched->output.data(), 1, launched->output.size(), stdout);
  std::fflush(stdout);
  if (!jit::hasErrors(launched->reports))
    return true;
  raise({Status::CheckFailed, jit::renderReports(*module, launched->reports)});
  return false;
}

} // namespace nereid::python
