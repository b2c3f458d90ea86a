// CallShape.h: the outside of a call: how many arguments, their names and kinds; and what of each argument's value the
// compiler is told. Calls from one place in a program have one shape, so it is worked out once (Triton's rules, as
// Specialize.cpp has them) and then only compared.
#pragma once

#include "lang/Function.h"
#include "nereid/nereid.h"

#include "jit/call/CallKey.h"

#include <array>
#include <atomic>
#include <optional>

namespace nereid::jit {

struct ArgumentPlan {
  enum class Role : uint8_t {
    Constant,   // its value is part of the key
    Integer,    // its width, whether it is 1, whether 16 divides it
    TypedWhole, // annotated with an integer type: must fit, and whether 16 divides it
    Value,      // nothing: a float, a bool
    Tensor,     // its element type, and whether 16 divides its address
  } role = Role::Value;
  int32_t kind = 0;       // nereid_argument_kind
  int32_t parameter = -1; // -1: a launch option (num_warps)
  bool mayBeOne = false, mayDivide = false;
  bool isUnsigned = false; // TypedWhole, with
  uint8_t width = 64;
  std::string name; // empty: by position
};

class CallShape {
public:
  bool matches(const nereid_argument *arguments, size_t count) const;
  // Adds what of the arguments' values decides the code. With `allValues` every value does (a heuristic sees it).
  // False when the call is none for the fast path: it is wrong, or unusual.
  bool addTo(CallKey &key, const nereid_argument *arguments, bool allValues) const;

  std::vector<ArgumentPlan> plans;
  std::vector<int32_t> argumentOf; // by parameter; -1: it is not given
  // Tuples, descriptors, mistakes: such calls go the long way.
  bool isSimple = false;
  CallShape *next = nullptr;
};

// The shapes in which a kernel was called so far; grows without locks.
class CallShapes {
public:
  explicit CallShapes(const lang::Function &kernel) : kernel(kernel) {}
  CallShapes(const CallShapes &) = delete;
  ~CallShapes();
  // The shape of this call.
  const CallShape &of(const nereid_argument *arguments, size_t count);

private:
  CallShape *make(const nereid_argument *arguments, size_t count) const;
  const lang::Function &kernel;
  static constexpr size_t kMaxShapes = 256;
  std::atomic<CallShape *> head{nullptr};
  std::atomic<size_t> size{0};
};

} // namespace nereid::jit
