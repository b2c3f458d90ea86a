#include "view/Stepper.h"

#include "view/ValueText.h"

#include <algorithm>
#include <charconv>

namespace nereid::view {

static std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

template <typename T> static bool readNumber(const std::string &text, T &value) {
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

// `acc > 10` into a stop.
static bool parseComparison(const std::string &text, Stop &stop) {
  static constexpr std::pair<const char *, Stop::Test> kOperators[] = {{"<=", Stop::Test::LessEqual},
                                                                       {">=", Stop::Test::GreaterEqual},
                                                                       {"==", Stop::Test::Equal},
                                                                       {"<", Stop::Test::Less},
                                                                       {">", Stop::Test::Greater}};
  for (auto [op, test] : kOperators) {
    size_t at = text.find(op);
    if (at == std::string::npos)
      continue;
    stop.name = trimmed(text.substr(0, at));
    stop.test = test;
    return !stop.name.empty() && readNumber(trimmed(text.substr(at + std::string_view(op).size())), stop.limit);
  }
  return false;
}

std::optional<Stop> parseStop(const std::string &whole) {
  Stop stop{.text = trimmed(whole)};
  std::string condition = stop.text;
  if (size_t word = condition.find(" if "); word != std::string::npos) {
    if (!readNumber(trimmed(condition.substr(0, word)), stop.line) || stop.line == 0)
      return std::nullopt;
    condition = trimmed(condition.substr(word + 4));
  } else if (readNumber(condition, stop.line)) {
    return stop.line ? std::optional(stop) : std::nullopt;
  }
  if (condition == "nan")
    stop.test = Stop::Test::Nan;
  else if (condition == "inf")
    stop.test = Stop::Test::Infinite;
  else if (!parseComparison(condition, stop))
    return std::nullopt;
  return stop;
}

static bool meetsTest(const interp::TracedValue &value, const Stop &stop) {
  Statistics found;
  if (value.isConstant) {
    if (!readNumber(value.text, found.low))
      return false;
    found.high = found.low, found.finite = 1;
  } else if (value.bytes.empty() || value.element >= interp::Element::Pointer) {
    return false;
  } else {
    found = statisticsOf(value);
  }
  switch (stop.test) {
  case Stop::Test::Nan: return found.nans > 0;
  case Stop::Test::Infinite: return found.infinities > 0;
  case Stop::Test::Less: return found.finite && found.low < stop.limit;
  case Stop::Test::LessEqual: return found.finite && found.low <= stop.limit;
  case Stop::Test::Greater: return found.finite && found.high > stop.limit;
  case Stop::Test::GreaterEqual: return found.finite && found.high >= stop.limit;
  case Stop::Test::Equal: break;
  case Stop::Test::None: return true;
  }
  if (value.isConstant)
    return found.low == stop.limit;
  for (size_t i = 0; i < value.bytes.size() / interp::byteSize(value.element); ++i)
    if (interp::numberAt(value, i) == stop.limit)
      return true;
  return false;
}

bool Stepper::move(int64_t by) {
  int64_t to = std::clamp<int64_t>(int64_t(position) + by, 0, int64_t(size()) - 1);
  bool hasMoved = to != int64_t(position);
  position = size_t(to);
  return hasMoved;
}

// Whether a value that the step gives to a name meets the condition; at a line, what the name holds there.
bool Stepper::meets(size_t index, const Stop &stop) const {
  const interp::TraceStep &step = program.steps[index];
  if (stop.line && !stop.name.empty()) {
    const interp::TracedValue *value = heldAt(stop.name, step.frame, index);
    return value && meetsTest(*value, stop);
  }
  return std::ranges::any_of(step.assigned, [&](const interp::TraceStep::Assignment &each) {
    return (stop.name.empty() || trace.names[each.name].text == stop.name) &&
           meetsTest(program.values[each.value], stop);
  });
}

bool Stepper::stopsAt(size_t index, const Stop &stop) const {
  if (stop.line && trace.places[program.steps[index].place].line != stop.line)
    return false;
  return stop.test == Stop::Test::None || meets(index, stop);
}

std::string Stepper::whyNever(const Stop &stop) const {
  auto isThere = [&](const interp::TraceStep &step) { return trace.places[step.place].line == stop.line; };
  if (stop.line && std::ranges::none_of(program.steps, isThere))
    return "no step of this program is at line " + std::to_string(stop.line);
  auto sets = [&](const interp::TraceStep &step) {
    return std::ranges::any_of(step.assigned, [&](const interp::TraceStep::Assignment &each) {
      return trace.names[each.name].text == stop.name;
    });
  };
  if (!stop.name.empty() && std::ranges::none_of(program.steps, sets))
    return "no step of this program gives `" + stop.name.substr(0, 80) + "` a value";
  return "";
}

bool Stepper::run(int direction, const std::vector<Stop> &stops, const Stop **reason) {
  for (int64_t index = int64_t(position) + direction; index >= 0 && index < int64_t(size()); index += direction)
    for (const Stop &stop : stops)
      if (stopsAt(size_t(index), stop)) {
        position = size_t(index);
        *reason = &stop;
        return true;
      }
  move(direction > 0 ? int64_t(size()) : -int64_t(size()));
  return false;
}

const interp::TracedValue *Stepper::heldAt(const std::string &name, uint32_t frame, size_t index) const {
  for (size_t i = index + 1; i-- > 0;)
    for (size_t k = program.steps[i].assigned.size(); k-- > 0;) {
      const interp::TraceStep::Assignment &each = program.steps[i].assigned[k];
      if (trace.names[each.name].frame == frame && trace.names[each.name].text == name)
        return &program.values[each.value];
    }
  return nullptr;
}

const interp::TracedValue *Stepper::find(const std::string &name) const {
  const interp::TracedValue *own = heldAt(name, step().frame, position);
  return own || step().frame == 0 ? own : heldAt(name, 0, position);
}

std::vector<Stepper::Held> Stepper::names() const {
  std::map<uint32_t, Held> held; // by name
  for (size_t i = 0; i <= position; ++i)
    for (const interp::TraceStep::Assignment &each : program.steps[i].assigned)
      if (trace.names[each.name].frame == step().frame)
        held[each.name] = {&trace.names[each.name].text, &program.values[each.value], i == position};
  std::vector<Held> list;
  for (const auto &[name, entry] : held)
    list.push_back(entry);
  return list;
}

} // namespace nereid::view
