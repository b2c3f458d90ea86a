#include "learn/State.h"

#include "learn/JsonFields.h"
#include "runtime/WriteFile.h"
#include "support/ReadFile.h"

#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace nereid::learn {

namespace {

constexpr int64_t kVersion = 1;
constexpr size_t kLargestState = 1 << 24;

using Courses = std::map<std::string, CourseState>;

std::string clean(const std::string &text) { return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text); }

CourseState readCourse(JsonFields fields) {
  CourseState course;
  course.folder = fields.textOr("folder", "");
  course.current = fields.textOr("current", "");
  fields.objectAt("units", [&](JsonFields units) {
    for (const auto &[name, value] : units.fields()) {
      std::string id = name.str();
      units.objectAt(id, [&](JsonFields unit) {
        UnitState &state = course.units[id];
        state.isPassed = unit.flag("passed");
        state.passedAt = unit.textOr("passed_at", "");
        state.attempts = unit.count("attempts", 0);
        state.hints = unit.count("hints", 0);
        state.goals = unit.texts("goals");
      });
    }
  });
  return course;
}

// Nothing, with the reason and the ending of the name that the file is kept under.
std::optional<Courses> parseState(const std::string &text, std::string &problem, std::string &ending) {
  ending = ".damaged";
  Result<llvm::json::Object> object = parseJsonObject("learn.json", text);
  if (!object || !object->getInteger("version")) {
    problem = "it is damaged";
    return std::nullopt;
  }
  if (int64_t version = *object->getInteger("version"); version != kVersion) {
    problem = "it was written by a newer nereid";
    ending = ".version-" + std::to_string(version);
    return std::nullopt;
  }
  Courses courses;
  std::string wrong;
  JsonFields(*object, "", wrong).objectAt("courses", [&](JsonFields list) {
    for (const auto &[name, value] : list.fields())
      list.objectAt(name.str(), [&](JsonFields course) { courses[name.str()] = readCourse(course); });
  });
  if (wrong.empty())
    return courses;
  problem = "it is damaged (" + wrong + ")";
  return std::nullopt;
}

std::string writeState(const Courses &courses) {
  llvm::json::Object list;
  for (const auto &[title, course] : courses) {
    llvm::json::Object units;
    for (const auto &[id, unit] : course.units) {
      llvm::json::Array goals;
      for (const std::string &goal : unit.goals)
        goals.push_back(clean(goal));
      units[clean(id)] = llvm::json::Object{{"passed", unit.isPassed},
                                            {"passed_at", unit.passedAt},
                                            {"attempts", unit.attempts},
                                            {"hints", unit.hints},
                                            {"goals", std::move(goals)}};
    }
    list[clean(title)] = llvm::json::Object{
        {"folder", clean(course.folder)}, {"current", clean(course.current)}, {"units", std::move(units)}};
  }
  llvm::json::Object state{{"version", kVersion}, {"courses", std::move(list)}};
  return llvm::formatv("{0:2}", llvm::json::Value(std::move(state))).str() + "\n";
}

Courses readAll(const std::string &path, std::string &note) {
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    return {};
  std::string problem, ending;
  std::optional<std::string> text = readFile(path, kLargestState, problem);
  if (!text) {
    note = "`" + path + "`: " + problem;
    return {};
  }
  std::optional<Courses> courses = parseState(*text, problem, ending);
  if (courses)
    return std::move(*courses);
  std::filesystem::rename(path, path + ending, none);
  note = "the file of your progress could not be used: " + problem + "; it is kept as `" + path + ending + "`";
  return {};
}

// Others that change the file wait until this is gone.
class Lock {
public:
  explicit Lock(const std::string &path) : file(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (file >= 0)
      flock(file, LOCK_EX);
  }
  ~Lock() {
    if (file >= 0)
      close(file);
  }
  Lock(const Lock &) = delete;

private:
  int file;
};

} // namespace

Result<StateFile> StateFile::usual() {
  const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state && *state == '/')
    folder = state;
  else if (home && *home == '/')
    folder = std::filesystem::path(home) / ".local" / "state";
  else
    return Error{Status::Environment, "there is no place for your progress: HOME is not set"};
  return StateFile((folder / "nereid" / "learn.json").string());
}

CourseState StateFile::read(const std::string &course, std::string &note) const { return readAll(path, note)[course]; }

Result<void> StateFile::update(const std::string &course, const std::function<void(CourseState &)> &change,
                               std::string &note) const {
  std::error_code problem;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), problem);
  Lock lock(path + ".lock");
  Courses courses = readAll(path, note);
  change(courses[course]);
  std::string text = writeState(courses);
  if (int error = runtime::replaceFileAt(AT_FDCWD, path, {text}, {.mode = 0600, .isSynced = true}))
    return Error{Status::Environment, "`" + path + "`: " + std::strerror(error)};
  return {};
}

std::string today() {
  std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &local);
  return text;
}

} // namespace nereid::learn
