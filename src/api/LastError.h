// LastError.h: the text of a thread's last failure, as the C interface keeps it.
#pragma once

#include "nereid/nereid.h"
#include "nereid/result.hpp"

namespace nereid::api {

// Keeps the text, and gives the status to return.
nereid_status failed(Error error);
Error missing(const char *what);
// The same for what a function has thrown; call it where it was caught.
nereid_status failedByException() noexcept;

// The body of a function of the interface: its caller may be C, and gets a status where the body throws.
template <class Body> nereid_status guarded(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return failedByException();
  }
}

} // namespace nereid::api
