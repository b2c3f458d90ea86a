// Command.cpp: finds the verb, reads its words, runs it.
#include "Command.h"

#include "DiagnosticText.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace nereid::tool {

static constexpr const Verb *kVerbs[] = {
    &kRun,     &kCheck, &kCount, &kView, &kDebug, &kProfile,    &kBench, &kTune,
    &kCompile, &kAudit, &kLearn, &kInfo, &kCache, &kCompletion, &kHelp,  &kVersion,
};

static std::vector<std::string> colorChoices() { return {"auto", "always", "never"}; }
static constexpr Option kCommonOptions[] = {
    {"--help", "", "say what this command does", "-h"},
    {"--color", "WHEN", "auto: colours on a terminal (default); always; never", {}, colorChoices}};

std::span<const Verb *const> verbs() { return kVerbs; }
std::span<const Option> commonOptions() { return kCommonOptions; }

const Verb *findVerb(std::string_view name) {
  for (const Verb *verb : kVerbs)
    if (verb->name == name)
      return verb;
  return nullptr;
}

int fail(Console &console, std::string message, std::vector<std::string> notes, int status) {
  Diagnostic diagnostic{Severity::Error, nullptr, {}, std::move(message), {}};
  for (std::string &note : notes)
    diagnostic.notes.push_back({Severity::Note, nullptr, {}, std::move(note), {}});
  console.err << render(diagnostic);
  return status;
}

std::vector<std::string> suggestion(std::string_view name, const std::vector<std::string> &candidates) {
  // Edit distance is quadratic; nobody mistypes a name of this length by a letter.
  if (name.size() > 200)
    return {};
  std::string nearest = nearestName(name, candidates);
  return nearest.empty() ? std::vector<std::string>{} : std::vector<std::string>{"did you mean `" + nearest + "`?"};
}

std::optional<std::string> Words::value(std::string_view option) const {
  auto found = options.find(option);
  return found == options.end() ? std::nullopt : std::optional(found->second.back());
}

const std::vector<std::string> &Words::values(std::string_view option) const {
  static const std::vector<std::string> none;
  auto found = options.find(option);
  return found == options.end() ? none : found->second;
}

std::optional<int64_t> Words::integer(std::string_view option, int64_t fallback, int64_t low, int64_t high,
                                      Console &console) const {
  std::optional<std::string> text = value(option);
  if (!text)
    return fallback;
  int64_t number = 0;
  auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (problem == std::errc() && end == text->data() + text->size() && number >= low && number <= high)
    return number;
  fail(console, "`" + std::string(option) + "` takes a whole number from " + std::to_string(low) + " to " +
                    std::to_string(high) + ", not `" + text->substr(0, 80) + "`");
  return std::nullopt;
}

class WordReader {
public:
  WordReader(const Verb &verb, Console &console) : verb(verb), console(console) {}

  bool read(std::span<const std::string> list) {
    bool onlyOperands = false;
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string &word = list[i];
      // A lone `-` and negative numbers are operands.
      bool isOption = word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
      if (onlyOperands || !isOption)
        words.operands.push_back(word);
      else if (word == "--")
        onlyOperands = true;
      else if (!readOption(word, list, i))
        return false;
    }
    return true;
  }

  Words words;

private:
  bool readOption(const std::string &word, std::span<const std::string> list, size_t &i) {
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    const Option *option = find(name);
    if (!option) {
      std::vector<std::string> names;
      for (std::span<const Option> list : {verb.options, commonOptions()})
        for (const Option &known : list)
          names.emplace_back(known.name);
      std::vector<std::string> notes = suggestion(name, names);
      notes.push_back("`nereid help " + std::string(verb.name) + "` lists the options");
      fail(console, "`nereid " + std::string(verb.name) + "` has no option `" + name.substr(0, 80) + "`",
           std::move(notes));
      return false;
    }
    std::vector<std::string> &values = words.options[std::string(option->name)];
    if (option->value.empty()) {
      if (equals != std::string::npos) {
        fail(console, "`" + name + "` takes no value");
        return false;
      }
      values.emplace_back();
    } else if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (i + 1 < list.size()) {
      values.push_back(list[++i]);
    } else {
      fail(console, "`" + name + "` needs a value: " + std::string(option->value));
      return false;
    }
    return true;
  }

  const Option *find(std::string_view name) const {
    for (std::span<const Option> list : {verb.options, commonOptions()})
      for (const Option &option : list)
        if (option.name == name || (!option.alias.empty() && option.alias == name))
          return &option;
    return nullptr;
  }

  const Verb &verb;
  Console &console;
};

std::optional<Words> readWords(const Verb &verb, std::span<const std::string> words, Console &console) {
  WordReader reader(verb, console);
  if (!reader.read(words))
    return std::nullopt;
  return std::move(reader.words);
}

