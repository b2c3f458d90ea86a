// LastError.h: the text of a thread's last failure, as the C interface keeps it.
#pragma once

#include "nereid/nereid.h"
#include "nereid/result.hpp"

#include <cstring>
#include <exception>

namespace nereid::api {

// Keeps the text, and gives the status to return.
nereid_status failed(Error error);
Error missing(const char *what);
// A text of a length that none of ours has: it is not read.
bool isTooLong(size_t length);
Error tooLong(const char *what, size_t length);
// The same for what a function has thrown.
nereid_status failedBy(const std::exception &thrown) noexcept;

// Gives the caller a text of its own.
inline nereid_status give(const std::string &text, char **to) {
  *to = strdup(text.c_str());
  return *to ? NEREID_OK : failed({Status::Environment, "error: out of memory\n"});
}

// The body of a function of the interface: its caller may be C, and gets a status where the body throws. (A thread that is
// cancelled unwinds through it.)
template <class Body> nereid_status guarded(Body body) {
  try {
    return body();
  } catch (const std::exception &thrown) {
    return failedBy(thrown);
  }
}

} // namespace nereid::api
