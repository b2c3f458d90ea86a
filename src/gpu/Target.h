// Target.h: the GPU that code is made for, as facts. Passes and lowering ask what it has; which one has what is said once, in
// the folder of its vendor (nvidia/Target.cpp).
#pragma once

#include <cstdint>
#include <string>

namespace nereid::gpu {

struct Target {
  std::string name;        // as its assembler has it: "sm_90a"
  unsigned capability = 0; // 90 for "sm_90a": for texts and messages; 0: no GPU that we know
  unsigned warpSize = 32;
  uint64_t sharedBytes = 0;                            // of one program
  unsigned registers = 65536, registersOfThread = 255; // of 32 bits: those of a multiprocessor, the most of a thread
  unsigned warps = 64;                                 // of a multiprocessor
  bool isSupported = false;                            // we make code for it
  // What loads and stores can do.
  bool hasAsyncCopies = false;                   // from global to shared memory, beside the program (cp.async)
  bool hasTma = false;                           // of blocks, by their tensor maps
  bool hasCachePolicies = false;                 // what the L2 cache gives up first or last, said by each of them
  bool hasLdmatrix = false, hasStmatrix = false; // of 8x8 matrices, a row from each lane
  bool hasBf16Atomics = false;                   // additions of bf16
  bool hasVectorAtomics = false;                 // of 16 bytes at once
  bool hasBf16Casts = false;                     // of integers, rounded once
  // What products take.
  bool hasMma = false;           // m16n8 of warps: f16, bf16, tf32, int8
  bool hasDoubleMma = false;     // m8n8k4 of f64
  bool hasLongDoubleMma = false; // and m16n8k8, m16n8k16
  bool hasFp8 = false;           // products of e4m3 and e5m2, and casts to and from them
  bool hasWgmma = false;         // of four warps, from shared memory
  // What a grid can do.
  bool hasClusters = false;       // several blocks of a cluster share their memory
  bool hasDependentGrids = false; // a grid starts before the one that it waits for has ended

  // How many blocks find room in a multiprocessor, but for their registers.
  unsigned mostBlocks(unsigned threads, uint64_t sharedBytesOfBlock) const;
};

// The facts of the GPU that has this name for its assembler ("sm_80"); of a name that none has, none.
Target targetOf(const std::string &name);
// "sm_90a" for what people write: `sm90`, `90`, `sm_90a`. Empty where it names no kind of GPU.
std::string targetNamed(const std::string &text);

} // namespace nereid::gpu