// What other tools call our commands.
static std::vector<std::string> otherWord(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"exec", "run"},     {"execute", "run"},       {"launch", "run"},      {"test", "check"},
      {"verify", "check"}, {"lint", "check"},        {"sanitize", "check"},  {"build", "compile"},
      {"emit", "compile"}, {"translate", "compile"}, {"time", "bench"},      {"benchmark", "bench"},
      {"perf", "profile"}, {"trace", "profile"},     {"autotune", "tune"},   {"devices", "info"},
      {"list", "info"},    {"doctor", "info"},       {"supported", "audit"}, {"scan", "audit"}};
  for (const auto &[word, ours] : kWords)
    if (word == name)
      return {"write `nereid " + std::string(ours) + "`"};
  return {};
}

static int runVerb(const Verb &verb, std::span<const std::string> words, Console &console) {
  std::optional<Words> rest = readWords(verb, words, console);
  if (!rest)
    return kBadInput;
  if (rest->has("--help")) {
    printHelp(verb, console.out, console.paint);
    return kFine;
  }
  return verb.run(*rest, console);
}

// The same console with other streams.
static Console writingTo(std::ostream &out, std::ostream &err, const Console &console) {
  Console result{out, err};
  result.isTerminal = console.isTerminal;
  result.programLimit = console.programLimit;
  result.in = console.in;
  result.readsTerminal = console.readsTerminal;
  result.isOutTerminal = console.isOutTerminal;
  result.allowsColor = console.allowsColor;
  result.paint = console.paint;
  return result;
}

// Under `--json` all that goes wrong is one object too: a command that printed none gets one made of its messages.
static int runForJson(Console &console, llvm::function_ref<int(Console &)> run) {
  std::ostringstream out;
  std::string text;
  int status = kFine;
  {
    LineStream err(console.err, [&](std::string_view line) { text.append(line).append("\n"); }, true);
    Console inner = writingTo(out, err, console);
    inner.paint = {};
    status = run(inner);
  }
  std::string printed = std::move(out).str();
  if (status == kFine || !printed.empty()) {
    console.out << printed;
    console.err << text;
  } else {
    console.out << llvm::formatv("{0:2}", llvm::json::Value(errorObject(text, status))).str() << "\n";
  }
  return status;
}

static int failForName(std::string_view name, Console &console) {
  std::vector<std::string> names;
  for (const Verb *known : kVerbs)
    names.emplace_back(known->name);
  std::vector<std::string> notes = otherWord(name);
  if (notes.empty())
    notes = suggestion(name, names);
  notes.push_back("`nereid help` lists what there is");
  return fail(console, "there is no command `" + std::string(name.substr(0, 80)) + "`", std::move(notes));
}

static int findAndRun(std::span<const std::string> words, Console &console) {
  if (words.empty()) {
    printOverview(console.err);
    return kBadInput;
  }
  std::string_view name = words[0];
  if (name == "--help" || name == "-h")
    name = "help";
  else if (name == "--version" || name == "-V")
    name = "version";
  const Verb *verb = findVerb(name);
  std::span<const std::string> rest = words.subspan(1);
  auto run = [&](Console &inner) { return verb ? runVerb(*verb, rest, inner) : failForName(name, inner); };
  auto own = std::ranges::find(rest, "--"); // behind it are words of another program
  return std::ranges::find(rest.begin(), own, "--json") != own ? runForJson(console, run) : run(console);
}

// The last `--color WHEN` or `--color=WHEN`, before or behind the verb; it decides how everything else is said.
static std::string colorAsked(std::span<const std::string> words) {
  constexpr std::string_view kName = "--color";
  std::string asked = "auto";
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i)
    if (words[i] == kName && i + 1 < words.size())
      asked = words[++i];
    else if (words[i].starts_with(kName) && words[i].substr(kName.size()).starts_with('='))
      asked = words[i].substr(kName.size() + 1);
  return asked;
}

int runCommand(std::span<const std::string> words, Console &console) {
  std::string asked = colorAsked(words);
  bool isAuto = asked == "auto" && console.allowsColor, isAlways = asked == "always";
  while (!words.empty() && words[0].starts_with("--color"))
    words = words.subspan(std::min<size_t>(words.size(), words[0] == "--color" ? 2 : 1));
  Console painted = console;
  painted.paint.isOn = isAlways || (isAuto && console.isOutTerminal);
  if (std::vector<std::string> known = colorChoices(); std::ranges::find(known, asked) == known.end())
    return fail(console, "`--color` takes `auto`, `always` or `never`, not `" + asked.substr(0, 80) + "`");
  if (!isAlways && !(isAuto && console.isTerminal))
    return findAndRun(words, painted);
  LineStream err(console.err, [&](std::string_view line) { console.err << paintDiagnosticLine(line) << "\n"; });
  Console both = writingTo(painted.out, err, painted);
  return findAndRun(words, both);
}

} // namespace nereid::tool
