// Trust.h: whether what a file or folder holds can only come from this user, or from root. Machine code is loaded from the
// cache: what somebody else may have put there is not read.
#pragma once

#include <string>

struct stat;

namespace nereid::jit {

// Why an open file or folder is not trusted, in words that follow its name; empty when it is.
std::string distrustOf(int descriptor, const struct stat &status);

} // namespace nereid::jit
