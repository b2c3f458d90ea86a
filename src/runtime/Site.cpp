#include "runtime/Site.h"

namespace nereid::runtime {

std::string describeFailure(const Site &site) {
  if (site.kind == Site::Kind::DivisionByZero)
    return "integer division by zero";
  if (site.kind == Site::Kind::Wait)
    return "this program waits here for a value that no other program writes";
  if (site.kind == Site::Kind::Loop)
    return "the step of the loop must be positive, and is not";
  return "assertion failed" + (site.text.empty() ? "" : ": " + site.text);
}

} // namespace nereid::runtime
