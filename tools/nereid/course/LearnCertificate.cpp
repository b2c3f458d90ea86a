// LearnCertificate.cpp: `nereid learn certificate`: a page, made here, with what was passed and the counters reached.
#include "course/Learn.h"

#include "runtime/WriteFile.h"

#include <algorithm>
#include <cstring>

namespace nereid::tool {

static std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

static std::string pageOf(const Desk &desk, const std::string &name) {
  std::string rows, exam;
  size_t passed = 0;
  for (const learn::CourseEntry &entry : desk.course.entries) {
    if (!desk.state.isPassed(entry.id))
      continue;
    const learn::UnitState &state = desk.state.units.at(entry.id);
    ++passed;
    std::string title = escaped(titleOf(desk.course, entry)), goals;
    for (const std::string &goal : state.goals)
      goals += "<div>" + escaped(goal) + "</div>";
    rows += "<tr><td>" + escaped(entry.id) + "</td><td>" + title + goals + "</td><td>" + escaped(state.passedAt) +
            "</td></tr>\n";
    if (entry.part == "exam")
      exam = "<p class=\"exam\">The final exam was passed on " + escaped(state.passedAt) + ".</p>\n";
  }
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(desk.course.title) +
         "</title>\n"
         "<style>body{font:16px/1.5 Georgia,serif;max-width:46em;margin:3em auto;padding:2em 3em;border:3px double "
         "#345;color:#222}"
         "h1{font-weight:normal;text-align:center}table{border-collapse:collapse;width:100%}td{padding:.3em "
         ".6em;border-top:1px solid "
         "#ccc;vertical-align:top}td "
         "div{color:#567;font-size:85%}.exam{text-align:center;font-weight:bold}</style></head><body>\n<h1>" +
         escaped(desk.course.title) + "</h1>\n" +
         (name.empty() ? "" : "<p style=\"text-align:center;font-size:150%\">" + escaped(name) + "</p>\n") + exam +
         "<p>" + std::to_string(passed) + " of " + std::to_string(desk.course.entries.size()) +
         " units are passed, as of " + learn::today() +
         ". Results were compared with a float64 reference under a checker of memory accesses, on an interpreter and "
         "as "
         "compiled code; what stands below a title was counted.</p>\n<table>\n" +
         rows + "</table>\n</body></html>\n";
}

int learnCertificate(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Desk> desk = Desk::open(words, console, status);
  if (!desk)
    return status;
  bool hasPassed = std::ranges::any_of(desk->course.entries,
                                       [&](const learn::CourseEntry &entry) { return desk->state.isPassed(entry.id); });
  if (!hasPassed)
    return fail(console, "nothing is passed yet", {"`" + desk->command("") + "` says where to begin"}, kCheckFailed);
  std::string path = words.operands.empty() ? "certificate.html" : words.operands[0];
  if (int error = runtime::writeFile(path, {pageOf(*desk, words.words.value("--name").value_or(""))}))
    return fail(console, "`" + path.substr(0, 200) + "`: " + std::strerror(error), {}, kEnvironment);
  console.out << "wrote " << path << "\n";
  return kFine;
}

} // namespace nereid::tool
