// Diagnostic.h: what we tell the user about their input: a place, a message, notes.
#pragma once

#include "support/Source.h"

#include <string>
#include <vector>

namespace nereid {

enum class Severity { Error, Warning, Remark, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceRef source;  // null: a message without a place (a missing file, a bad option)
  SourceRange range; // meaningful when `source` is set
  std::string message;
  std::vector<Diagnostic> notes;
  SourceRange around{};   // the expression or statement that was worked on, of which `range` may be a part
  std::string pythonType; // the Python exception that an error stands for: ValueError …; or empty
};

// Collects diagnostics; one per compilation, passed down by reference.
class Diagnostics {
public:
  // Returns the diagnostic, so that the caller can add notes to it.
  Diagnostic &report(Severity severity, SourceRef source, SourceRange range, std::string message);
  Diagnostic &error(SourceRef source, SourceRange range, std::string message);
  Diagnostic &error(std::string message); // without a place
  void add(Diagnostic diagnostic);

  bool hasErrors() const { return errorCount != 0; }
  const std::vector<Diagnostic> &all() const { return list; }

  // file:line:column: severity: message, the source line and `^~~~` under the range, then the notes.
  std::string render() const;

private:
  std::vector<Diagnostic> list;
  unsigned errorCount = 0;
};

std::string render(const Diagnostic &diagnostic);

// The candidate nearest to `name` by edit distance, or "" if none is near: for "did you mean".
std::string nearestName(std::string_view name, const std::vector<std::string> &candidates);

} // namespace nereid
