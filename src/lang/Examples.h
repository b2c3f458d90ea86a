// Examples.h: one small kernel for each function of the language: those of examples/*.py, which are embedded, and for functions
// of one form (tl.math, libdevice) one that is made of their name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nereid::lang {

struct Example {
  std::string text;   // a whole file, with its imports
  std::string kernel; // its kernel, which the command names
  std::string
      words; // of the command, as a shell reads them: `run x=randn:f32[8] --grid 1`; the file comes behind the first
};

// `name` as the catalogue has it.
std::optional<Example> findExample(std::string_view name);

} // namespace nereid::lang
