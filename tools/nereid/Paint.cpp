#include "Paint.h"

#include "DiagnosticText.h"

namespace nereid::tool {

static std::string_view codeOf(Tint tint) {
  switch (tint) {
  case Tint::Strong: return "\033[1m";
  case Tint::Faint: return "\033[2m";
  case Tint::Good: return "\033[32m";
  case Tint::Bad: return "\033[1;31m";
  case Tint::Doubtful: return "\033[1;35m";
  case Tint::Place: return "\033[36m";
  }
  return "";
}

std::string Paint::operator()(Tint tint, std::string_view text) const {
  if (!isOn || text.empty())
    return std::string(text);
  return std::string(codeOf(tint)).append(text).append("\033[0m");
}

static Tint tintOf(std::string_view severity) {
  return severity == "error" ? Tint::Bad : severity == "note" ? Tint::Place : Tint::Doubtful;
}

std::string paintDiagnosticLine(std::string_view line) {
  constexpr Paint paint{true};
  if (isCaretLine(line)) {
    size_t caret = line.find('^');
    return std::string(line.substr(0, caret)) + paint(Tint::Good, line.substr(caret));
  }
  std::optional<DiagnosticHead> head = readDiagnosticHead(line);
  if (!head)
    return std::string(line);
  return paint(Tint::Strong, head->before) + paint(tintOf(head->severity), std::string(head->severity) + ":") +
         std::string(head->after);
}

bool allowsColor(const char *noColor, const char *term) {
  bool isRefused = noColor && *noColor;
  return !isRefused && !(term && std::string_view(term) == "dumb");
}

} // namespace nereid::tool
