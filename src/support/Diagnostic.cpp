#include "support/Diagnostic.h"

#include <algorithm>
#include <utility>

namespace nereid {

Diagnostic &Diagnostics::report(Severity severity, SourceRef source, SourceRange range, std::string message) {
  add({severity, std::move(source), range, std::move(message), {}, {}});
  return list.back();
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error)
    ++errorCount;
  list.push_back(std::move(diagnostic));
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

// The length of the UTF-8 character at the beginning of `text`, or 0 for a control character or a broken one.
static size_t shownLength(std::string_view text) {
  unsigned char lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80)
    return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
      return 0;
  return length;
}

// The source line and its `^~~~`, one column for each character. Tabs are kept in the margin, so that the caret stays
// under its character; what a terminal cannot show becomes `?`; a very long line is cut to a window around the range.
static void renderSnippet(std::string &out, const Source &source, SourceRange range) {
  constexpr size_t kWindow = 160;
  LineColumn at = source.position(range.begin);
  std::string_view line = source.line(at.line);
  size_t begin = std::min<size_t>(at.column - 1, line.size());
  size_t end = std::min<size_t>(begin + (range.end > range.begin ? range.end - range.begin : 0), line.size());
  size_t from = line.size() > kWindow && begin > kWindow / 2 ? begin - kWindow / 2 : 0;
  size_t to = std::min(line.size(), from + kWindow);
  auto continues = [&](size_t i) { return i < line.size() && (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80; };
  while (from > 0 && continues(from))
    --from;
  while (to > from && continues(to))
    --to;
  std::string margin, underline;
  for (size_t i = from; i < to;) {
    size_t length = line[i] == '\t' ? 1 : shownLength(line.substr(i, to - i));
    if (length == 0)
      out += '?';
    else
      out.append(line.substr(i, length));
    if (i < begin)
      margin += line[i] == '\t' ? '\t' : ' ';
    else if (i < end && i > begin)
      underline += '~';
    i += std::max<size_t>(length, 1);
  }
  out.append("\n").append(margin).append("^").append(underline).append("\n");
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

// Insertions, deletions, replacements and swaps of neighbours count one each: swapped letters are the commonest slip.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> earlier, previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], earlier[j - 2] + 1);
    }
    earlier = std::exchange(previous, row);
  }
  return previous[b.size()];
}

std::string nearestName(std::string_view name, const std::vector<std::string> &candidates) {
  std::string best;
  // A third of the letters may differ, but not the only one. Of two that are as near, the one as long as the name wins.
  size_t bestDistance = std::min(std::max<size_t>(1, name.size() / 3) + 1, name.size());
  constexpr size_t kMaxName = 100; // nobody mistypes a longer one, and comparing takes the product of both lengths
  for (const std::string &candidate : candidates) {
    if (std::max(name.size(), candidate.size()) > kMaxName)
      continue;
    size_t distance = editDistance(name, candidate);
    bool isBetterTie =
        !best.empty() && distance == bestDistance && candidate.size() == name.size() && best.size() != name.size();
    if (distance < bestDistance || isBetterTie) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

} // namespace nereid
