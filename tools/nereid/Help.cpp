// Help.cpp: `nereid help`. The text of a verb stands in its own file; this prints it.
#include "Command.h"
#include "LanguageHelp.h"
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
  out << "\n`nereid help COMMAND` says more, `nereid help tl.dot` explains a function. Exit status: 0 fine, 1 a check "
         "or comparison failed, 2 the input is "
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

static std::vector<std::string> topics() {
  std::vector<std::string> names;
  for (const Verb *verb : verbs())
    names.emplace_back(verb->name);
  for (std::string &name : languageNames())
    names.push_back(std::move(name));
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
    return fail(console, "`nereid help` takes one command or function, but `" + words.operands[1].substr(0, 80) +
                             "` is given too");
  const Verb *verb = findVerb(words.operands[0]);
  bool exampleOnly = words.has("--example");
  const lang::CatalogueEntry *function = verb ? nullptr : lang::findCatalogueEntry(words.operands[0]);
  if (function)
    return printLanguageHelp(*function, exampleOnly, console);
  if (!verb)
    return fail(console, "there is no command and no function `" + words.operands[0].substr(0, 80) + "`",
                suggestion(words.operands[0], topics()));
  if (exampleOnly)
    return fail(console, "`--example` is for a function of the language, such as `tl.dot`");
  printHelp(*verb, console.out, console.paint);
  return kFine;
}

static constexpr Option kHelpOptions[] = {{"--example", "", "of a function: nothing but its example, as a file"},
                                          {"--man", "", "print the manual page, in the language of man"}};

static constexpr std::string_view kHelpHelp =
    "Says what a command does, what it takes and what it prints; or what a function of the language means, with its\n"
    "signature and an example: `nereid help tl.dot`.\n";

constinit const Verb kHelp{"help",
                           "what the commands do, and the functions of the language",
                           "help [COMMAND | FUNCTION]",
                           kHelpHelp,
                           kHelpOptions,
                           runHelp,
                           topics};

} // namespace nereid::tool
