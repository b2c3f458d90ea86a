// Failure.h: why a launch stopped and what the checker found, in the words of every device. Standard library only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::runtime {

// A range in a source file, lines and columns from 1 (a line of 0: unknown), and the calls that led there, innermost
// first.
struct Place {
  std::string file;
  unsigned line = 0, column = 0, endColumn = 0;
  std::vector<Place> callers;
};

// Why a kernel cannot be translated, or why a launch stopped.
struct Failure {
  enum class Kind { None, Unsupported, BadLaunch, BadAccess, Arithmetic, Assert, Deadlock, StepLimit, Cancelled };
  Kind kind = Kind::None;
  std::string message;
  Place place;
  // The program instance that failed, where one did.
  std::array<uint32_t, 3> program{};

  explicit operator bool() const { return kind != Kind::None; }
};

// What the checker looks for.
enum class CheckKind : uint8_t {
  OutOfBounds,
  Misaligned,
  UndefinedLane,
  Race,
  AddressOverflow,
  NotFinite,
  Assert,
  Unwritten
};

// "out-of-bounds", "misaligned", "undefined-lane", "race", "address-overflow", "not-finite", "assert", "unwritten".
std::string_view name(CheckKind kind);

// One finding: a class of error at a source line, where it happened first, and how often.
struct CheckReport {
  CheckKind kind;
  Place place;
  std::string message;
  // Facts about the first occurrence, each a line, and the other place that takes part (a race).
  std::vector<std::string> notes;
  std::optional<Place> other;
  std::array<uint32_t, 3> program{};
  uint64_t count = 0;
  bool isOfLaunch = false; // and of no program
  bool isWarning = false;  // it may be meant so
};

} // namespace nereid::runtime
