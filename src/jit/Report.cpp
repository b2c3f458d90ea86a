#include "jit/Report.h"

#include <algorithm>

namespace nereid::jit {

namespace {

// A place as offsets into its source, or no source when that cannot be read (a module inside the library).
Diagnostic diagnosticAt(KernelModule &module, Severity severity, const runtime::Place &place, std::string message) {
  Diagnostic diagnostic{severity, nullptr, {}, std::move(message), {}};
  if (place.line == 0)
    return diagnostic;
  SourceRef source = module.sourceOf(place.file);
  if (!source || source->line(place.line).data() == nullptr) {
    diagnostic.message = place.file + ":" + std::to_string(place.line) + ": " + diagnostic.message;
    return diagnostic;
  }
  std::string_view line = source->line(place.line);
  auto start = static_cast<uint32_t>(line.data() - source->text().data());
  auto length = static_cast<uint32_t>(line.size());
  uint32_t begin = std::min(place.column ? place.column - 1 : 0, length);
  uint32_t end = place.endColumn > place.column ? std::min(place.endColumn - 1, length) : length;
  diagnostic.source = source;
  diagnostic.range = {start + begin, start + std::max(begin, end)};
  return diagnostic;
}

void addCallers(KernelModule &module, Diagnostic &diagnostic, const runtime::Place &place) {
  for (const runtime::Place &caller : place.callers)
    diagnostic.notes.push_back(diagnosticAt(module, Severity::Note, caller, "called from here"));
}

Diagnostic note(std::string message) { return {Severity::Note, nullptr, {}, std::move(message), {}}; }

std::string programName(const std::array<uint32_t, 3> &program) {
  return "(" + std::to_string(program[0]) + ", " + std::to_string(program[1]) + ", " + std::to_string(program[2]) + ")";
}

} // namespace

std::string renderFailure(KernelModule &module, const runtime::Failure &failure) {
  Diagnostic diagnostic = diagnosticAt(module, Severity::Error, failure.place, failure.message);
  using Kind = runtime::Failure::Kind;
  if (failure.kind == Kind::BadAccess || failure.kind == Kind::Arithmetic || failure.kind == Kind::Assert ||
      failure.kind == Kind::StepLimit || (failure.kind == Kind::Cancelled && failure.place.line))
    diagnostic.notes.push_back(note("in program " + programName(failure.program)));
  addCallers(module, diagnostic, failure.place);
  return render(diagnostic);
}

std::string renderFailure(KernelModule &module, const runtime::Site &site, const std::array<uint32_t, 3> &program) {
  using Kind = runtime::Failure::Kind;
  runtime::Failure same;
  same.kind = site.kind == runtime::Site::Kind::Assert ? Kind::Assert : Kind::Arithmetic;
  same.message = describeFailure(site);
  same.place = {site.file, site.line, site.column, site.endColumn, {}};
  same.program = program;
  return renderFailure(module, same);
}

std::string renderReport(KernelModule &module, const runtime::CheckReport &report) {
  Diagnostic diagnostic = diagnosticAt(module, report.isWarning ? Severity::Warning : Severity::Error, report.place,
                                       std::string(runtime::name(report.kind)) + ": " + report.message);
  for (const std::string &line : report.notes)
    diagnostic.notes.push_back(note(line));
  if (report.other)
    diagnostic.notes.push_back(diagnosticAt(module, Severity::Note, *report.other, "the other access is here"));
  if (!report.isOfLaunch)
    diagnostic.notes.push_back(note("in program " + programName(report.program) + "; it happened " +
                                    std::to_string(report.count) + (report.count == 1 ? " time" : " times")));
  addCallers(module, diagnostic, report.place);
  return render(diagnostic);
}

bool hasErrors(const std::vector<runtime::CheckReport> &reports) {
  return !std::ranges::all_of(reports, &runtime::CheckReport::isWarning);
}

std::string renderReports(KernelModule &module, const std::vector<runtime::CheckReport> &reports) {
  std::string text;
  for (const runtime::CheckReport &report : reports)
    text += renderReport(module, report);
  return text;
}

} // namespace nereid::jit
