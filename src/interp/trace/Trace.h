// Trace.h: what programs of a launch did, statement by statement.
#pragma once

#include "interp/Element.h"
#include "runtime/Argument.h"
#include "runtime/Failure.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nereid::interp {

// Elements `first`, `first + 1` … of a tensor, `length` of them; and the same again, `count` times in all, `stride` apart.
struct ElementRun {
  int64_t first = 0, length = 0, count = 1, stride = 0;
};

// One execution of a load, store or atomic.
struct TracedAccess {
  enum class Kind : uint8_t { Load, Store, Atomic } kind = Kind::Load;
  uint32_t place = 0;                      // of Trace::places
  int32_t tensor = -1;                     // of Trace::tensors; -1: none of them
  std::vector<ElementRun> touched, masked; // the second: behind a false mask, or outside of a described tensor
  uint64_t count = 0, maskedCount = 0;     // elements of the tile
  uint64_t masksOutside = 0;               // of the masked ones, those that no tensor has
  bool isCut = false;                      // there are more runs
};

// A value that a name got: a constant has a text only.
struct TracedValue {
  std::string text; // its type, or the constant
  Element element = Element::I32;
  bool isSigned = true, isConstant = false;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes; // empty: it was too much to keep
};

struct TraceStep {
  uint32_t place = 0; // of the statement
  uint32_t frame = 0; // the calls that led there: of Trace::frames
  struct Assignment {
    uint32_t name = 0, value = 0; // of Trace::names, of ProgramTrace::values
  };
  std::vector<Assignment> assigned;
  std::vector<uint32_t> accesses; // of ProgramTrace::accesses
};

struct ProgramTrace {
  std::array<uint32_t, 3> program{};
  std::vector<TraceStep> steps;
  std::vector<TracedValue> values;
  std::vector<TracedAccess> accesses;
  bool isCut = false; // it did more than there was room for
  double work = 0;    // elements that it computed; for a product each one as often as it was added to
};

// Where an access of any program lies, as a box of rows and columns of a tensor.
struct TouchedBox {
  uint64_t program = 0; // its number, x fastest
  uint32_t place = 0;
  uint16_t tensor = 0;
  bool isStore = false;
  int64_t top = 0, left = 0, bottom = 0, right = 0; // both ends included
};

struct Trace {
  struct Name {
    std::string text;
    uint32_t frame = 0; // whose local it is
  };
  std::vector<Name> names;
  std::vector<std::string> frames; // a key for each chain of calls; the first one is the kernel itself
  std::vector<runtime::Place> places;
  std::vector<runtime::Allocation> tensors;
  std::vector<ProgramTrace> programs;
  std::vector<TouchedBox> boxes;
  runtime::Failure failure; // of the launch
  std::string output;       // what device_print wrote
};

// A tensor as rows and columns: all axes but the last are rows.
struct Grid2D {
  int64_t rows = 1, columns = 1;
};
Grid2D gridOf(const runtime::Allocation &tensor);

// The number that an element holds; of a pointer its address.
double numberAt(const TracedValue &value, size_t index);

} // namespace nereid::interp
