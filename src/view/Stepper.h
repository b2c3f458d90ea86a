// Stepper.h: walks through what one program did: a position, stops, and what names hold there.
#pragma once

#include "interp/trace/Trace.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace nereid::view {

// Where a walk stops: at a line, or where a name gets a value that meets a condition.
struct Stop {
  std::string text; // as it was written
  unsigned line = 0;
  enum class Test { None, Nan, Infinite, Less, LessEqual, Greater, GreaterEqual, Equal } test = Test::None;
  std::string name; // of the last five
  double limit = 0;
};
// `14`, `nan`, `inf`, `acc > 10`, `14 if k == 3`. Nothing where it is none of these.
std::optional<Stop> parseStop(const std::string &text);

class Stepper {
public:
  Stepper(const interp::Trace &trace, const interp::ProgramTrace &program) : trace(trace), program(program) {}

  size_t at() const { return position; }
  size_t size() const { return program.steps.size(); }
  const interp::TraceStep &step() const { return program.steps[position]; }
  const runtime::Place &place() const { return trace.places[step().place]; }
  // False: there is nothing further.
  bool move(int64_t by);
  // To the next step (or, backwards, the one before) where something stops; false: to the end.
  bool run(int direction, const std::vector<Stop> &stops, const Stop **reason);

  // Why this program never comes to the stop: no step at its line, no value for its name. Empty: it may.
  std::string whyNever(const Stop &stop) const;

  // What a name holds behind this step; of this function's names, else of the kernel's. Null: nothing yet.
  const interp::TracedValue *find(const std::string &name) const;
  // All names of this function that hold something, and whether this step has set them.
  struct Held {
    const std::string *name;
    const interp::TracedValue *value;
    bool isNew;
  };
  std::vector<Held> names() const;

private:
  bool stopsAt(size_t index, const Stop &stop) const;
  bool meets(size_t index, const Stop &stop) const;
  const interp::TracedValue *heldAt(const std::string &name, uint32_t frame, size_t index) const;

  const interp::Trace &trace;
  const interp::ProgramTrace &program;
  size_t position = 0;
};

} // namespace nereid::view
