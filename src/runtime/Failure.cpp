#include "runtime/Failure.h"

namespace nereid::runtime {

std::string_view name(CheckKind kind) {
  switch (kind) {
  case CheckKind::OutOfBounds: return "out-of-bounds";
  case CheckKind::Misaligned: return "misaligned";
  case CheckKind::UndefinedLane: return "undefined-lane";
  case CheckKind::Race: return "race";
  case CheckKind::AddressOverflow: return "address-overflow";
  case CheckKind::NotFinite: return "not-finite";
  case CheckKind::Assert: return "assert";
  case CheckKind::Unwritten: return "unwritten";
  }
  return "";
}

} // namespace nereid::runtime
