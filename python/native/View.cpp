// View.cpp: the page of a call: what `nereid view` writes, for notebooks.
#include "Grid.h"
#include "Interruptible.h"
#include "Launch.h"

#include "jit/Settings.h"
#include "view/View.h"

namespace nereid::python {

PyObject *KernelState::view(Call &call, const std::string &target, const NamedTexts &arguments) {
  std::optional<compiler::Target> asked = compiler::findTarget(target);
  if (!asked || !(asked->gpu || asked->cpu)) {
    PyErr_Format(PyExc_ValueError, "there is no target `%s`: there are `sm_90a`, `sm_80`, `cpu` and their like",
                 target.c_str());
    return nullptr;
  }
  if (!prepare() || !globalsUnchanged() || !refresh() || !bind(call))
    return nullptr;
  std::optional<std::array<uint32_t, 3>> grid = callGrid(call) ? readGrid(call.grid, false) : std::nullopt;
  if (!grid)
    return nullptr;
  Busy busy(*this);
  std::optional<jit::Binding> binding = makeBinding(call);
  if (!binding)
    return nullptr;
  binding->options.defaultDotPrecision = jit::usualDotPrecision(asked->gpu ? "cuda" : "cpu");
  if (writesToReadOnly(*binding))
    return nullptr;
  Interruptible python;
  jit::Settings settings;
  settings.limits = python.limits(call.options.timeout);
  view::ViewRequest request{*module, *binding, *grid, settings};
  request.gpu = asked->gpu ? asked : std::nullopt;
  request.cpu = asked->cpu ? asked : compiler::findTarget("cpu");
  request.arguments = arguments;
  Result<llvm::json::Object> data = view::viewKernel(request);
  if (PyErr_Occurred()) // of a signal's handler
    return nullptr;
  if (!data)
    return raise(data.error()), nullptr;
  std::vector<llvm::json::Object> kernels;
  kernels.push_back(std::move(*data));
  std::string page = view::makePage(std::move(kernels));
  return PyUnicode_DecodeUTF8(page.data(), Py_ssize_t(page.size()), "replace");
}

} // namespace nereid::python
