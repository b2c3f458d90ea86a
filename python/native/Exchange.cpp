#include "Exchange.h"

#include "nereid/dlpack.hpp"

namespace nereid::python {

// The layout of version 1 of DLPack's `DLPackExchangeAPI`.
struct Exchange {
  uint32_t major, minor;
  const Exchange *older;
  void *allocate, *fromPython, *toPython;
  int (*view)(void *tensor, dlpack::TensorView *view); // not 0: a Python error is set
  int (*currentStream)(int32_t deviceType, int32_t ordinal, void **stream);
};

// Types that answer for their tensors themselves are asked themselves.
static bool looksLikeTorchs(PyObject *type) {
  Reference plain = importedAttribute("torch", "Tensor");
  if (!plain)
    return false;
  for (const char *attribute : {"__torch_dispatch__", "data_ptr"})
    if (attributeOf(type, attribute).get() != attributeOf(plain.get(), attribute).get())
      return false;
  return true;
}

const Exchange *exchangeOf(PyTypeObject *type) {
  auto *cls = reinterpret_cast<PyObject *>(type);
  Reference capsule = attributeOf(cls, "__dlpack_c_exchange_api__");
  if (!capsule || !PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api") || !looksLikeTorchs(cls))
    return nullptr;
  auto *found = static_cast<const Exchange *>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  while (found && found->major > 1)
    found = found->older;
  return found && found->major == 1 && found->view ? found : nullptr;
}

// The bytes of a contiguous tensor; nothing for others.
static std::optional<uint64_t> contiguousBytes(const dlpack::TensorView &view) {
  int64_t count = 1;
  for (int32_t i = view.rank; i-- > 0;) {
    if (view.strides && view.shape[i] != 1 && view.strides[i] != count)
      return std::nullopt;
    count *= view.shape[i];
  }
  return static_cast<uint64_t>(count) * view.dtype.bits / 8;
}

std::optional<Memory> exchangedMemory(const Exchange &exchange, PyObject *tensor) {
  dlpack::TensorView view{};
  if (exchange.view(tensor, &view) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const dlpack::TypeRow *row = dlpack::rowOf(view.dtype);
  bool isCuda = view.device.type == dlpack::kCuda;
  if (!row || (!isCuda && view.device.type != dlpack::kCpu))
    return std::nullopt;
  // How long it is matters only where tensors that overlap get code of their own.
  std::optional<uint64_t> bytes = isCuda ? 0 : contiguousBytes(view);
  if (!bytes)
    return std::nullopt;
  return Memory{reinterpret_cast<uint64_t>(view.data) + view.byteOffset, *bytes, row->dtype, isCuda, false};
}

std::optional<void *> exchangedStream(const Exchange &exchange, int ordinal) {
  void *stream = nullptr;
  if (exchange.currentStream && exchange.currentStream(dlpack::kCuda, ordinal, &stream) == 0)
    return stream;
  PyErr_Clear();
  return std::nullopt;
}

} // namespace nereid::python
