// Version.h: the version of the library and of the program.
#pragma once

namespace nereid {

inline constexpr const char *kVersionText = "0.1.0";

} // namespace nereid
