// Catalogue.h: every function of the language that users may call, by name: the rows of the builtin tables, the functions of the
// prelude, and those of the library that kernels and their files use. For help and documentation; nothing is looked up here to
// compile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nereid::lang {

struct CatalogueEntry {
  std::string name;      // tl.dot, descriptor.load, triton.cdiv
  std::string signature; // dot(input, other, acc=None, …)
  std::string documentation;
  bool isMember = false; // also a method of tensors
};

// In the order of the tables. A name stands once.
const std::vector<CatalogueEntry> &catalogue();

// By its name, by its last part where only one space has it (`dot`), or with `triton.language.` for `tl.`; null: none.
const CatalogueEntry *findCatalogueEntry(std::string_view name);

} // namespace nereid::lang
