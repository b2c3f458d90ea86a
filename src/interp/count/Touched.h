// Touched.h: the memory of a launch, sector by sector: who touched which bytes.
//
// Tensors get addresses as a GPU gives them: each begins at a multiple of 512, one behind the other in the order of the
// arguments. So counts do not depend on where the tensors of this process happen to lie.
#pragma once

#include "interp/Interp.h"
#include "interp/count/Cache.h"

namespace nereid::interp {

struct TouchedTensor {
  uint64_t begin, end;  // in this process
  uint64_t firstSector; // on the GPU: address / 32
  // For each sector: the last request and the last access of a tile that touched it, and the bytes of that request, of all
  // reads and of all writes, as a bit each; and the wave of programs that wrote it last.
  struct Sector {
    uint32_t request = 0, access = 0, requested = 0, read = 0, written = 0, writtenInWave = 0;
  };
  std::vector<Sector> sectors;
  std::vector<uint32_t> lines;   // the last request, for each 128 bytes
  std::vector<uint32_t> atomics; // where an atomic has begun, a bit for each byte; empty: nowhere
};

// Bytes that one source line has touched, by tensor; as bits of the sectors.
struct TouchedByLine {
  std::vector<std::vector<uint32_t>> read, written;
};

class Touched {
public:
  explicit Touched(const std::vector<Allocation> &allocations);

  TouchedTensor *find(uint64_t address);
  size_t indexOf(const TouchedTensor &tensor) const { return size_t(&tensor - tensors.data()); }
  size_t size() const { return tensors.size(); }
  // Distinct ones of which a byte was read.
  uint64_t sectorsRead() const;

private:
  std::vector<TouchedTensor> tensors; // by address
  TouchedTensor *last = nullptr;
};

} // namespace nereid::interp
