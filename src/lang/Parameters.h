// Parameters.h: what parameters of the language's functions mean, for help and documentation. A name mostly means the same
// everywhere; a row of a function alone comes first. Names that say all themselves (`x`, `input`) have no row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nereid::lang {

struct CatalogueEntry;

struct ParameterText {
  std::string_view name, text;
};

// Of one function, in the order of its signature.
std::vector<ParameterText> parametersOf(const CatalogueEntry &entry);

} // namespace nereid::lang
