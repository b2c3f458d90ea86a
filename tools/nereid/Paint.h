// Paint.h: colour for terminals. What goes into a pipe or a file is never coloured, unless `--color always` asks for it.
#pragma once

#include <string>
#include <string_view>

namespace nereid::tool {

enum class Tint { Strong, Faint, Good, Bad, Doubtful, Place };

struct Paint {
  bool isOn = false;

  // The text as it is, or between the codes that colour it. Pad before painting: codes have no width.
  std::string operator()(Tint tint, std::string_view text) const;
};

// A line of a diagnostic in colours: its place, `error:`, `warning:` or `note:`, and the `^~~~` under the source.
std::string paintDiagnosticLine(std::string_view line);

// What NO_COLOR (no-color.org) and TERM say: colours may be used on a terminal.
bool allowsColor(const char *noColor, const char *term);

} // namespace nereid::tool
