#include "support/Diagnostic.h"

#include <algorithm>

namespace nereid {

Diagnostic &Diagnostics::report(Severity severity, SourceRef source, SourceRange range, std::string message) {
  if (severity == Severity::Error)
    ++errorCount;
  list.push_back({severity, std::move(source), range, std::move(message), {}});
  return list.back();
}

Diagnostic &Diagnostics::error(SourceRef source, SourceRange range, std::string message) {
  return report(Severity::Error, std::move(source), range, std::move(message));
}

Diagnostic &Diagnostics::error(std::string message) { return report(Severity::Error, nullptr, {}, std::move(message)); }

static const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Remark: return "remark";
  case Severity::Note: return "note";
  }
  return "";
}

// The source line and its `^~~~`. Tabs are kept in the margin, so that the caret stays under its character; a very
// long line is cut to a window around the range.
static void renderSnippet(std::string &out, const Source &source, SourceRange range) {
  constexpr size_t kWindow = 160;
  LineColumn at = source.position(range.begin);
  std::string_view line = source.line(at.line);
  size_t column = std::min<size_t>(at.column - 1, line.size());
  size_t length = std::max<size_t>(1, std::min<size_t>(range.end - range.begin, line.size() - column));
  size_t from = 0;
  if (line.size() > kWindow && column > kWindow / 2)
    from = column - kWindow / 2;
  std::string_view shown = line.substr(from, kWindow);
  length = std::min(length, std::max<size_t>(1, from + kWindow - column));
  out.append(shown).append("\n");
  for (size_t i = from; i < column; ++i) {
    unsigned char c = static_cast<unsigned char>(line[i]);
    if (c == '\t')
      out += '\t';
    else if ((c & 0xC0) != 0x80) // one column for each UTF-8 character
      out += ' ';
  }
  out += '^';
  for (size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(line[column + i]) & 0xC0) != 0x80)
      out += '~';
  out += '\n';
}

static void renderInto(std::string &out, const Diagnostic &diagnostic) {
  if (diagnostic.source) {
    LineColumn at = diagnostic.source->position(diagnostic.range.begin);
    out += diagnostic.source->name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
  }
  out.append(severityName(diagnostic.severity)).append(": ").append(diagnostic.message).append("\n");
  if (diagnostic.source)
    renderSnippet(out, *diagnostic.source, diagnostic.range);
  for (const Diagnostic &note : diagnostic.notes)
    renderInto(out, note);
}

std::string render(const Diagnostic &diagnostic) {
  std::string out;
  renderInto(out, diagnostic);
  return out;
}

std::string Diagnostics::render() const {
  std::string out;
  for (const Diagnostic &diagnostic : list)
    renderInto(out, diagnostic);
  return out;
}

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string nearestName(std::string_view name, const std::vector<std::string> &candidates) {
  std::string best;
  size_t bestDistance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(name, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

} // namespace nereid
