// LearnStart.cpp: what a learner asks about a unit: `start`, `lesson`, `hint`, `solution`, `reset`.
#include "LaunchWords.h"
#include "course/Learn.h"

#include <filesystem>
#include <unistd.h>

namespace nereid::tool {

namespace {

void showLesson(const std::string &lesson, Console &console) {
  console.out << lessonForTerminal(lesson, console.isTerminal && isatty(STDOUT_FILENO)) << "\n";
}

} // namespace

std::string lessonForTerminal(const std::string &markdown, bool hasColours) {
  if (!hasColours)
    return markdown;
  std::string result;
  bool isCode = false;
  for (size_t begin = 0; begin < markdown.size();) {
    size_t end = std::min(markdown.find('\n', begin), markdown.size());
    std::string line = markdown.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("```")) {
      isCode = !isCode;
      continue;
    }
    if (isCode)
      line = "    \033[36m" + line + "\033[0m";
    else if (line.starts_with("#"))
      line = "\033[1m" + line.substr(std::min(line.find_first_not_of("# "), line.size())) + "\033[0m";
    result += line + "\n";
  }
  return result;
}

int learnStart(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Asked> asked = ask(words, console, status);
  if (!asked)
    return status;
  auto &[desk, entry] = *asked;
  std::error_code none;
  Result<std::string> lesson = desk.course.text(entry, "lesson.md");
  bool wasThere = words.operands.size() < 2 && std::filesystem::exists(desk.file(entry), none);
  Result<std::string> file = startUnit(desk, entry, words.operands.size() > 1 ? words.operands[1] : "", console);
  if (!file)
    return report(console, file.error());
  showLesson(*lesson, console);
  console.out << (wasThere ? "Your file is there already: " : "Your file: ") << *file << "\n"
              << "Edit it, and grade it with `" << desk.command("check") << "`; or leave `" << desk.command("watch")
              << "` open beside your editor.\n"
              << "`" << desk.command("lesson") << "` shows the lesson again.\n";
  return kFine;
}

int learnLesson(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Asked> asked = ask(words, console, status);
  if (!asked)
    return status;
  Result<std::string> lesson = asked->desk.course.text(asked->entry, "lesson.md");
  if (!lesson)
    return report(console, lesson.error());
  showLesson(*lesson, console);
  return kFine;
}

int learnHint(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Asked> asked = ask(words, console, status);
  if (!asked)
    return status;
  auto &[desk, entry] = *asked;
  Result<std::vector<std::string>> hints = desk.course.hints(entry);
  if (!hints)
    return report(console, hints.error());
  if (hints->empty())
    return fail(console, "`" + entry.id + "` has no hints");
  auto shown = static_cast<size_t>(std::max<int64_t>(0, desk.state.units[entry.id].hints));
  size_t number = std::min(shown, hints->size() - 1);
  desk.update([&](learn::CourseState &state) { state.units[entry.id].hints = static_cast<int64_t>(number) + 1; },
              console);
  console.out << entry.id << ", hint " << number + 1 << " of " << hints->size() << "\n\n" << (*hints)[number];
  if (number + 1 == hints->size())
    console.out << "\nThat was the last one; `" << desk.command("solution --anyway") << "` shows a solution.\n";
  return kFine;
}

int learnSolution(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Asked> asked = ask(words, console, status);
  if (!asked)
    return status;
  auto &[desk, entry] = *asked;
  if (!desk.state.isPassed(entry.id) && !words.words.has("--anyway"))
    return fail(console, "`" + entry.id + "` is not passed yet",
                {"`" + desk.command("hint") + "` helps; `--anyway` shows the solution all the same"}, kCheckFailed);
  Result<std::string> solution = desk.course.text(entry, "solution.py");
  if (!solution)
    return report(console, solution.error());
  console.out << *solution;
  return kFine;
}

int learnReset(const LearnWords &words, Console &console) {
  int status = kFine;
  std::optional<Asked> asked = ask(words, console, status);
  if (!asked)
    return status;
  auto &[desk, entry] = *asked;
  std::filesystem::path file = desk.file(entry), kept;
  std::error_code problem;
  if (std::filesystem::exists(file, problem)) {
    for (int i = 1; kept.empty() || std::filesystem::exists(kept, problem); ++i)
      kept = file.parent_path() / ("kernel.old-" + std::to_string(i) + ".py");
    std::filesystem::rename(file, kept, problem);
    if (problem)
      return fail(console, "`" + file.string() + "`: " + problem.message(), {}, kEnvironment);
  }
  desk.update([&](learn::CourseState &state) { state.units.erase(entry.id); }, console);
  Result<std::string> made = startUnit(desk, entry, courseFolderOf(file.string(), entry), console);
  if (!made)
    return report(console, made.error());
  console.out << "Your file is as at the beginning: " << *made << "\n";
  if (!kept.empty())
    console.out << "What you wrote is kept as " << kept.string() << "\n";
  return kFine;
}

} // namespace nereid::tool
