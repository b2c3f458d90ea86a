#include "learn/Mistakes.h"

#include "jit/Launch.h"
#include "learn/Compare.h"

#include <algorithm>

namespace nereid::learn {

namespace {

// What a wrong answer leaves behind; nothing where it does not come to an end.
std::optional<Scene> resultsOf(const KnownMistake &mistake, jit::KernelModule &python, const Test &test) {
  Result<std::shared_ptr<jit::KernelModule>> module = jit::KernelModule::parse("mistake.py", mistake.text);
  Result<Scene> scene = Scene::make(python, test);
  if (!module || !scene)
    return std::nullopt;
  for (const Step &step : test.steps) {
    Result<Scene::Ready> ready = scene->prepare(**module, step);
    if (!ready)
      return std::nullopt;
    // Under the checker, which ends what leaves its tensors instead of letting it write anywhere.
    ready->settings.device = "interp";
    ready->settings.check = true;
    ready->settings.limits.timeout = 2;
    Result<jit::Launched> launched = jit::launch(**module, ready->kernel, ready->arguments, ready->settings);
    if (!launched || std::ranges::any_of(launched->reports, [](const auto &found) { return !found.isWarning; }))
      return std::nullopt;
  }
  return std::move(*scene);
}

std::string meaningOf(const std::string &text) {
  size_t begin = text.find("\"\"\"");
  if (begin == std::string::npos)
    return {};
  begin += 3;
  return text.substr(begin, std::min(text.find("\"\"\"", begin), text.find('\n', begin)) - begin);
}

} // namespace

std::vector<KnownMistake> mistakesOf(const Course &course, const CourseEntry &entry) {
  std::vector<KnownMistake> mistakes;
  for (const std::string &name : course.wrongAnswers(entry))
    if (Result<std::string> text = course.text(entry, name); text && !meaningOf(*text).empty())
      mistakes.push_back({*text, meaningOf(*text)});
  return mistakes;
}

std::string recognize(const std::vector<KnownMistake> &mistakes, jit::KernelModule &python, const Unit &unit,
                      const Test &test, const Scene &results) {
  for (const KnownMistake &mistake : mistakes) {
    std::optional<Scene> other = resultsOf(mistake, python, test);
    auto isSame = [&](const std::string &output) {
      return compareOutput(output, results.find(output)->tensor, other->find(output)->tensor, test.tolerance.at(output),
                           results.isEmpty(output))
          .isRight();
    };
    if (other && std::ranges::all_of(unit.outputs, isSame))
      return mistake.meaning;
  }
  return {};
}

} // namespace nereid::learn
