#include "DebugSession.h"

#include "LaunchWords.h"
#include "ProgramNumbers.h"

#include "jit/Report.h"
#include "view/ValueText.h"

#include <charconv>

namespace nereid::tool {

// What of a tile is printed.
static constexpr int64_t kRows = 8, kColumns = 8;

DebugSession::DebugSession(const view::TraceRequest &request, Console &console)
    : request(request), console(console), memory(request.specialization.allocations) {}

void DebugSession::complain(const std::string &message, std::vector<std::string> notes) {
  hasErred = true;
  console.out.flush();
  fail(console, message, std::move(notes));
}

int DebugSession::follow(const std::array<uint32_t, 3> &wanted) {
  interp::TraceOptions options{
      .programs = {wanted}, .mostSteps = 100'000, .mostBytes = size_t(1) << 29, .mostBoxes = 0};
  Result<interp::Trace> traced = view::traceLaunch(request, options);
  memory.restore();
  if (!traced)
    return report(console, traced.error());
  console.out << traced->output;
  if (traced->programs.empty() || traced->programs[0].steps.empty()) {
    if (traced->failure)
      console.err << jit::renderFailure(request.module, traced->failure);
    return fail(console, "program " + programText(wanted) + " did nothing", {}, kCheckFailed);
  }
  program = wanted;
  trace = std::make_unique<interp::Trace>(std::move(*traced));
  stepper = std::make_unique<view::Stepper>(*trace, trace->programs[0]);
  console.out << request.binding.kernel->name << ": program " << programText(program) << ", " << stepper->size()
              << (stepper->size() == 1 ? " step" : " steps") << (trace->programs[0].isCut ? " and more" : "") << "\n";
  showLine();
  return kFine;
}

void DebugSession::obey(const std::string &line) {
  size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) // the command before, again
    return lastLine.empty() ? void() : obey(std::string(lastLine));
  std::string text = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
  lastLine = text;
  size_t space = text.find(' ');
  size_t rest = space == std::string::npos ? space : text.find_first_not_of(' ', space);
  obeyWord(text.substr(0, space), rest == std::string::npos ? "" : text.substr(rest));
}

void DebugSession::obeyWord(const std::string &word, const std::string &rest) {
  if (word == "next" || word == "n" || word == "step" || word == "s")
    return move(rest, 1);
  if (word == "back" || word == "b")
    return move(rest, -1);
  if (word == "continue" || word == "c")
    return run(1);
  if (word == "reverse" || word == "r")
    return run(-1);
  if (word == "break")
    return addStop(rest);
  if (word == "delete")
    return removeStop(rest);
  if (word == "print" || word == "p")
    return rest.empty() ? printNames() : print(rest);
  if (word == "names")
    return printNames();
  if (word == "touched")
    return printTouched();
  if (word == "where" || word == "w")
    return where();
  if (word == "list" || word == "l")
    return list();
  if (word == "help")
    return printHelp(*findVerb("debug"), console.out);
  if (word == "quit" || word == "q") {
    hasQuit = true;
    return;
  }
  if (word == "program") {
    if (rest.empty()) {
      console.out << "program " << programText(program) << " of " << programText(request.grid) << "\n";
    } else if (auto wanted = readProgram(rest, request.grid, console); !wanted || follow(*wanted)) {
      hasErred = true;
    }
    return;
  }
  std::vector<std::string> notes = suggestion(word, {"next", "back", "continue", "reverse", "break", "delete", "print",
                                                     "names", "touched", "where", "list", "program", "help", "quit"});
  notes.push_back("`help` lists the commands");
  complain("there is no command `" + word.substr(0, 80) + "`", std::move(notes));
}

void DebugSession::move(const std::string &count, int direction) {
  int64_t by = 1;
  auto [end, problem] = std::from_chars(count.data(), count.data() + count.size(), by);
  if (!count.empty() && (problem != std::errc() || end != count.data() + count.size() || by < 1 || by > 1'000'000))
    return complain("a number of steps is expected, not `" + count.substr(0, 80) + "`");
  if (!stepper->move(direction * by))
    console.out << (direction > 0 ? "the end of the program\n" : "the beginning of the program\n");
  showLine();
}

void DebugSession::run(int direction) {
  const view::Stop *reason = nullptr;
  if (stepper->run(direction, stops, &reason))
    console.out << "stop: " << reason->text << "\n";
  else
    console.out << (direction > 0 ? "the end of the program\n" : "the beginning of the program\n");
  showLine();
}

void DebugSession::addStop(const std::string &text) {
  if (text.empty()) {
    for (size_t i = 0; i < stops.size(); ++i)
      console.out << i + 1 << ": " << stops[i].text << "\n";
    if (stops.empty())
      console.out << "no stops\n";
    return;
  }
  std::optional<view::Stop> stop = view::parseStop(text);
  if (!stop)
    return complain("a stop is `14`, `nan`, `inf`, `acc > 10` or `14 if k == 3`, not `" + text.substr(0, 80) + "`");
  stops.push_back(std::move(*stop));
  console.out << "stop " << stops.size() << ": " << stops.back().text << "\n";
  if (std::string why = stepper->whyNever(stops.back()); !why.empty())
    console.out << "  " << why << "\n"; // another one may have it
}

void DebugSession::removeStop(const std::string &text) {
  size_t number = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 1 || number > stops.size())
    return complain("there is no stop `" + text.substr(0, 80) + "`: there are " + std::to_string(stops.size()));
  stops.erase(stops.begin() + int64_t(number - 1));
}

