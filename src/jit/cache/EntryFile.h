// EntryFile.h: one file of the disk cache: what it is, what it is for, and a checksum over all of it, so that a
// damaged, truncated, foreign or misplaced file is never taken for an entry.
#pragma once

#include "support/Sha256.h"

#include <optional>

namespace nereid::jit {

// `kind` keeps entries of different meaning apart: artifact, manifest, tuning.
std::string wrapEntry(std::string_view kind, const Digest &key, std::string_view payload);
// The payload, or nothing when these bytes are not exactly what wrapEntry made for this kind and key.
std::optional<std::string> unwrapEntry(std::string_view kind, const Digest &key, std::string_view bytes);

} // namespace nereid::jit
