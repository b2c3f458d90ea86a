// ImportPath.h: where a module of a given name stands on the disk. Names are identifiers, links that lead out of the
// source root are refused: nothing outside the import path is ever read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nereid::lang {

// Where a file stands in its source root: the root is the folder that holds its outermost package.
struct FilePlace {
  std::filesystem::path root;
  std::string moduleName;        // dotted, from the root
  std::string packageName;       // the package that relative imports start from
  std::filesystem::path project; // the top of a project that is a package itself, if the file is in one
  bool isPackage = false;        // an __init__.py
};
FilePlace placeOf(const std::filesystem::path &file);
// The folders that absolute imports are looked up in: the source root, then the top of the project around it (where
// pyproject.toml, setup.py or .git stands) with its folders `src` and `python`.
std::vector<std::filesystem::path> importRoots(const std::filesystem::path &root);

struct FoundModule {
  std::filesystem::path path; // the file, or the folder of a namespace package
  bool isFolder = false;
};
// The file of module `dottedName` below `root`: a/b.py, a/b/__init__.py or the folder a/b.
std::optional<FoundModule> findModule(const std::filesystem::path &root, const std::string &dottedName);

} // namespace nereid::lang
