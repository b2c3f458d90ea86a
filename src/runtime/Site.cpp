#include "runtime/Site.h"

namespace nereid::runtime {

std::string describeFailure(const Site &site) {
  if (site.kind == Site::Kind::DivisionByZero)
    return "integer division by zero";
  if (site.kind == Site::Kind::Wait)
    return "this program waits here for a value that no other program writes";
  return "assertion failed" + (site.text.empty() ? "" : ": " + site.text);
}

} // namespace nereid::runtime
