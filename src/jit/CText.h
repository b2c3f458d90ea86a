// CText.h: names, strings and comments in C text that we write.
#pragma once

#include <string>
#include <string_view>

namespace nereid::jit {

// "text" in quotes.
std::string cString(std::string_view text);
// A Python name as a C name: not one that C, C++ or the text itself keeps for itself.
std::string safeName(const std::string &name);
// Text for the inside of a C comment, which cannot end it.
std::string commented(std::string text);

} // namespace nereid::jit
