// SiteCodec.h: the places of a kernel that can print or fail as bytes, for the disk cache.
#pragma once

#include "jit/cache/Fields.h"
#include "runtime/Site.h"

namespace nereid::jit {

void encodeSites(FieldWriter &writer, const std::vector<runtime::Site> &sites);
std::vector<runtime::Site> decodeSites(FieldReader &reader);

} // namespace nereid::jit
