// LoadedObject.h: compiled code in memory, ready to be called. A loader for the objects that our code generator writes:
// no linker, no LLVM, and no trust in the bytes, which may come from a damaged cache.
#pragma once

#include "nereid/result.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid::cpu {

struct GdbEntry;

// The address of a function that an object calls by name, or null.
using Resolver = void *(*)(std::string_view name);

struct LoadOptions {
  Resolver resolve = nullptr; // asked before the functions that the run time knows (RuntimeFunctions.h)
  bool forDebugger = true;    // tell gdb about the code and its line tables; costs a copy of the object
};

class LoadedObject {
public:
  // Fails when the bytes are no object for this machine, or are damaged.
  static Result<LoadedObject> load(std::span<const std::byte> object, const LoadOptions &options = {});
  LoadedObject(LoadedObject &&other) noexcept;
  LoadedObject &operator=(LoadedObject &&other) noexcept;
  // Unmaps the code: nothing of it may run any more.
  ~LoadedObject();

  // The address of a global function of the object, or null.
  void *find(std::string_view name) const;
  // Of the mapping, for tools.
  std::span<const std::byte> memory() const { return {base, size}; }

private:
  friend class ObjectLoader;
  struct Function {
    std::string name;
    void *address;
    size_t size;
  };

  LoadedObject() = default;

  std::byte *base = nullptr;
  size_t size = 0;
  std::vector<Function> functions;
  std::unique_ptr<GdbEntry, void (*)(GdbEntry *)> gdb{nullptr, nullptr};
};

} // namespace nereid::cpu
