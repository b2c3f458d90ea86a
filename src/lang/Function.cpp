#include "lang/Function.h"

namespace nereid::lang {

SourceRange Function::nameRange() const {
  if (definition)
    return definition->nameRange;
  return lambda ? lambda->range : SourceRange{};
}

} // namespace nereid::lang
