// DiagnosticText.h: diagnostics as the library renders them, read again: lines `FILE:LINE:COLUMN: error: …`, the source
// line with `^~~~`, notes. Errors of the library are such texts, so this is where colours and JSON come from.
#pragma once

#include "llvm/Support/JSON.h"

#include <functional>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace nereid::tool {

// The first line of a diagnostic: what stands before `error:`, the word, and the message with its blank.
struct DiagnosticHead {
  std::string_view before, severity, after;
};
std::optional<DiagnosticHead> readDiagnosticHead(std::string_view line);
// Blanks and tabs, then `^` and any number of `~`.
bool isCaretLine(std::string_view line);

// One object for what went wrong: error, file, line, column (null where there is no place), notes, the exit status; `more`
// where there is more than one error or warning.
llvm::json::Object errorObject(std::string_view text, int status);

// A stream that hands whole lines on. What is flushed before its line ends goes to `terminal` as it is: progress, which begins
// with `\r`, or a question, which `keepsParts` holds back.
class LineStream : private std::streambuf, public std::ostream {
public:
  using Take = std::function<void(std::string_view line)>; // without its line end
  LineStream(std::ostream &terminal, Take take, bool keepsParts = false)
      : std::ostream(this), terminal(terminal), take(std::move(take)), keepsParts(keepsParts) {}
  ~LineStream() override;

private:
  int overflow(int character) override;
  std::streamsize xsputn(const char *text, std::streamsize count) override;
  int sync() override;

  std::ostream &terminal;
  Take take;
  bool keepsParts;
  std::string pending;
};

} // namespace nereid::tool
