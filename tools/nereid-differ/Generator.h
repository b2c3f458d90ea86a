// Generator.h: makes random programs that are valid by construction: what a statement may use is decided by the types
// and the facts of the variables in scope. The families of operations stand in Generate*.cpp; each is a function that
// adds a few statements, or gives false where nothing in scope suits it.
#pragma once

#include "Facts.h"
#include "Program.h"
#include "runtime/Random.h"

#include <functional>
#include <optional>

namespace nereid::differ {

struct GeneratorOptions {
  bool contracts = false; // devices may fuse a product with a sum, and approximate divisions (GPUs)
  bool barriers = false;  // a barrier between a load and a store of the same memory (GPUs need it)
  bool warps = false;     // programs have their numbers of warps and stages (GPUs)
  bool isLarge = false;   // tiles and products as large as they are on GPUs, for programs that nothing runs
  // What language.md fixes for cpu and interp alone: division by 0, far shifts, casts beyond the type.
  bool isWild = false;
  bool integers = false;    // programs about integers: few other statements
  bool assertTypes = false; // state the type of every variable in the program, to check the generator itself
};

class Generator {
public:
  Generator(uint64_t seed, const GeneratorOptions &options);
  Program generate();

  // Chance.
  int64_t below(int64_t count) { return random.integer(0, count); }
  int64_t between(int64_t low, int64_t high) { return random.integer(low, high + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T> const T &choose(const std::vector<T> &items) { return items[below(int64_t(items.size()))]; }
  template <class T> T choose(std::initializer_list<T> items) { return items.begin()[below(int64_t(items.size()))]; }

  // Statements.
  Variable define(const TileType &type, const Facts &facts, const std::string &rhs);
  std::vector<Variable> defineAll(const std::vector<TileType> &types, const std::vector<Facts> &facts,
                                  const std::string &rhs);
  Variable definePointer(const TileType &pointee, const std::string &rhs);
  void assign(const Variable &variable, const Facts &facts, const std::string &rhs);
  void effect(const std::string &text);
  std::string newName(const char *prefix) { return prefix + std::to_string(nameCount++); }
  std::string addFunction(Function function);

  // Variables in scope.
  using Predicate = std::function<bool(const Variable &)>;
  std::optional<Variable> pick(const Predicate &isGood);
  // A variable of that type within the wished facts: one in scope, a load, or a constant.
  Variable obtain(const TileType &type, const Facts &wish);
  // Facts that a fresh tile of the type may have in this program.
  Facts randomWish(DType dtype);
  std::string literal(DType dtype, double value) const;
  Variable constant(const TileType &type, const Facts &wish);

  // Types.
  DType randomType();
  DType randomInteger();
  Extent extent(int64_t value); // a symbol with that value
  TileShape randomShape(int64_t limit);
  // That size, or a smaller one that is no power of two where the program has such tiles; `least` at least.
  Extent sizeOf(int64_t value, int64_t least = 1);
  // 0 … count - 1, or a few more for programs with large tiles: how often a size of products is doubled.
  int64_t doublings(int64_t count) { return below(count + 2 * options.isLarge); }
  // Whether all extents are powers of two, as back ends want them for sorts and for reshapes that mix axes.
  bool isEven(const TileShape &shape) const;
  int64_t value(const Extent &extent) const;
  int64_t count(const TileShape &shape) const { return value(product(shape)); }

  // Parameters.
  std::string addInteger(int64_t value, int64_t least = 0);
  std::string constantOrArgument(int64_t value) {
    return chance(50) ? std::to_string(value) : addInteger(value, value);
  }
  // A tensor that is read, with values within the wish, and at least `count` elements; an earlier one where it suits.
  std::string inputTensor(DType dtype, const Facts &wish, int64_t count, Facts &facts);
  // A new one.
  Parameter &freshTensor(DType dtype, const Facts &wish, int64_t count, Facts &facts);
  std::string outputTensor(DType dtype, const Facts &facts, int64_t count);
  Parameter &addTensor(DType dtype, int64_t count);
  Parameter &parameter(const std::string &name);

  // Cost: false when the statement would be too much work for a program.
  bool spend(int64_t elements);
  int64_t programs() const { return program.grid[0] * program.grid[1] * program.grid[2]; }

  // Runs `generate` with statements going to a block of their own; variables that it defines are forgotten.
  Block collect(const std::function<void()> &generate);
  void statements(int count);
  bool storeVariable(const Variable &variable);

  struct Counter {
    std::string name;
    int64_t count; // the values are 0 … count-1
  };

  Program program;
  GeneratorOptions options;
  runtime::Random random;
  std::vector<Variable> variables;
  std::vector<Counter> counters; // of the loops around
  Block *block = nullptr;
  unsigned loopLevel = 0, depth = 0;
  int64_t repeats = 1; // how often the statement under construction runs in a program
  bool isInFunction = false;
  bool isAboutProducts = false; // most of its work is a loop of products, as in kernels for tensor cores
  int leastWarps = 1;           // for tiles that are too large for fewer
  bool isUneven = false;        // tiles have extents that are no powers of two, too
  int64_t tileLimit = 4096;

private:
  int64_t unevenExtent(int64_t most);
  void start();
  void productStatements();
  void storeRest();
  void finish();
  bool hasManyProducts = false;
  int64_t work = 0, workLimit = 0;
  unsigned nameCount = 0;
};

// A family: how often it is chosen, and the function that adds its statements.
struct Family {
  int weight;
  bool isPure; // may stand in a function: touches no memory and defines no other function
  bool (*generate)(Generator &);
  bool isOfProducts = false;
  int asLoop = 0; // how often it is the loop of a program about products
};
const std::vector<Family> &elementwiseFamilies();
const std::vector<Family> &integerFamilies();
const std::vector<Family> &scalarFamilies();
const std::vector<Family> &mathFamilies();
const std::vector<Family> &libdeviceFamilies();
const std::vector<Family> &shapeFamilies();
const std::vector<Family> &reduceFamilies();
const std::vector<Family> &dotFamilies();
const std::vector<Family> &memoryFamilies();
const std::vector<Family> &controlFamilies();

// Memory accesses that other families use (GenerateMemory.cpp).
Variable loadTile(Generator &g, const TileType &type, const Facts &wish);
void storeTile(Generator &g, const Variable &variable);
// A loop over the columns of rows (GenerateRowLoop.cpp).
bool generateRowLoop(Generator &g);
// Such a tile, put together from others (GenerateRearranged.cpp).
Variable rearrangedTile(Generator &g, const TileType &type, const Facts &wish);

bool isArithmetic(DType dtype); // integers wider than a bit, and floats that are not fp8
DType promote(DType a, DType b, bool isDivision = false);
// The shape of two operands together; nothing where they do not broadcast.
std::optional<TileShape> broadcast(const TileShape &a, const TileShape &b);

} // namespace nereid::differ
