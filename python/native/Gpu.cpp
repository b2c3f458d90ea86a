#include "Gpu.h"

#include "Exchange.h"

#include "jit/Backend.h"

#include <cstdlib>

namespace nereid::python {

HeldMemory heldMemory(PyObject *object) {
  if (isTensor(object)) {
    std::optional<Memory> memory = memoryOf(object);
    if (!memory)
      PyErr_Clear(); // it is asked for once more, and refused there
    return {.isAny = true, .isCuda = memory && memory->isCuda};
  }
  HeldMemory held;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0, count = PySequence_Size(object); i < count && !held.isCuda; ++i) {
      HeldMemory item = heldMemory(Reference::take(PySequence_GetItem(object, i)).get());
      held = {.isAny = held.isAny || item.isAny, .isCuda = item.isCuda};
    }
    return held;
  }
  static PyObject *base = name("base"), *block = name("block_shape");
  if (!PyObject_HasAttr(object, block) || !PyObject_HasAttr(object, base))
    return held;
  Reference tensor = attributeOf(object, base);
  return tensor ? heldMemory(tensor.get()) : held;
}

bool isCudaForced() {
  static const bool isForced = [] {
    const char *device = std::getenv("NEREID_DEVICE");
    return device && jit::findBackend(device) == &jit::cudaBackend();
  }();
  return isForced;
}

bool isCudaByDefault() {
  Reference module = Reference::take(PyImport_ImportModule("triton.runtime.driver"));
  Reference config = module ? attributeOf(module.get(), "driver") : Reference();
  Reference active = config ? attributeOf(config.get(), "active") : Reference();
  Reference text = active ? attributeOf(active.get(), "name") : Reference();
  bool isCuda = text && textOf(text.get()) == "cuda";
  PyErr_Clear();
  return isCuda;
}

cuda::driver::Stream currentStream(const cuda::Device &device) {
  // Found once torch is there; until then every stream is the default one.
  static PyObject *ask = nullptr;
  static const Exchange *exchange = nullptr;
  if (!ask) {
    ask = importedAttribute("torch._C", "_cuda_getCurrentRawStream").release();
    if (!ask)
      return nullptr;
    Reference tensor = importedAttribute("torch", "Tensor");
    if (tensor && PyType_Check(tensor.get()))
      exchange = exchangeOf(reinterpret_cast<PyTypeObject *>(tensor.get()));
  }
  if (exchange)
    if (std::optional<void *> stream = exchangedStream(*exchange, device.ordinal()))
      return static_cast<cuda::driver::Stream>(*stream);
  Reference ordinal = Reference::take(PyLong_FromLong(device.ordinal()));
  Reference handle = Reference::take(PyObject_CallFunctionObjArgs(ask, ordinal.get(), nullptr));
  uint64_t stream = handle ? PyLong_AsUnsignedLongLong(handle.get()) : 0;
  PyErr_Clear();
  return reinterpret_cast<cuda::driver::Stream>(stream);
}

} // namespace nereid::python
