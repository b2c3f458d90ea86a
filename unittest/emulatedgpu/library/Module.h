// Module.h: a module of PTX as the emulated GPU runs it: its functions with their instructions decoded, and its variables.
#pragma once

#include "interp/ptx/Kernel.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::emulated {

namespace ptx = interp::ptx;

class Warp;
struct Act;
using Lanes = uint32_t; // a bit for each lane of a warp

// Where in the generic addresses each kind of memory lies; global memory is that of the host. A frame of calls has its own part of
// local memory and of parameters.
constexpr uint64_t kShared = 1024, kSharedEnd = uint64_t(1) << 18, kLocal = uint64_t(1) << 62,
                   kParameters = kLocal + (uint64_t(1) << 48), kWindowsEnd = kParameters + (uint64_t(1) << 48),
                   kFrameBytes = uint64_t(1) << 32;

enum class Space : uint8_t { Generic, Global, Shared, Local, Parameters };

// An instruction with what is the same each time it is executed.
struct Act {
  using Perform = void (*)(Warp &, const Act &, Lanes);

  const ptx::KernelInstruction *instruction = nullptr;
  Perform perform = nullptr;       // for the lanes that go together; null: `instruction->operation.execute`
  bool meetsAll = false;           // all lanes of the warp execute it together
  int membersAt = -1;              // the operand that says which lanes do
  std::vector<uint64_t> symbols;   // by address in brackets: of the symbol
  Space space = Space::Generic;    // of the first address
  uint8_t elements = 1, bytes = 4; // of an access
  bool isSigned = false;
  const struct Function *callee = nullptr;

  const ptx::Operation &operation() const { return instruction->operation; }
};

// Bytes of memory with a name.
struct Variable {
  uint64_t address = 0, bytes = 0;
};

struct Function {
  std::string name;
  ptx::Kernel kernel;
  std::vector<Act> acts;                      // by instruction
  std::vector<uint32_t> meets;                // by block: where lanes that part at its end meet again (Meet.h)
  std::map<std::string, Variable> parameters; // of it and of the functions that it calls, from kParameters on
  std::vector<Variable> ordered;              // its own, in order
  uint64_t parameterBytes = 0, localBytes = 0;
};

class Module {
public:
  // Throws std::runtime_error: what it does not know.
  explicit Module(std::string_view text);

  const Function &function(const std::string &name) const { return functions.at(name); }
  std::string_view line(uint32_t number) const; // of the text, from 1 on
  bool holds(uint64_t address, uint64_t bytes) const;

  uint64_t staticSharedBytes = 0;
  std::string target; // sm_90a

private:
  void readVariables();
  void readVariable(std::string_view statement, std::map<std::string, Variable> &into, uint64_t &end, uint64_t base);
  void readParameterOfCall(const std::string &statement, Function &function);
  void readFunction(std::string_view head, std::string_view body);
  void decode(Function &function);
  void resolve(const Function &function, Act &act, ptx::KernelInstruction &instruction);
  Variable find(const Function &function, const std::string &symbol) const;

  std::string text;
  std::map<std::string, Function> functions;
  std::map<std::string, Variable> variables; // of the module
  std::map<std::string, std::map<std::string, Variable>> locals;
  std::vector<std::unique_ptr<uint8_t[]>> contents;
};

// What an instruction does beyond arithmetic; false: it is none of these.
bool decodeAccess(Act &act);   // loads, stores, atomics
bool decodeExchange(Act &act); // between the lanes of a warp, and barriers
bool decodeMatrix(Act &act);
bool decodeAsync(Act &act); // copies beside the threads, and what waits for them
bool decodeCompute(Act &act);

} // namespace nereid::emulated
