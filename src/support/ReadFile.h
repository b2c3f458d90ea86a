// ReadFile.h: the bytes of a file that a user names, which may be anything: a folder, a pipe without a writer, a device
// without an end.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace nereid {

// All bytes, or the first `limit` of them. Nothing where they cannot be read, with the reason; that a pipe stays silent for
// longer than the patience is one, while who types at a terminal may take time.
std::optional<std::string> readFile(const std::string &path, size_t limit, std::string &problem,
                                    std::chrono::milliseconds patience = std::chrono::seconds(10));

} // namespace nereid
