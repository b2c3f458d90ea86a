// LongText.h: what a kernel prints can be millions of lines; a learner reads the first ones.
#pragma once

#include <string>
#include <string_view>

namespace nereid::learn {

// The first lines and the last ones, with a line between them that says how many are left out; a text of few lines as it is.
std::string shortened(std::string_view text);

} // namespace nereid::learn
