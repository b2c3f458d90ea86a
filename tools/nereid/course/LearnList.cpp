// LearnList.cpp: `nereid learn` (where am I, what is next), `list`, `progress`.
#include "LaunchWords.h"
#include "course/Learn.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <filesystem>

namespace nereid::tool {

static size_t countPassed(const Desk &desk, const std::string &part) {
  return static_cast<size_t>(std::ranges::count_if(desk.course.entries, [&](const learn::CourseEntry &entry) {
    return (part.empty() || entry.part == part) && desk.state.isPassed(entry.id);
  }));
}

static std::vector<std::string> partsOf(const learn::Course &course) {
  std::vector<std::string> parts;
  for (const learn::CourseEntry &entry : course.entries)
    if (std::ranges::find(parts, entry.part) == parts.end())
      parts.push_back(entry.part);
  return parts;
}

static size_t countAll(const learn::Course &course, const std::string &part) {
  return static_cast<size_t>(std::ranges::count(course.entries, part, &learn::CourseEntry::part));
}

int learnHere(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Desk> desk = Desk::open(words, console, status);
  if (!desk)
    return status;
  std::ostream &out = console.out;
  out << desk->course.title << "\n";
  for (const std::string &part : partsOf(desk->course))
    out << "  " << part << ": " << countPassed(*desk, part) << " of " << countAll(desk->course, part) << " passed\n";
  Result<learn::CourseEntry> entry = desk->find({});
  if (!entry)
    return report(console, entry.error());
  if (desk->state.isPassed(entry->id)) {
    out << "\nYou have passed all of it. `" << desk->command("certificate") << "` writes it down.\n";
    return kFine;
  }
  std::string file = desk->file(*entry);
  std::error_code none;
  bool isBegun = std::filesystem::exists(file, none);
  out << "\n" << (isBegun ? "You are at " : "Next is ") << entry->id << ": " << titleOf(desk->course, *entry) << "\n";
  if (isBegun)
    out << "  your file       " << file << "\n"
        << "  grade it        " << desk->command("check") << "\n"
        << "  while you edit  " << desk->command("watch") << "\n"
        << "  stuck?          " << desk->command("hint") << "\n";
  else
    out << "  begin with      " << desk->command("start " + entry->id) << "\n"
        << "  in a browser    " << desk->command("--web") << "\n"
        << "  all units       " << desk->command("list") << "\n";
  return kFine;
}

int learnList(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Desk> desk = Desk::open(words, console, status);
  if (!desk)
    return status;
  size_t width = 0;
  for (const learn::CourseEntry &entry : desk->course.entries)
    width = std::max(width, entry.id.size());
  for (const std::string &part : partsOf(desk->course)) {
    console.out << part << "\n";
    for (const learn::CourseEntry &entry : desk->course.entries)
      if (entry.part == part)
        console.out << (desk->state.isPassed(entry.id) ? "  x " : "  - ") << entry.id
                    << std::string(width - entry.id.size() + 2, ' ') << titleOf(desk->course, entry) << "\n";
  }
  return kFine;
}

int learnProgress(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Desk> desk = Desk::open(words, console, status);
  if (!desk)
    return status;
  llvm::json::Array units;
  for (const learn::CourseEntry &entry : desk->course.entries) {
    auto found = desk->state.units.find(entry.id);
    learn::UnitState state = found == desk->state.units.end() ? learn::UnitState() : found->second;
    llvm::json::Array goals;
    for (const std::string &goal : state.goals)
      goals.push_back(goal);
    units.push_back(llvm::json::Object{{"unit", entry.id},
                                       {"part", entry.part},
                                       {"title", titleOf(desk->course, entry)},
                                       {"passed", state.isPassed},
                                       {"passed_at", state.passedAt},
                                       {"attempts", state.attempts},
                                       {"hints", state.hints},
                                       {"goals", std::move(goals)}});
  }
  size_t passed = countPassed(*desk, "");
  if (words.words.has("--json")) {
    llvm::json::Object object{{"course", desk->course.title},
                              {"folder", desk->state.folder},
                              {"current", desk->state.current},
                              {"passed", passed},
                              {"units", std::move(units)}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str() << "\n";
    return kFine;
  }
  console.out << passed << " of " << desk->course.entries.size() << " units passed\n";
  for (const learn::CourseEntry &entry : desk->course.entries) {
    auto found = desk->state.units.find(entry.id);
    if (found == desk->state.units.end())
      continue;
    const learn::UnitState &state = found->second;
    console.out << "  " << entry.id << ": " << (state.isPassed ? "passed on " + state.passedAt : "not passed yet")
                << ", " << state.attempts << (state.attempts == 1 ? " attempt, " : " attempts, ") << state.hints
                << (state.hints == 1 ? " hint\n" : " hints\n");
  }
  return kFine;
}

} // namespace nereid::tool
