// LastError.h: the text of a thread's last failure, as the C interface keeps it.
#pragma once

#include "nereid/nereid.h"
#include "nereid/result.hpp"

namespace nereid::api {

// Keeps the text, and gives the status to return.
nereid_status failed(Error error);
Error missing(const char *what);

} // namespace nereid::api
