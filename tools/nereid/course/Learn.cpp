#include "course/Learn.h"

#include "LaunchWords.h"

namespace nereid::tool {

namespace {

constexpr LearnWord kWords[] = {
    {"check", "UNIT [--file F]", "grade a file", learnCheck, 1, 1},
    {"validate", "FOLDER [UNIT…]", "prove that the units of a course hold (for teachers)", learnValidate, 1, 1000},
};

int runLearn(const Words &words, Console &console) {
  std::string name = words.operands.empty() ? "" : words.operands[0];
  for (const LearnWord &word : kWords) {
    if (word.name != name)
      continue;
    std::span<const std::string> rest = std::span(words.operands).subspan(words.operands.empty() ? 0 : 1);
    if (rest.size() < word.fewest || rest.size() > word.most)
      return fail(console, "write `nereid learn " + std::string(word.name) + " " + std::string(word.usage) + "`");
    return word.run({words, rest, words.value("--course").value_or("")}, console);
  }
  std::vector<std::string> names;
  for (const LearnWord &word : kWords)
    names.emplace_back(word.name);
  std::vector<std::string> notes = suggestion(name, names);
  notes.push_back("`nereid help learn` lists what there is");
  return fail(console, "`nereid learn` has no word `" + name.substr(0, 80) + "`", std::move(notes));
}

constexpr Option kOptions[] = {
    {"--file", "F", "the file to grade"},
    {"--course", "FOLDER", "a course of your own instead of the one in this program"},
    {"--jobs", "N", "how many units are proved at a time (all cores)"},
    kJsonOption,
};

} // namespace

std::span<const LearnWord> learnWords() { return kWords; }

std::optional<learn::Course> openCourse(const LearnWords &words, Console &console, int &status) {
  Result<learn::Course> course = learn::Course::open(words.courseFolder);
  if (course)
    return std::move(*course);
  status = report(console, course.error());
  return std::nullopt;
}

constinit const Verb kLearn{"learn",
                            "learn to write kernels, from the first one to flash attention",
                            "learn [WORD …]",
                            "check UNIT --file F      grade a file\n"
                            "validate FOLDER [UNIT…]  prove that the units of a course hold\n",
                            kOptions,
                            runLearn};

} // namespace nereid::tool