// `acc`, `acc[3]` or `acc[3, 5]` in its parts.
static bool splitIndices(const std::string &what, std::string &name, std::vector<int64_t> &indices) {
  size_t open = what.ends_with("]") ? what.rfind('[') : std::string::npos;
  name = what.substr(0, open);
  if (open == std::string::npos)
    return true;
  const char *at = what.data() + open + 1, *end = what.data() + what.size() - 1;
  while (at != end) {
    int64_t index = 0;
    auto [after, problem] = std::from_chars(at, end, index);
    if (problem != std::errc())
      return false;
    indices.push_back(index);
    for (at = after; at != end && (*at == ',' || *at == ' ');)
      ++at;
  }
  return !indices.empty();
}

void DebugSession::print(const std::string &what) {
  std::string name;
  std::vector<int64_t> indices;
  const interp::TracedValue *value = stepper->find(what); // names of parts have brackets: `pair[0]`
  if (!value && !splitIndices(what, name, indices))
    return complain("an element is written `acc[3]` or `acc[3, 5]`, not `" + what.substr(0, 80) + "`");
  if (!value)
    value = stepper->find(name);
  if (!value) {
    std::vector<std::string> names;
    for (const view::Stepper::Held &held : stepper->names())
      names.push_back(*held.name);
    return complain("`" + what.substr(0, 80) + "` has no value here", suggestion(what, names));
  }
  if (!value->isConstant && indices.size() > value->shape.size())
    return complain("`" + name + "` has " + std::to_string(value->shape.size()) + " axes, but " +
                    std::to_string(indices.size()) + " indices are given");
  for (size_t i = 0; i < indices.size(); ++i)
    if (value->isConstant || indices[i] < 0 || indices[i] >= value->shape[i])
      return complain("`" + what.substr(0, 80) + "` is outside of `" + name + "`, which is " + value->text);
  console.out << what << " = ";
  if (indices.empty())
    console.out << view::summaryText(*value, trace->tensors) << "\n";
  printTile(*value, indices);
}

void DebugSession::printRow(const interp::TracedValue &value, size_t first, int64_t count) {
  console.out << "[";
  for (int64_t i = 0; i < std::min(count, kColumns); ++i)
    console.out << (i ? ", " : "") << view::elementText(value, first + size_t(i), trace->tensors);
  console.out << (count > kColumns ? ", …]" : "]");
}

