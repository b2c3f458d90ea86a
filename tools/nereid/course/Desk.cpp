// Desk.cpp: a learner's course, state and files.
#include "LaunchWords.h"
#include "course/Learn.h"

#include "runtime/WriteFile.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace nereid::tool {

namespace fs = std::filesystem;

std::optional<learn::Course> openCourse(const LearnWords &words, Console &console, int &status) {
  Result<learn::Course> course = learn::Course::open(words.courseFolder);
  if (course)
    return std::move(*course);
  status = report(console, course.error());
  return std::nullopt;
}

std::optional<Desk> Desk::open(const LearnWords &words, Console &console, int &status) {
  std::optional<learn::Course> course = openCourse(words, console, status);
  if (!course)
    return std::nullopt;
  Result<learn::StateFile> file = learn::StateFile::usual();
  if (!file) {
    status = report(console, file.error());
    return std::nullopt;
  }
  Desk desk(std::move(*course), *file);
  std::string note;
  desk.state = desk.stateFile.read(desk.course.title, note);
  if (!note.empty())
    console.err << "note: " << note << "\n";
  return desk;
}

Result<learn::CourseEntry> Desk::find(std::span<const std::string> operands) const {
  if (!operands.empty())
    return course.find(operands[0]);
  if (!state.current.empty() && !state.isPassed(state.current))
    if (Result<learn::CourseEntry> found = course.find(state.current))
      return found;
  if (const learn::CourseEntry *entry = next(state.current))
    return *entry;
  if (!course.entries.empty())
    return course.entries.back();
  return Error{Status::BadInput, "the course has no units"};
}

const learn::CourseEntry *Desk::next(const std::string &after) const {
  auto isOpen = [&](const learn::CourseEntry &entry) { return !state.isPassed(entry.id); };
  auto begin = std::ranges::find(course.entries, after, &learn::CourseEntry::id);
  if (begin != course.entries.end()) {
    auto behind = std::find_if(begin + 1, course.entries.end(), isOpen);
    if (behind != course.entries.end())
      return &*behind;
  }
  auto first = std::ranges::find_if(course.entries, isOpen);
  return first == course.entries.end() ? nullptr : &*first;
}

std::string Desk::file(const learn::CourseEntry &entry) const {
  std::error_code none;
  fs::path folder = entry.folder == "." ? fs::path(entry.id) : fs::path(entry.folder);
  fs::path here = fs::current_path(none);
  fs::path usual = (state.folder.empty() ? here / "nereid-course" : fs::path(state.folder)) / folder / "kernel.py";
  if (fs::exists(usual, none))
    return usual.string();
  // The folder was moved, and this is it or is inside of it.
  for (fs::path above = here; !above.empty(); above = above.parent_path()) {
    if (fs::path moved = above / folder / "kernel.py"; fs::exists(moved, none))
      return moved.string();
    if (above == above.parent_path())
      break;
  }
  return usual.string();
}

void Desk::update(const std::function<void(learn::CourseState &)> &change, Console &console) {
  change(state);
  std::string note;
  Result<void> written = stateFile.update(course.title, change, note);
  if (!written)
    console.err << "note: your progress could not be written: " << written.error().message << "\n";
  else if (!note.empty())
    console.err << "note: " << note << "\n";
}

std::string Desk::command(const std::string &words) const {
  return "nereid learn " + words + (course.files.isEmbedded() ? "" : " --course " + course.files.folder());
}

std::optional<Asked> ask(const LearnWords &words, Console &console, int &status) {
  std::optional<Desk> desk = Desk::open(words, console, status);
  if (!desk)
    return std::nullopt;
  Result<learn::CourseEntry> entry = desk->find(words.operands);
  if (entry)
    return Asked{std::move(*desk), *entry};
  status = report(console, entry.error());
  return std::nullopt;
}

std::string titleOf(const learn::Course &course, const learn::CourseEntry &entry) {
  Result<learn::Unit> unit = course.unit(entry);
  return unit ? unit->title : "(" + unit.error().message + ")";
}

std::string courseFolderOf(const std::string &file, const learn::CourseEntry &entry) {
  std::string root = fs::path(file).parent_path().string(), unit = entry.folder == "." ? entry.id : entry.folder;
  size_t inside = root.rfind(unit);
  return inside == std::string::npos || inside == 0 ? root : root.substr(0, inside - 1);
}

Result<std::string> startUnit(Desk &desk, const learn::CourseEntry &entry, const std::string &folder,
                              Console &console) {
  if (!folder.empty()) {
    std::error_code none;
    std::string whole = fs::absolute(folder, none).lexically_normal().string();
    desk.update([&](learn::CourseState &state) { state.folder = whole; }, console);
  }
  Result<std::string> starter = desk.course.text(entry, "start.py"), lesson = desk.course.text(entry, "lesson.md");
  if (!starter || !lesson)
    return starter ? lesson.error() : starter.error();
  fs::path path = desk.file(entry);
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  if (problem)
    return Error{Status::Environment, "`" + path.parent_path().string() + "`: " + problem.message()};
  // What the learner wrote is never touched; the lesson is ours, and may have got better.
  if (!fs::exists(path, problem))
    if (int error = runtime::writeFile(path.string(), {*starter}))
      return Error{Status::Environment, "`" + path.string() + "`: " + std::strerror(error)};
  runtime::writeFile((path.parent_path() / "lesson.md").string(), {*lesson});
  std::string root = courseFolderOf(path.string(), entry);
  desk.update(
      [&](learn::CourseState &state) {
        state.current = entry.id;
        state.folder = root;
      },
      console);
  return path.string();
}

} // namespace nereid::tool
