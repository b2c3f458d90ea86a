// Help.cpp: `nereid help`. The text of a verb stands in its own file; this prints it.
#include "Command.h"

#include <algorithm>

namespace nereid::tool {

void printOverview(std::ostream &out) {
  out << "Nereid runs, checks and compiles Triton kernels without Python.\n\n";
  for (const Verb *verb : verbs())
    out << "  nereid " << verb->name << std::string(10 - verb->name.size(), ' ') << verb->summary << "\n";
  out << "\n`nereid help COMMAND` says more. Exit status: 0 fine, 1 a check or comparison failed, 2 the input is "
         "wrong,\n"
         "3 the environment failed, 5 there is a bug in nereid.\n";
}

void printHelp(const Verb &verb, std::ostream &out) {
  out << "usage: nereid " << verb.usage << "\n\n" << verb.help;
  if (verb.options.empty())
    return;
  out << "\noptions:\n";
  size_t width = 0;
  auto left = [](const Option &option) {
    std::string text = option.alias.empty() ? "" : std::string(option.alias) + ", ";
    text += option.name;
    return option.value.empty() ? text : text + " " + std::string(option.value);
  };
  for (const Option &option : verb.options)
    width = std::max(width, left(option).size());
  for (const Option &option : verb.options) {
    std::string text = left(option);
    out << "  " << text << std::string(width - text.size() + 2, ' ') << option.help << "\n";
  }
}

static int runHelp(const Words &words, Console &console) {
  if (words.operands.empty()) {
    printOverview(console.out);
    return kFine;
  }
  if (words.operands.size() > 1)
    return fail(console, "`nereid help` takes one command, but `" + words.operands[1].substr(0, 80) + "` is given too");
  const Verb *verb = findVerb(words.operands[0]);
  if (!verb) {
    std::vector<std::string> names;
    for (const Verb *known : verbs())
      names.emplace_back(known->name);
    return fail(console, "there is no command `" + words.operands[0].substr(0, 80) + "`",
                suggestion(words.operands[0], names));
  }
  printHelp(*verb, console.out);
  return kFine;
}

constinit const Verb kHelp{"help",
                           "what the commands do",
                           "help [COMMAND]",
                           "Says what a command does, what it takes and what it prints.\n",
                           {},
                           runHelp};

} // namespace nereid::tool
