// Help.cpp: `nereid help`. The text of a verb stands in its own file; this prints it.
#include "Command.h"
#include "Manual.h"

#include <algorithm>

namespace nereid::tool {

void printOverview(std::ostream &out, const Paint &paint) {
  out << "Nereid runs, checks and compiles Triton kernels without Python.\n\n";
  size_t width = 0;
  for (const Verb *verb : verbs())
    width = std::max(width, verb->name.size());
  for (const Verb *verb : verbs())
    out << "  nereid " << paint(Tint::Strong, verb->name) << std::string(width - verb->name.size() + 2, ' ')
        << verb->summary << "\n";
  out << "\n`nereid help COMMAND` says more. Exit status: 0 fine, 1 a check or comparison failed, 2 the input is "
         "wrong,\n"
         "3 the environment failed, 5 there is a bug in nereid.\n";
}

std::string describe(const Option &option) {
  std::string text = option.alias.empty() ? "" : std::string(option.alias) + ", ";
  text += option.name;
  return option.value.empty() ? text : text + " " + std::string(option.value);
}

void printHelp(const Verb &verb, std::ostream &out, const Paint &paint) {
  out << paint(Tint::Strong, "usage:") << " nereid " << verb.usage << "\n\n" << verb.help;
  size_t width = 0;
  for (std::span<const Option> list : {verb.options, commonOptions()})
    for (const Option &option : list)
      width = std::max(width, describe(option).size());
  out << "\n" << paint(Tint::Strong, "options:") << "\n";
  for (std::span<const Option> list : {verb.options, commonOptions()})
    for (const Option &option : list) {
      std::string text = describe(option);
      out << "  " << paint(Tint::Place, text) << std::string(width - text.size() + 2, ' ') << option.help << "\n";
    }
}

static std::vector<std::string> verbNames() {
  std::vector<std::string> names;
  for (const Verb *verb : verbs())
    names.emplace_back(verb->name);
  return names;
}

static int runHelp(const Words &words, Console &console) {
  if (words.has("--man")) {
    printManual(console.out);
    return kFine;
  }
  if (words.operands.empty()) {
    printOverview(console.out, console.paint);
    return kFine;
  }
  if (words.operands.size() > 1)
    return fail(console, "`nereid help` takes one command, but `" + words.operands[1].substr(0, 80) + "` is given too");
  const Verb *verb = findVerb(words.operands[0]);
  if (!verb)
    return fail(console, "there is no command `" + words.operands[0].substr(0, 80) + "`",
                suggestion(words.operands[0], verbNames()));
  printHelp(*verb, console.out, console.paint);
  return kFine;
}

static constexpr Option kOptions[] = {{"--man", "", "print the manual page, in the language of man"}};

constinit const Verb kHelp{"help",           "what the commands do",
                           "help [COMMAND]", "Says what a command does, what it takes and what it prints.\n",
                           kOptions,         runHelp,
                           verbNames};

} // namespace nereid::tool
