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
  return !part.empty() && std::ranges::none_of(part, [](char c) { return c == '/' || c == '\\' || c == '.' || c == '\0'; });
}

} // namespace

FilePlace placeOf(const fs::path &file) {
  std::error_code error;
  fs::path path = fs::absolute(file, error).lexically_normal();
  FilePlace place;
  place.isPackage = path.filename() == "__init__.py";
  std::string name = place.isPackage ? "" : path.stem().string();
  fs::path folder = path.parent_path();
  std::string package;
  while (fs::exists(folder / "__init__.py", error) && folder.has_filename() && folder != folder.parent_path()) {
    package = folder.filename().string() + (package.empty() ? "" : "." + package);
    folder = folder.parent_path();
  }
  place.root = folder;
  place.packageName = package;
  place.moduleName = name.empty() ? package : package.empty() ? name : package + "." + name;
  return place;
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
