#include "lang/ImportPath.h"

#include <algorithm>

namespace nereid::lang {

namespace fs = std::filesystem;

namespace {

bool isInside(const fs::path &path, const fs::path &root) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error), top = fs::weakly_canonical(root, error);
  if (error)
    return false;
  return std::mismatch(top.begin(), top.end(), real.begin(), real.end()).first == top.end();
}

bool isIdentifier(std::string_view part) {
  return !part.empty() &&
         std::ranges::none_of(part, [](char c) { return c == '/' || c == '\\' || c == '.' || c == '\0'; });
}

// The top folder of a project, by the files that tools expect there.
bool isProject(const fs::path &folder) {
  std::error_code error;
  for (const char *name : {"pyproject.toml", "setup.py", "setup.cfg", ".git"})
    if (fs::exists(folder / name, error))
      return true;
  return false;
}

} // namespace

FilePlace placeOf(const fs::path &file) {
  std::error_code error;
  fs::path path = fs::absolute(file, error).lexically_normal();
  FilePlace place;
  place.isPackage = path.filename() == "__init__.py";
  fs::path folder = path.parent_path();
  place.root = folder;
  // A folder without __init__.py between packages is a part of the package too (Python's namespace packages).
  constexpr int kMaxGap = 2;
  int gap = 0;
  for (fs::path up = folder; gap <= kMaxGap && up.has_relative_path(); up = up.parent_path()) {
    if (fs::exists(up / "__init__.py", error)) {
      place.root = up.parent_path();
      gap = 0;
    } else {
      ++gap;
    }
    if (isProject(up)) {
      if (gap == 0)
        place.project = up;
      break;
    }
  }
  for (const fs::path &part : folder.lexically_relative(place.root))
    if (part != ".")
      place.packageName += (place.packageName.empty() ? "" : ".") + part.string();
  std::string name = place.isPackage ? "" : path.stem().string();
  place.moduleName = name.empty()                ? place.packageName
                     : place.packageName.empty() ? name
                                                 : place.packageName + "." + name;
  return place;
}

std::vector<fs::path> importRoots(const fs::path &root) {
  std::vector<fs::path> roots{root};
  constexpr int kMaxLevels = 6;
  fs::path up = root;
  for (int i = 0; i < kMaxLevels && !isProject(up) && up.has_relative_path(); ++i)
    up = up.parent_path();
  if (!isProject(up))
    return roots;
  for (fs::path folder : {up, up / "src", up / "python"})
    if (std::ranges::find(roots, folder) == roots.end())
      roots.push_back(folder);
  return roots;
}

std::optional<FoundModule> findModule(const fs::path &root, const std::string &dottedName) {
  fs::path base = root;
  for (size_t begin = 0; begin <= dottedName.size();) {
    size_t end = std::min(dottedName.find('.', begin), dottedName.size());
    std::string part = dottedName.substr(begin, end - begin);
    if (!isIdentifier(part))
      return std::nullopt;
    base /= part;
    begin = end + 1;
  }
  std::error_code error;
  fs::path file = base;
  file += ".py";
  for (const fs::path &candidate : {base / "__init__.py", file})
    if (fs::is_regular_file(candidate, error))
      return isInside(candidate, root) ? std::optional(FoundModule{candidate, false}) : std::nullopt;
  if (fs::is_directory(base, error) && isInside(base, root))
    return FoundModule{base, true};
  return std::nullopt;
}

} // namespace nereid::lang
