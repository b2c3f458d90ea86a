// Program.h: a generated kernel with its arguments, in a form that can be printed as a .py file and made smaller.
//
// A statement is one line with one operation. Tile extents are products of named constexpr parameters (B0, B1, …), so
// that a smaller tile is another argument and not another text.
#pragma once

#include "nereid/tensor.hpp"

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace nereid::differ {

// factor * B[i] * B[j] …, the symbols in ascending order.
struct Extent {
  int64_t factor = 1;
  std::vector<unsigned> symbols;
  bool operator==(const Extent &) const = default;
  bool isOne() const { return factor == 1 && symbols.empty(); }
  std::string text() const;
};
Extent operator*(const Extent &a, const Extent &b);
using TileShape = std::vector<Extent>;

// "[B0, 2 * B1]", and "(B0 * 2 * B1)" for the number of elements.
std::string text(const TileShape &shape);
Extent product(const TileShape &shape);

struct TileType {
  DType dtype = DType::Int32;
  TileShape shape; // empty: a scalar
  bool operator==(const TileType &) const = default;
};
// "tl.float32"
std::string languageName(DType dtype);

// What is known of the values that a variable can hold: how a program stays free of undefined behaviour, and how far
// two devices may be apart. See Facts.h.
struct Facts {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double error = 0;            // two devices differ by no more than this; 0: they agree in every bit
  bool isIntegral = false;     // floats: whole numbers, and not -0
  bool isSpecial = false;      // floats: may be NaN, infinite or denormal
  bool isZeroUnsigned = false; // floats: the sign of a zero is not defined
  // Floats: the result of a multiplication or matrix product, which a device may fuse with an addition; the sum may then
  // differ by so many units in the last place.
  double fusedUnits = 0;
  double magnitude() const { return std::max(-low, high); }
  // Whether a value with the facts `other` can stand where one with these was expected.
  bool covers(const Facts &other) const;
};

struct Variable {
  std::string name;
  TileType type;
  Facts facts;
  bool isPointer = false; // or a descriptor: has no constant that could replace it
  unsigned loopLevel = 0;
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  std::string text;              // the right side where it defines something, a whole line, or the head of a block
  std::vector<Variable> defines; // `a, b = text`
  Block body, otherwise;         // of `for`, `while`, `if`
  std::string firstIndex;        // of `for`: what its variable is in the first round
  bool isFixed = false;          // never removed: the step of a `while`
  bool isCompound() const { return !body.empty() || !otherwise.empty(); }
};

struct Function {
  std::string name, decorator = "@triton.jit";
  std::vector<std::string> parameters;
  Block body;
  std::string result;
};

// How a tensor is filled. Integers: whole numbers in [low, high]. Uniform: any in [low, high]. Bits: any bits, with
// many special values.
enum class Fill { Integers, Uniform, Bits };

struct Parameter {
  enum class Kind { Tensor, Descriptor, Integer, Float, Boolean, Extent };
  Kind kind = Kind::Integer;
  std::string name;
  // Tensor, Descriptor
  DType dtype = DType::Int32;
  int64_t count = 0, offset = 0; // elements, and how many stand before the first one in its (aligned) memory
  Fill fill = Fill::Integers;
  double low = 0, high = 0;
  uint64_t seed = 0;
  double tolerance = 0;        // the largest difference of two devices that is no finding
  bool isZeroUnsigned = false; // -0 is as good as 0
  std::string aliasOf;         // a view of another tensor's memory, `offset` elements after its first
  Shape shape, strides, block; // Descriptor
  TileShape blockShape;        // of a generated one, of which `block` is the value
  // Integer, Boolean, Extent; Float
  int64_t integer = 0;
  double number = 0;
};

struct Program {
  uint64_t seed = 0;
  bool isExact = true;
  bool isDebug = false;            // device_assert is on
  int numWarps = 0, numStages = 0; // 0: the default
  std::array<int64_t, 3> grid{1, 1, 1};
  std::vector<Parameter> parameters;
  std::vector<Function> functions;
  Block body;

  const Parameter *find(const std::string &name) const;
};

// A program that can be run: its text and the arguments that the text uses. What replay files hold.
struct Case {
  std::string text;
  std::array<int64_t, 3> grid{1, 1, 1};
  bool isDebug = false;
  int numWarps = 0, numStages = 0;
  std::vector<Parameter> parameters;
};

// Prints the kernel, with the parameters that it uses and the functions that it calls.
Case makeCase(const Program &program);
// The .py file: the kernel after comment lines that describe the arguments.
std::string fileText(const Case &testCase, const std::string &title);
Result<Case> parseFile(const std::string &text);

// Whether a line of Python uses a name.
bool usesName(const std::string &text, const std::string &name);
bool usesName(const Statement &statement, const std::string &name);
bool usesName(const Block &block, const std::string &name);
bool definesName(const Block &block, const std::string &name); // perhaps not for the first time
void replaceName(std::string &text, const std::string &from, const std::string &to);

} // namespace nereid::differ
