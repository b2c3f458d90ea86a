// Mappings.cpp: how far memory reaches of which an object tells nothing but the address. Compiled code that goes wrong there is stopped by
// a signal's handler; the interpreter looks before it touches, so it has to know.
#include "Memory.h"

#include "jit/Bind.h"

#include <cstdio>
#include <fstream>
#include <string>

namespace nereid::python {

namespace {

struct Mapped {
  uint64_t bytes = 0;
  bool isWritable = false;
};

// What is mapped from an address on, as long as it is of one kind: all may be written, or nothing.
Mapped mappedFrom(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  Mapped mapped;
  uint64_t end = address;
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0, last = 0;
    char modes[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &first, &last, modes) != 3 || last <= end)
      continue;
    bool isWritable = modes[1] == 'w';
    if (first > end || modes[0] != 'r' || (mapped.bytes && isWritable != mapped.isWritable))
      break;
    end = last;
    mapped = {end - address, isWritable};
  }
  return mapped;
}

void bound(jit::HostValue &value) {
  for (jit::HostValue &item : value.items)
    bound(item);
  if (value.kind != jit::HostValue::Kind::Tensor || !value.tensor)
    return;
  auto address = reinterpret_cast<uint64_t>(value.tensor->data());
  uint64_t size = bytesOf(value.tensor->dtype()), bytes = static_cast<uint64_t>(value.tensor->count()) * size;
  if (address + bytes + size <= kEndOfMemory)
    return;
  Mapped mapped = mappedFrom(address);
  value.tensor =
      Tensor::borrow(value.tensor->data(), value.tensor->dtype(), {static_cast<int64_t>(mapped.bytes / size)});
  value.isReadOnly |= mapped.bytes && !mapped.isWritable;
}

} // namespace

void boundByMappings(jit::Binding &binding) {
  for (jit::HostValue &value : binding.values)
    bound(value);
}

} // namespace nereid::python
