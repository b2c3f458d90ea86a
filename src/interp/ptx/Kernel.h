// Kernel.h: a whole kernel in PTX, as our code generator writes it, read so far that its way through its blocks can be
// followed (Walk.h): which instructions there are, at which line of the source, and how the values come about that
// branches and accesses to shared memory depend on.
#pragma once

#include "interp/ptx/Ptx.h"

#include <array>

namespace nereid::interp::ptx {

// Registers that every kernel has, before its own ones.
enum Special : uint32_t { kTid, kLane, kWarp, kThreads, kCtaid, kGrid = kCtaid + 3, kFirstRegister = kGrid + 3 };

// An operand in brackets: [%rd4+16], [shared_memory+180224].
struct KernelAddress {
  std::optional<uint32_t> base; // a register; none: a symbol
  std::string symbol;
  int64_t offset = 0; // behind it
};

struct KernelInstruction {
  // How a value comes about.
  enum class Role : uint8_t {
    Nothing, // writes no register
    Compute, // operation.execute
    Parameter,
    GlobalLoad,
    GlobalAtomic,
    SharedLoad,
    SharedStore,
    Shuffle,
    Reduce, // redux.sync
    Vote,
    Wait, // of an mbarrier, which is always over
    Elect,
    Unknown,
  };
  // What is counted of it.
  enum class Work : uint8_t {
    None,
    Tensor,
    Fp32,
    Barrier,
    SharedRead, // from here on: accesses to shared memory
    SharedWrite,
    SharedCopy, // cp.async
    SharedAtomic,
    MatrixRead,
    MatrixWrite
  };

  Operation operation; // operands in brackets are left out
  Role role = Role::Nothing;
  Work work = Work::None;
  uint8_t workCount = 1;         // matrices
  float fp32 = 0;                // Fp32: instructions of the machine for one
  uint32_t file = 0, line = 0;   // of the source; 0: none
  uint32_t ptxLine = 0;          // of the text, from 1 on
  std::vector<uint32_t> targets; // registers that it writes
  std::vector<KernelAddress> addresses;
  uint32_t parameter = 0;             // whose bytes Parameter reads
  uint32_t accessBytes = 4;           // of a thread, for shared and global memory
  bool addsOne = false;               // SharedAtomic: lanes with the same address go together
  std::optional<uint32_t> branchesTo; // a block
  bool isExit = false;

  // Of the first address.
  std::optional<uint32_t> address() const { return addresses.empty() ? std::nullopt : addresses[0].base; }
  int64_t offset() const { return addresses.empty() ? 0 : addresses[0].offset; }
};

struct KernelBlock {
  uint32_t begin = 0, end = 0; // of the instructions; a branch or an exit is the last one
};

struct Kernel {
  uint32_t registers = kFirstRegister;
  std::vector<KernelInstruction> instructions;
  std::vector<KernelBlock> blocks;                      // in the order of the text, which is that of falling through
  std::vector<std::string> files;                       // by number
  std::vector<std::pair<uint32_t, uint64_t>> constants; // registers that stand for numbers in lists such as {%r1, 0}
};

// Reads the entry or the function `name` of a module. Without a result, `error` says what it did not understand.
std::optional<Kernel> readKernel(std::string_view text, std::string_view name, std::string &error);

} // namespace nereid::interp::ptx
