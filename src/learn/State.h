// State.h: what a learner has done so far: one small JSON file, replaced as a whole, that outlives crashes, moves and upgrades. A
// damaged file, or one of a newer program, is kept aside and said.
#pragma once

#include "nereid/result.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nereid::learn {

struct UnitState {
  bool isPassed = false;
  std::string passedAt;            // 2026-11-17
  int64_t attempts = 0, hints = 0; // hints that were shown
  std::vector<std::string> goals;  // what the goals said when it passed
};

// One course of a learner.
struct CourseState {
  std::string folder;  // where their files are; empty: not begun
  std::string current; // the unit that was worked on last
  std::map<std::string, UnitState> units;

  bool isPassed(const std::string &unit) const {
    auto found = units.find(unit);
    return found != units.end() && found->second.isPassed;
  }
};

class StateFile {
public:
  // $XDG_STATE_HOME/nereid/learn.json, else ~/.local/state/nereid/learn.json.
  static Result<StateFile> usual();
  explicit StateFile(std::string path) : path(std::move(path)) {}

  const std::string &name() const { return path; }
  // What it says of a course, by its title. `note` gets a sentence where the file could not be used.
  CourseState read(const std::string &course, std::string &note) const;
  // Reads, changes and replaces it; others that do the same wait.
  Result<void> update(const std::string &course, const std::function<void(CourseState &)> &change,
                      std::string &note) const;

private:
  std::string path;
};

// The date of today, as passedAt has it.
std::string today();

} // namespace nereid::learn
