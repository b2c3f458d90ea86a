#include "Gpu.h"

#include "Exchange.h"

#include "jit/Backend.h"

#include <cstdlib>

namespace nereid::python {

// Looks at so many objects at most, so deep: what holds more is refused when it is bound.
static HeldMemory heldMemory(PyObject *object, size_t &left, int depth) {
  constexpr int kDeepest = 400;
  if (left == 0 || depth > kDeepest)
    return {};
  --left;
  if (isTensor(object)) {
    std::optional<Memory> memory = memoryOf(object);
    if (!memory)
      PyErr_Clear(); // it is asked for once more, and refused there
    return {.isAny = true, .isCuda = memory && memory->isCuda};
  }
  HeldMemory held;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    bool isTuple = PyTuple_Check(object);
    for (Py_ssize_t i = 0; i < (isTuple ? PyTuple_Size(object) : PyList_Size(object)) && left && !held.isCuda; ++i) {
      Reference next = Reference::share(isTuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i));
      HeldMemory item = heldMemory(next.get(), left, depth + 1);
      held = {.isAny = held.isAny || item.isAny, .isCuda = item.isCuda};
    }
    return held;
  }
  static PyObject *base = name("base"), *block = name("block_shape");
  if (!PyObject_HasAttr(object, block) || !PyObject_HasAttr(object, base))
    return held;
  Reference tensor = attributeOf(object, base);
  return tensor ? heldMemory(tensor.get(), left, depth + 1) : held;
}

HeldMemory heldMemory(PyObject *object) {
  size_t left = 1 << 16;
  return heldMemory(object, left, 0);
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
