// CountJson.h: what was counted, as the JSON object that `nereid count --json` prints and that other languages get.
#pragma once

#include "jit/count/Count.h"

namespace nereid::jit {

std::string toJson(const Counted &counted, const std::string &kernel);

} // namespace nereid::jit