void DebugSession::printTile(const interp::TracedValue &value, const std::vector<int64_t> &indices) {
  if (value.bytes.empty() || value.element == interp::Element::Descriptor || value.shape.empty()) {
    if (!indices.empty())
      console.out << "not kept\n";
    return;
  }
  // The part that the indices leave.
  size_t first = 0;
  std::vector<int64_t> shape(value.shape.begin() + int64_t(indices.size()), value.shape.end());
  for (size_t i = 0; i < value.shape.size(); ++i)
    first = first * size_t(value.shape[i]) + size_t(i < indices.size() ? indices[i] : 0);
  view::Extent extent = view::extentOf(shape);
  if (shape.empty()) {
    console.out << view::elementText(value, first, trace->tensors) << "\n";
    return;
  }
  if (!indices.empty())
    console.out << "\n";
  for (int64_t row = 0; row < std::min(extent.rows, kRows); ++row) {
    console.out << "  ";
    printRow(value, first + size_t(row * extent.columns), extent.columns);
    console.out << "\n";
  }
  if (extent.rows > kRows)
    console.out << "  … " << extent.rows << " rows\n";
}

void DebugSession::printNames() {
  for (const view::Stepper::Held &held : stepper->names())
    console.out << (held.isNew ? "* " : "  ") << *held.name << " = " << view::summaryText(*held.value, trace->tensors)
                << "\n";
}

void DebugSession::printTouched() {
  static constexpr const char *kVerbs[] = {"loads", "stores", "changes"};
  for (uint32_t number : stepper->step().accesses) {
    const interp::TracedAccess &access = trace->programs[0].accesses[number];
    console.out << kVerbs[size_t(access.kind)] << " " << access.count - access.maskedCount << " elements";
    if (access.tensor >= 0)
      console.out << " of " << trace->tensors[size_t(access.tensor)].name;
    if (!access.touched.empty()) {
      const interp::ElementRun &last = access.touched.back();
      console.out << ", from " << access.touched.front().first << " to "
                  << last.first + (last.count - 1) * last.stride + last.length - 1;
    }
    if (access.maskedCount)
      console.out << ", " << access.maskedCount << " masked";
    console.out << "\n";
  }
  if (stepper->step().accesses.empty())
    console.out << "nothing\n";
}

std::string DebugSession::lineText(const runtime::Place &place) {
  SourceRef source = request.module.sourceOf(place.file);
  if (!source)
    return "";
  return std::string(source->line(place.line));
}

void DebugSession::showLine() {
  const runtime::Place &place = stepper->place();
  console.out << place.line << ": " << lineText(place) << "\n";
  if (stepper->at() + 1 == stepper->size())
    showFailure();
}

void DebugSession::showFailure() {
  if (trace->failure && trace->failure.program == program)
    console.out << jit::renderFailure(request.module, trace->failure);
}

void DebugSession::where() {
  const runtime::Place &place = stepper->place();
  console.out << "step " << stepper->at() + 1 << " of " << stepper->size() << ", program " << programText(program)
              << "\n"
              << "  " << place.file << ":" << place.line << ": " << lineText(place) << "\n";
  for (const runtime::Place &caller : place.callers)
    console.out << "  called from " << caller.file << ":" << caller.line << ": " << lineText(caller) << "\n";
}

void DebugSession::list() {
  runtime::Place place = stepper->place();
  SourceRef source = request.module.sourceOf(place.file);
  if (!source)
    return complain("`" + place.file + "` cannot be read");
  unsigned here = place.line, last = source->position(uint32_t(source->text().size())).line;
  for (unsigned line = here > 4 ? here - 4 : 1; line <= std::min(here + 4, last); ++line) {
    place.line = line;
    console.out << (line == here ? "> " : "  ") << line << ": " << lineText(place) << "\n";
  }
}

} // namespace nereid::tool
