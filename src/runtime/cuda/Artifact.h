// Artifact.h: the contract between code compiled for an NVIDIA GPU and the run time that launches it. Standard library
// only: what the code generator writes, the disk cache keeps and the launcher reads.
#pragma once

#include "runtime/Site.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nereid::cuda {

// A tensor map (TMA descriptor) that the launcher makes from words of the launch and passes by value. All axes are in the
// order of the source, the last one contiguous. What the launch gives may be none that TMA can read (an
// extent of 0): acceptsTensorMaps of TensorMaps.h says so, and another kernel is launched that uses no maps.
struct TensorMap {
  enum class Element : uint8_t { U8, U16, U32, I32, U64, I64, F16, F32, F64, BF16 }; // the driver's own numbers
  enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

  // factor * words…, modulo 2^64
  struct Number {
    int64_t factor = 1;
    uint8_t count = 0; // of the words
    std::array<uint16_t, 3> words{};
    std::array<uint8_t, 3> bytes{}; // 4 or 8: the width of each word, sign-extended
    bool isNarrow = false;          // the result is cut to 32 bits and sign-extended, as the kernel's own product is
  };

  uint32_t word = 0; // of the base: a pointer
  Element element = Element::U8;
  uint8_t elementBytes = 1;
  uint8_t rank = 0;
  std::array<uint32_t, 5> box{}; // what one copy moves, in elements
  Swizzle swizzle = Swizzle::None;
  bool fillsNan = false;                  // what lies outside reads as NaN instead of zero
  std::array<Number, 5> extents, strides; // in elements; the last stride is not read
};

// One parameter of the device function, in its order. Kernels without tensor maps take what Triton's take, so that any
// launcher for those can start them: the words, then two pointers, to scratch memory and to what Triton's profiler
// would fill, which for us is the report.
struct Parameter {
  enum class Kind : uint8_t {
    Word,      // the low `bytes` bytes of the launch's word `index`
    TensorMap, // 128 bytes, aligned to 64: the artifact's tensor map `index`
    Scratch,   // null: Triton's launchers pass scratch memory here, which our kernels do not need
    Report,    // a pointer to the launch's Report; null: nobody reads one
  };
  Kind kind = Kind::Word;
  uint32_t index = 0;
  uint32_t bytes = 8; // Word: 1, 2, 4 or 8
};

// Where a running kernel tells the host of prints and failed assertions: memory that both see. A print is one record of
// each thread, at `data + atomicAdd(used, size)`, dropped when it would end behind `capacity`; its size is a multiple of
// 16, and all of its bytes are written:
//   uint32 size, site, program[3], thread, 0, 0     then, until `size`, one entry for each element that the thread holds:
//   uint32 value, uint32 index, uint64 bits         which of the site's values, its row-major index, the element's bits
// Entries whose value is 0xffffffff are padding (an element that another thread prints). A print without values is one
// record of one thread. A failed assertion or a division by zero sets `failed` from 0 to site + 1 (atomicCAS), and the
// one that did writes `program`; its program ends. (A trap would cost the process its GPU.)
struct Report {
  uint32_t used = 0, capacity = 0;
  uint32_t failed = 0;
  uint32_t program[3] = {};
  uint64_t data = 0; // the address of the records
  // Marks of scopes: the warps of all programs come one behind the other, `warps` of each program, and each has room for `marks` of them; those
  // from `markedWarps` on write none. What no warp wrote is zero.
  uint32_t warps = 0, marks = 0;
  uint32_t markedWarps = 0;
  uint64_t markData = 0; // the address of the first
};

// The first thread of a warp came to the begin or to the end of a scope.
struct Mark {
  uint64_t site;   // 2 * (number of the site + 1), and 1 more for an end; 0: no mark
  uint64_t time;   // of the GPU, in nanoseconds
  uint64_t cycles; // of the multiprocessor
};

using runtime::Site;

// What the assembler made of a kernel.
struct Resources {
  uint32_t registers = 0;   // for each thread
  uint32_t localBytes = 0;  // for each thread: spills and what is addressed
  uint32_t sharedBytes = 0; // static, for each block; the dynamic ones come on top
  uint32_t maxThreads = 0;  // of a block, with so many registers
};

// A kernel compiled for one kind of GPU. The code generator fills everything above `image`.
struct Artifact {
  std::string name;   // the entry in the PTX
  std::string target; // "sm_90a": what the PTX says it needs
  std::string ptx;
  uint32_t threads = 128;          // of a block, producer warps included
  uint32_t sharedBytes = 0;        // dynamic
  bool isCooperative = false;      // all blocks run at the same time
  bool launchesDependents = false; // programmatic dependent launch: waits for the kernel before it by itself
  std::vector<Parameter> parameters;
  std::vector<TensorMap> tensorMaps;
  std::vector<Site> sites;
  std::vector<std::string> wordNames; // for messages; may be fewer than there are words
  bool hasForeignCode = false;        // inline assembly, libraries: what the assembler refuses may be the user's

  std::vector<std::byte> image; // machine code; empty: only PTX so far
  Resources resources;          // of `image`
  std::string remarks;          // what the assembler said
};

} // namespace nereid::cuda
