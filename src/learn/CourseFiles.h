// CourseFiles.h: the texts of a course, by their paths in it: those inside of the binary, or a folder of one's own.
#pragma once

#include "nereid/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nereid::learn {

class CourseFiles {
public:
  // The course that the binary carries.
  static CourseFiles embedded() { return CourseFiles(""); }
  static CourseFiles at(std::string folder) { return CourseFiles(std::move(folder)); }

  bool isEmbedded() const { return root.empty(); }
  const std::string &folder() const { return root; }
  bool has(const std::string &path) const;
  Result<std::string> text(const std::string &path) const;
  // The files right below a folder, in order, by their names.
  std::vector<std::string> names(const std::string &folder) const;

private:
  explicit CourseFiles(std::string root) : root(std::move(root)) {}

  std::string root; // empty: embedded
};

// The pages of the browser's door, which the binary carries; nothing where there is no such file.
std::string_view webFile(std::string_view name);

} // namespace nereid::learn
