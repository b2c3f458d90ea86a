// Memory.h: the tensors of one run: filled from their seeds, each between two pages that fault when touched, so that an
// access out of bounds ends the run instead of reading what happens to be there.
#pragma once

#include "Program.h"

#include <map>

namespace nereid::differ {

class Memory {
public:
  static Result<Memory> make(const std::vector<Parameter> &parameters, bool fills = true);
  Memory(Memory &&) = default;
  Memory &operator=(Memory &&) = default;

  // The tensor of a Tensor or Descriptor parameter.
  const Tensor &tensor(const std::string &name) const { return tensors.at(name); }

  // One mapping: the tensor's bytes and what stands before and after them on its pages.
  struct Mapping {
    std::byte *begin = nullptr; // the first guard page
    size_t bytes = 0;           // with both guard pages
    Mapping(std::byte *begin, size_t bytes) : begin(begin), bytes(bytes) {}
    Mapping(Mapping &&other) : begin(std::exchange(other.begin, nullptr)), bytes(other.bytes) {}
    ~Mapping();
    std::byte *usable() const;
    size_t usableBytes() const;
  };
  const Mapping &mapping(const std::string &name) const { return mappings.at(name); }

private:
  Memory() = default;
  std::map<std::string, Mapping> mappings;
  std::map<std::string, Tensor> tensors;
};

// Writes the values that the parameter's fill and seed say.
void fillTensor(const Parameter &parameter, std::byte *data);

} // namespace nereid::differ
