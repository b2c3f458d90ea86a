// Reports.cpp: one report for each class of error and source line, with a count.
#include "interp/check/Checker.h"

#include "interp/Launch.h"

namespace nereid::interp {

bool Checker::isWanted(CheckKind kind) const {
  switch (kind) {
  case CheckKind::OutOfBounds: return options.outOfBounds;
  case CheckKind::Misaligned: return options.misaligned;
  case CheckKind::UndefinedLane: return options.undefinedLanes;
  case CheckKind::Race: return options.races;
  case CheckKind::AddressOverflow: return options.addressOverflow;
  case CheckKind::NotFinite: return options.notFinite;
  case CheckKind::Assert: return options.asserts;
  case CheckKind::Unwritten: return options.unwritten;
  }
  return false;
}

Mark Checker::newMark(Mark flags, const Instruction &instruction, const char *what) {
  auto [found, isNew] = originOfFact.try_emplace(instruction.fact, unsigned(origins.size() + 1));
  if (isNew && origins.size() + 1 < kMaxOrigins)
    origins.push_back({placeOf(instruction), what, {}, 0, false});
  else if (isNew)
    // No number left: the mark has no origin.
    found->second = 0;
  return Mark(flags | found->second << kOriginShift);
}

Mark Checker::takenIn(Mark mark, const Instruction &instruction) {
  if (!(mark & kUndefined))
    return 0;
  Mark result = newMark(kUndefined, instruction, "");
  unsigned number = result >> kOriginShift;
  if (!number)
    return keep(mark, kUndefined);
  Origin &origin = origins[number - 1];
  if (!origin.takesLanesTogether && mark >> kOriginShift != number) {
    origin.takesLanesTogether = true;
    // Where a lane went through two such ops, the first one did the harm.
    const Origin *before = originOf(mark);
    if (before && before->takesLanesTogether)
      origin = Origin(*before);
    else
      origin.cause = mark >> kOriginShift;
  }
  return result;
}

const Checker::Origin *Checker::originOf(Mark mark) const {
  unsigned number = mark >> kOriginShift;
  return number && number <= origins.size() ? &origins[number - 1] : nullptr;
}

uint32_t Checker::numberOf(const Machine &machine) const {
  const auto &grid = launch.launchOptions().grid;
  return (machine.program[2] * grid[1] + machine.program[1]) * grid[0] + machine.program[0];
}

std::string Checker::programText(uint32_t number) const {
  const auto &grid = launch.launchOptions().grid;
  return "(" + std::to_string(number % grid[0]) + ", " + std::to_string(number / grid[0] % grid[1]) + ", " +
         std::to_string(number / grid[0] / grid[1]) + ")";
}

void Checker::report(CheckKind kind, Machine &machine, uint32_t placeIndex, std::string message,
                     std::vector<std::string> notes, std::optional<uint32_t> otherPlace) {
  if (!isWanted(kind))
    return;
  const Place &place = program.places[placeIndex];
  auto [found, isNew] = reportOfLine.try_emplace({kind, place.file, place.line}, reports.size());
  if (isNew) {
    CheckReport report{kind, place, std::move(message), std::move(notes), std::nullopt, machine.program, 0};
    if (otherPlace)
      report.other = program.places[*otherPlace];
    reports.push_back(std::move(report));
  }
  ++reports[found->second].count;
}

// A grid that is too small writes the beginning of a tensor, and so does a mask that is too strict; elements in between may be
// meant to stay as they are.
void Checker::reportGaps() {
  const auto &grid = launch.launchOptions().grid;
  std::string text =
      "(" + std::to_string(grid[0]) + ", " + std::to_string(grid[1]) + ", " + std::to_string(grid[2]) + ")";
  for (const Coverage::Gap &gap : coverage->gaps()) {
    const Allocation &tensor = tensors[gap.tensor];
    CheckReport report{CheckKind::Unwritten, program.places[program.facts[gap.fact].place],
                       std::to_string(gap.unwritten) + " of the " + std::to_string(gap.total) + " elements of `" +
                           tensor.name + "` are written by no program"};
    report.notes = {"the first of them is " + describeElement(tensor, int64_t(gap.first)),
                    gap.isBeginning ? "only the beginning of it is written: is the grid of " + text +
                                          " too small, a loop too short, or a mask too strict?"
                                    : "others after it are written"};
    report.count = gap.unwritten;
    report.isOfLaunch = true;
    report.isWarning = !gap.isBeginning && !tensor.isEmpty;
    reports.push_back(std::move(report));
  }
}

std::vector<CheckReport> Checker::takeReports() {
  if (coverage && !launch.mustStop())
    reportGaps();
  return std::move(reports);
}

} // namespace nereid::interp
