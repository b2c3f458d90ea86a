// Places.h: from any line of any stage back to the source.
//
// Before the first pass, the location of every op is replaced by a number: `loc("view":17:1)`. Numbers go through all
// passes, through LLVM's debug information and into the `.loc` of assembly as lines do, and the table here says what
// each one stands for: the line itself and the lines of the calls that led to it. So nothing is lost where a function was
// inlined, although a line table has one line for an instruction.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nereid::view {

struct SourceLine {
  uint32_t file = 0; // of Places::files
  uint32_t line = 0, column = 0;
  bool operator==(const SourceLine &) const = default;
};

class Places {
public:
  // Innermost first. Number 0 is no place.
  using Lines = std::vector<SourceLine>;

  // Replaces the locations of all ops in the module.
  void number(mlir::ModuleOp module);
  // The number of a location: one that was numbered, or one as the front end makes it.
  uint32_t numberOf(mlir::Location loc);

  const std::vector<std::string> &files() const { return fileNames; }
  const std::vector<Lines> &all() const { return places; }
  bool has(uint32_t number) const { return number < places.size(); }
  uint32_t fileNumber(const std::string &name);
  // The number of these lines.
  uint32_t intern(Lines lines);

private:
  void collect(mlir::Location loc, Lines &lines);

  std::vector<std::string> fileNames;
  std::vector<Lines> places{{}};
  std::map<std::string, uint32_t> fileNumbers;
  std::map<std::vector<uint32_t>, uint32_t> numbers;
  std::map<const void *, uint32_t> known; // by location
};

} // namespace nereid::view
