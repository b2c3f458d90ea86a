#include "course/Learn.h"

#include "LaunchWords.h"

namespace nereid::tool {

namespace {

constexpr LearnWord kWords[] = {
    {"list", "", "all units, and which of them you have passed", learnList},
    {"start", "[UNIT [FOLDER]]", "make your file of a unit (in ./nereid-course) and show its lesson", learnStart, 0, 2},
    {"lesson", "[UNIT]", "show the lesson again", learnLesson, 0, 1},
    {"watch", "[UNIT]", "grade your file each time that it is saved", learnWatch, 0, 1},
    {"check", "[UNIT] [--file F]", "grade your file, or F", learnCheck, 0, 1},
    {"hint", "[UNIT]", "one more hint each time", learnHint, 0, 1},
    {"solution", "[UNIT] [--anyway]", "a solution with its reasons, once you have passed", learnSolution, 0, 1},
    {"reset", "UNIT", "begin a unit again; what you wrote is kept beside it", learnReset, 1, 1},
    {"progress", "", "what you have done so far", learnProgress},
    {"certificate", "[FILE.html]", "a page with all that you passed", learnCertificate, 0, 1},
    {"new", "UNIT", "for teachers: the skeleton of a unit, in --course FOLDER or here", learnNew, 1, 1},
    {"validate", "[FOLDER [UNIT…]]", "for teachers: prove that the units of a course hold", learnValidate, 0, 1000},
    {"grade", "FOLDER", "for teachers: grade the submissions of many learners", learnGrade, 1, 1},
};

int runLearn(const Words &words, Console &console) {
  std::string folder = words.value("--course").value_or("");
  if (words.has("--web"))
    return learnWeb({words, words.operands, folder}, console);
  if (words.operands.empty())
    return learnHere({words, {}, folder}, console);
  const std::string &name = words.operands[0];
  for (const LearnWord &word : kWords) {
    if (word.name != name)
      continue;
    std::span<const std::string> rest = std::span(words.operands).subspan(1);
    if (rest.size() < word.fewest || rest.size() > word.most)
      return fail(console, "write `nereid learn " + std::string(word.name) + (word.usage.empty() ? "" : " ") +
                               std::string(word.usage) + "`");
    return word.run({words, rest, folder}, console);
  }
  std::vector<std::string> names;
  for (const LearnWord &word : kWords)
    names.emplace_back(word.name);
  std::vector<std::string> notes = suggestion(name, names);
  notes.push_back("`nereid help learn` lists what there is");
  return fail(console, "`nereid learn` has no word `" + name.substr(0, 80) + "`", std::move(notes));
}

constexpr Option kLearnOptions[] = {
    {"--web", "", "the course in a browser, on this machine alone"},
    {"--port", "N", "for --web: the port (46421, or one that is free)"},
    {"--file", "F", "for check: the file to grade, instead of yours"},
    {"--anyway", "", "for solution: show it before you have passed"},
    {"--name", "TEXT", "for certificate: whose it is"},
    {"--course", "FOLDER", "a course of your own instead of the one in this program"},
    {"--device", "DEVICE", "for check, watch, --web and validate: where compiled code runs (cpu), such as cuda"},
    {"--jobs", "N", "for validate and grade: how many at a time (all cores)"},
    {"--timeout", "SECONDS", "for check, watch, grade and --web: how long grading a file may take (60)"},
    {"--first", "", "for check: run the first test alone, and leave your progress as it is"},
    {"--no-record", "", "for check: leave your progress as it is"},
    kJsonOption,
};

constexpr std::string_view kLearnHelp =
    "A course in writing kernels: days from the first one to flash attention, stages of exercises, puzzles. Alone it "
    "says\n"
    "where you are and what is next. No GPU and no Python are needed. A UNIT is `day-03`, `3`, `stage-1/add`, "
    "`puzzle-07`;\n"
    "without one it is the unit that you are at.\n\n"
    "  list                     all units, and which of them you have passed\n"
    "  start [UNIT [FOLDER]]    make your file of a unit (in ./nereid-course) and show its lesson\n"
    "  lesson [UNIT]            show the lesson again\n"
    "  watch [UNIT]             grade your file each time that it is saved\n"
    "  check [UNIT] [--file F]  grade your file, or F\n"
    "  hint [UNIT]              one more hint each time\n"
    "  solution [UNIT]          a solution with its reasons, once you have passed (or with --anyway)\n"
    "  reset UNIT               begin a unit again; what you wrote is kept beside it\n"
    "  progress                 what you have done so far\n"
    "  certificate [FILE.html]  a page with all that you passed\n\n"
    "For teachers:\n"
    "  new UNIT                 the skeleton of a unit, in --course FOLDER or here\n"
    "  validate [FOLDER [UNIT…]]  prove that the units of a course hold\n"
    "  grade FOLDER             grade the submissions of many learners: FOLDER/LEARNER/UNIT.py\n";

} // namespace

std::span<const LearnWord> learnWords() { return kWords; }

constinit const Verb kLearn{"learn",
                            "learn to write kernels, from the first one to flash attention",
                            "learn [WORD …] [options]",
                            kLearnHelp,
                            kLearnOptions,
                            runLearn};

} // namespace nereid::tool
