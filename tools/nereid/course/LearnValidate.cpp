// LearnValidate.cpp: `nereid learn validate`: the proof that a course holds.
#include "LaunchWords.h"
#include "Progress.h"
#include "Summary.h"
#include "course/Learn.h"

#include "learn/Validate.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <thread>

namespace nereid::tool {

static int printProofs(const std::vector<learn::Proof> &proofs, bool isJson, Console &console) {
  size_t answers = 0, wrong = 0;
  double longest = 0;
  std::string slowest;
  std::vector<double> times;
  llvm::json::Array units;
  for (const learn::Proof &proof : proofs) {
    answers += proof.answers;
    wrong += !proof.problems.empty();
    times.push_back(proof.seconds);
    if (proof.seconds > longest) {
      longest = proof.seconds;
      slowest = proof.unit;
    }
    llvm::json::Array problems;
    for (const std::string &problem : proof.problems) {
      problems.push_back(jsonText(problem));
      if (!isJson)
        console.err << proof.unit << ": " << problem << (problem.ends_with('\n') ? "" : "\n");
    }
    units.push_back(llvm::json::Object{{"unit", proof.unit},
                                       {"answers", proof.answers},
                                       {"seconds", proof.seconds},
                                       {"problems", std::move(problems)}});
  }
  std::ranges::sort(times);
  double median = times.empty() ? 0 : times[times.size() / 2];
  if (isJson)
    console.out << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{{"units", std::move(units)},
                                                                               {"wrong", wrong},
                                                                               {"median_seconds", median},
                                                                               {"longest_seconds", longest}}))
                       .str()
                << "\n";
  else
    console.out << proofs.size() << (proofs.size() == 1 ? " unit, " : " units, ") << answers << " answers graded, "
                << wrong << " units do not hold; a solution takes " << shortNumber(median) << " s (median), at most "
                << shortNumber(longest) << " s" << (slowest.empty() ? "" : " (" + slowest + ")") << "\n";
  return wrong ? kCheckFailed : kFine;
}

int learnValidate(const LearnWords &words, Console &console) {
  auto jobs = words.words.integer("--jobs", std::max(1u, std::thread::hardware_concurrency()), 1, 256, console);
  if (!jobs)
    return kBadInput;
  int status = kFine;
  std::optional<std::string> device = gradingDevice(words, console, status);
  if (!device)
    return status;
  std::optional<learn::Course> course =
      openCourse({words.words, {}, words.operands.empty() ? words.courseFolder : words.operands[0]}, console, status);
  if (!course)
    return status;
  std::vector<learn::CourseEntry> entries;
  for (const std::string &name : words.operands.subspan(words.operands.empty() ? 0 : 1)) {
    Result<learn::CourseEntry> entry = course->find(name);
    if (!entry)
      return report(console, entry.error());
    entries.push_back(*entry);
  }
  if (entries.empty())
    entries = course->entries;
  std::vector<learn::Proof> proofs = learn::validateCourse(*course, entries, static_cast<unsigned>(*jobs), *device);
  return printProofs(proofs, words.words.has("--json"), console);
}

} // namespace nereid::tool
