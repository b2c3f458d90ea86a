// ObjectFuzzer.cpp: bytes as an object of the CPU back end, as a damaged cache would give them. Loading may fail, and reads
// and writes nothing outside; what was loaded is never called.
// libraries: nereidRuntime
#include "runtime/cpu/LoadedObject.h"

using namespace nereid;

static int somewhere = 0;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cpu::LoadOptions options;
  // Every name has an address, so that an unknown one does not end the load early.
  options.resolve = [](std::string_view) -> void * { return &somewhere; };
  auto object = cpu::LoadedObject::load({reinterpret_cast<const std::byte *>(data), size}, options);
  if (object)
    (void)object->find("kernel");
  return 0;
}
