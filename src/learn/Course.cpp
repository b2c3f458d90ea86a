#include "learn/Course.h"

#include "learn/JsonFields.h"
#include "support/Diagnostic.h"

#include <algorithm>
#include <filesystem>

namespace nereid::learn {

// The folder of one unit is a course of one: `day-03-masks` is called day-03.
static Course singleUnit(const std::string &folder) {
  std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  if (!path.has_filename())
    path = path.parent_path();
  std::error_code none;
  std::string name = std::filesystem::absolute(path, none).lexically_normal().filename().string();
  return {CourseFiles::at(folder), name, {{name, ".", "days"}}};
}

static bool isInside(const std::string &path) {
  std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  return !path.empty() && normal.is_relative() && !normal.string().starts_with("..");
}

Result<Course> Course::open(const std::string &folder) {
  CourseFiles files = folder.empty() ? CourseFiles::embedded() : CourseFiles::at(folder);
  if (!folder.empty() && !files.has("course.json")) {
    if (files.has("unit.json"))
      return singleUnit(folder);
    return Error{Status::Environment,
                 "`" + folder.substr(0, 200) + "` is no course: it has no course.json, and no unit.json"};
  }
  Result<std::string> text = files.text("course.json");
  if (!text)
    return text.error();
  std::string name = folder.empty() ? "course.json" : (std::filesystem::path(folder) / "course.json").string();
  Result<llvm::json::Object> object = parseJsonObject(name, *text);
  if (!object)
    return object.error();
  std::string problem;
  JsonFields fields(*object, "", problem);
  Course course{files, fields.text("title"), {}};
  fields.eachObject("units", [&](JsonFields unit) {
    CourseEntry entry{unit.text("id"), unit.text("folder"), unit.textOr("part", "days")};
    if (!isInside(entry.folder))
      unit.refuse("folder", "a folder of the course is expected");
    for (const CourseEntry &other : course.entries)
      if (other.id == entry.id)
        unit.refuse("id", "another unit is called `" + entry.id + "`, too");
    unit.finish();
    course.entries.push_back(std::move(entry));
  });
  fields.finish();
  if (!problem.empty())
    return Error{Status::BadInput, "`" + name + "`: " + problem};
  return course;
}

static bool isNumber(const std::string &text) {
  return !text.empty() && text.size() < 4 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Result<CourseEntry> Course::find(const std::string &name) const {
  std::string wanted = name;
  while (wanted.size() > 1 && wanted.ends_with('/'))
    wanted.pop_back();
  if (isNumber(wanted)) // `nereid learn start 3`
    wanted = "day-" + std::string(wanted.size() < 2 ? "0" : "") + wanted;
  std::vector<std::string> names;
  const CourseEntry *begins = nullptr;
  size_t count = 0;
  for (const CourseEntry &entry : entries) {
    if (entry.id == wanted || entry.folder == wanted)
      return entry;
    names.push_back(entry.id);
    if (entry.folder.starts_with(wanted)) {
      begins = &entry;
      ++count;
    }
  }
  if (count == 1)
    return *begins;
  std::string nearest = nearestName(wanted.substr(0, 80), names);
  return Error{Status::BadInput,
               "there is no unit `" + name.substr(0, 80) + "`" +
                   (nearest.empty() ? "; `nereid learn list` names them" : "; did you mean `" + nearest + "`?")};
}

Result<std::string> Course::text(const CourseEntry &entry, const std::string &name) const {
  return files.text((std::filesystem::path(entry.folder) / name).lexically_normal().string());
}

std::vector<std::string> Course::wrongAnswers(const CourseEntry &entry) const {
  std::vector<std::string> names =
      files.names((std::filesystem::path(entry.folder) / "wrong").lexically_normal().string());
  std::erase_if(names, [](const std::string &name) { return !name.ends_with(".py"); });
  for (std::string &name : names)
    name = "wrong/" + name;
  return names;
}

Result<std::vector<std::string>> Course::hints(const CourseEntry &entry) const {
  Result<std::string> read = this->text(entry, "hints.md");
  if (!read)
    return read.error();
  const std::string &text = *read;
  std::vector<std::string> hints(1);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line == "---")
      hints.emplace_back();
    else
      hints.back() += line + "\n";
  }
  std::erase_if(hints, [](const std::string &hint) { return hint.find_first_not_of(" \n\t") == std::string::npos; });
  return hints;
}

Result<Unit> Course::unit(const CourseEntry &entry) const {
  Result<std::string> json = text(entry, "unit.json");
  if (!json)
    return json.error();
  Result<Unit> unit = parseUnit((std::filesystem::path(entry.folder) / "unit.json").lexically_normal().string(), *json);
  if (!unit)
    return unit;
  unit->id = entry.id;
  unit->folder = entry.folder;
  unit->part = entry.part;
  return unit;
}

} // namespace nereid::learn
