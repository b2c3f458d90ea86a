#include "learn/CourseFiles.h"

#include "support/EmbeddedText.h"
#include "support/ReadFile.h"

#include <algorithm>
#include <filesystem>
#include <span>

namespace nereid::learn {

namespace {

constexpr EmbeddedText kFiles[] = {
#include "learn/Course.inc"
    {"", ""}, // an array is not empty
};

constexpr size_t kLargest = 1 << 20;

} // namespace

bool CourseFiles::has(const std::string &path) const {
  if (isEmbedded())
    return findText(kFiles, path) != nullptr;
  std::error_code problem;
  return std::filesystem::is_regular_file(std::filesystem::path(root) / path, problem);
}

Result<std::string> CourseFiles::text(const std::string &path) const {
  if (isEmbedded()) {
    if (const char *text = findText(kFiles, path))
      return std::string(text);
    return Error{Status::Environment, "the course has no file `" + path + "`"};
  }
  std::string name = (std::filesystem::path(root) / path).string(), problem;
  std::optional<std::string> text = readFile(name, kLargest + 1, problem);
  if (!text)
    return Error{Status::Environment, "`" + name + "`: " + problem};
  if (text->size() > kLargest)
    return Error{Status::BadInput, "`" + name + "`: it is larger than 1 MiB"};
  return std::move(*text);
}

std::vector<std::string> CourseFiles::names(const std::string &folder) const {
  std::vector<std::string> found;
  if (isEmbedded()) {
    std::string prefix = folder + "/";
    for (const EmbeddedText &file : kFiles)
      if (std::string_view path = file.name; path.starts_with(prefix) && path.find('/', prefix.size()) == path.npos)
        found.emplace_back(path.substr(prefix.size()));
    return found;
  }
  std::error_code problem;
  for (std::filesystem::directory_iterator it(std::filesystem::path(root) / folder, problem), end;
       !problem && it != end; it.increment(problem))
    if (std::error_code ignored; it->is_regular_file(ignored))
      found.push_back(it->path().filename().string());
  std::ranges::sort(found);
  return found;
}

std::string_view webFile(std::string_view name) {
  const char *text = findText(kFiles, "web/" + std::string(name));
  return text ? text : std::string_view();
}

} // namespace nereid::learn
