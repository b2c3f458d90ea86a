// GdbInterface.cpp: gdb's "JIT compilation interface". gdb keeps a breakpoint in __jit_debug_register_code and reads
// __jit_debug_descriptor when it is hit; the names and layouts are its own.
#include "runtime/cpu/GdbInterface.h"

#include <cstdint>
#include <mutex>

extern "C" {
struct jit_code_entry {
  jit_code_entry *next;
  jit_code_entry *previous;
  const char *file;
  uint64_t size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action; // 0 nothing, 1 registered, 2 removed
  jit_code_entry *relevant;
  jit_code_entry *first;
};

__attribute__((noinline, used, visibility("default"))) void __jit_debug_register_code() {
  // A call that the compiler cannot drop.
  asm volatile("" ::: "memory");
}

__attribute__((used, visibility("default"))) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
}

namespace nereid::cpu {

struct GdbEntry {
  jit_code_entry entry{};
  std::vector<std::byte> file;
};

static std::mutex &listLock() {
  static std::mutex lock;
  return lock;
}

static void tellGdb(uint32_t action, jit_code_entry *entry) {
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = 0;
  __jit_debug_descriptor.relevant = nullptr;
}

static void removeEntry(GdbEntry *owner) {
  std::lock_guard guard(listLock());
  jit_code_entry &entry = owner->entry;
  (entry.previous ? entry.previous->next : __jit_debug_descriptor.first) = entry.next;
  if (entry.next)
    entry.next->previous = entry.previous;
  tellGdb(2, &entry);
  delete owner;
}

std::unique_ptr<GdbEntry, void (*)(GdbEntry *)> registerWithGdb(std::vector<std::byte> file) {
  auto *owner = new GdbEntry{{}, std::move(file)};
  jit_code_entry &entry = owner->entry;
  entry.file = reinterpret_cast<const char *>(owner->file.data());
  entry.size = owner->file.size();
  std::lock_guard guard(listLock());
  entry.next = __jit_debug_descriptor.first;
  if (entry.next)
    entry.next->previous = &entry;
  __jit_debug_descriptor.first = &entry;
  tellGdb(1, &entry);
  return {owner, removeEntry};
}

} // namespace nereid::cpu
