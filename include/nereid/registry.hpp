// registry.hpp: kernels by name, so that an engine ships its own beside the library's.
//
//   nereid::registerKernels("mine", "/opt/engine/kernels");                 // a folder: mine/attention, mine/norm, …
//   nereid::call("mine/norm:forward", {.grid = {rows}}, {x, out, n});
#pragma once

#include "nereid/nereid.hpp"

namespace nereid {

// A kernel file as `name`, or a folder: its kernel files, and those of the folders in it, as `name/FILE`.
inline Result<void> registerKernels(const std::string &name, const std::string &path) {
  nereid_status status = nereid_register(name.c_str(), path.c_str());
  return status == NEREID_OK ? Result<void>() : detail::lastError(status);
}
// The text of a kernel file, which a program may carry inside.
inline Result<void> registerText(const std::string &name, std::string_view text) {
  nereid_status status = nereid_register_text(name.c_str(), text.data(), text.size());
  return status == NEREID_OK ? Result<void>() : detail::lastError(status);
}

// Launches `NAME:KERNEL`, or the only kernel of NAME.
inline Result<void> call(const std::string &name, const LaunchOptions &options,
                         const std::vector<Argument> &arguments) {
  auto start = [&](auto... words) { return nereid_call(name.c_str(), words...); };
  return detail::launchBy(start, options, arguments);
}

} // namespace nereid
