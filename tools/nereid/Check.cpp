// Check.cpp: `nereid check`: run a kernel under the sanitizer and report what it finds.
#include "LaunchWords.h"
#include "Summary.h"

#include "jit/Launch.h"
#include "jit/Report.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

namespace nereid::tool {

namespace {

llvm::json::Object toJson(const runtime::CheckReport &report) {
  llvm::json::Array notes;
  for (const std::string &note : report.notes)
    notes.push_back(jsonText(note));
  llvm::json::Object object{{"kind", std::string(runtime::name(report.kind))},
                            {"file", jsonText(report.place.file)},
                            {"line", report.place.line},
                            {"column", report.place.column},
                            {"message", jsonText(report.message)},
                            {"notes", std::move(notes)},
                            {"program", llvm::json::Array{report.program[0], report.program[1], report.program[2]}},
                            {"count", report.count},
                            {"warning", report.isWarning}};
  if (report.other)
    object["other"] = llvm::json::Object{
        {"file", jsonText(report.other->file)}, {"line", report.other->line}, {"column", report.other->column}};
  return object;
}

// "nothing", "1 error", "2 errors and 1 warning".
std::string found(size_t errors, size_t warnings) {
  auto some = [](size_t count, const char *what) {
    return count ? std::to_string(count) + " " + what + (count == 1 ? "" : "s") : std::string();
  };
  std::string text = some(errors, "error"), more = some(warnings, "warning");
  text += (text.empty() || more.empty() ? "" : " and ") + more;
  return text.empty() ? "nothing" : text;
}

int runCheck(const Words &words, Console &console) {
  int status = kFine;
  std::optional<LaunchWords> launch = readLaunch(words, console, status);
  if (!launch)
    return status;
  launch->settings.check = launch->settings.checkUnwritten = true;
  launch->settings.checkFinite = words.has("--finite");
  Result<jit::Launched> launched = jit::launch(*launch->module, launch->kernel, launch->arguments, launch->settings);
  if (!launched)
    return report(console, launched.error());
  console.err << launched->warnings;
  status = jit::hasErrors(launched->reports) ? kCheckFailed : kFine;
  if (words.has("--json")) {
    llvm::json::Array findings;
    for (const runtime::CheckReport &finding : launched->reports)
      findings.push_back(toJson(finding));
    llvm::json::Object object{
        {"kernel", launch->kernel->name}, {"programs", launched->programs}, {"findings", std::move(findings)}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str() << "\n";
    return status;
  }
  console.out << launched->output;
  for (const runtime::CheckReport &finding : launched->reports)
    console.err << jit::renderReport(*launch->module, finding);
  auto warnings = static_cast<size_t>(std::ranges::count_if(launched->reports, &runtime::CheckReport::isWarning));
  std::string what = found(launched->reports.size() - warnings, warnings) + " found";
  Tint tint = status != kFine ? Tint::Bad : warnings ? Tint::Doubtful : Tint::Good;
  console.out << launch->kernel->name << ": " << launched->programs
              << (launched->programs == 1 ? " program" : " programs") << " checked, " << console.paint(tint, what)
              << "\n";
  return status;
}

constexpr Option kCheckOptions[] = {
    kGridOption,   {"--finite", "", "also report the first NaN or infinity"},
    kLetOption,    kTimeoutOption,
    kSeedOption,   kConfigOption,
    kWarpsOption,  kStagesOption,
    kTargetOption, kImportOption,
    kStrictOption, kJsonOption,
};

constexpr std::string_view kCheckHelp =
    "Runs a kernel and reports accesses outside of its tensors, misaligned accesses, use of lanes that a masked load "
    "left\n"
    "undefined, races between programs, overflow of addresses, failed asserts, and elements of its results that no\n"
    "program writes; each with its line and how often it happened. Exit status 1 when an error is found.\n\n"
    "Arguments are those of `nereid run`: NAME=VALUE with numbers, true, None, tensors such as randn:f32[128,64] or\n"
    "file.npy, and Python expressions.\n";

} // namespace

constinit const Verb kCheck{"check",
                            "run a kernel under the sanitizer",
                            "check FILE.py[:KERNEL] NAME=VALUE… --grid EXPR [options]",
                            kCheckHelp,
                            kCheckOptions,
                            runCheck};

} // namespace nereid::tool
