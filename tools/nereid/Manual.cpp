#include "Manual.h"

#include "Command.h"

#include "api/Version.h"

namespace nereid::tool {

namespace {

// A text in which nothing is a request of roff: `\` and `-` are escaped, and no line begins with `.` or `'`. Our texts have one
// character beyond ASCII, `…`.
std::string escaped(std::string text) {
  constexpr std::string_view kDots = "…";
  for (size_t at; (at = text.find(kDots)) != std::string::npos;)
    text.replace(at, kDots.size(), "...");
  std::string result;
  bool isLineStart = true;
  for (char c : text) {
    if (isLineStart && (c == '.' || c == '\''))
      result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    isLineStart = c == '\n';
  }
  return result;
}

void printOptions(std::span<const Option> options, std::ostream &out) {
  for (const Option &option : options) {
    std::string name = option.alias.empty() ? "" : "\\fB" + escaped(std::string(option.alias)) + "\\fR, ";
    name += "\\fB" + escaped(std::string(option.name)) + "\\fR";
    if (!option.value.empty())
      name += " \\fI" + escaped(std::string(option.value)) + "\\fR";
    out << ".TP\n" << name << "\n" << escaped(std::string(option.help)) << "\n";
  }
}

void printVerb(const Verb &verb, std::ostream &out) {
  out << ".SS " << escaped(std::string(verb.name)) << "\n"
      << ".B nereid\n"
      << escaped(std::string(verb.usage)) << "\n.PP\n"
      << ".nf\n"
      << escaped(std::string(verb.help)) << ".fi\n";
  printOptions(verb.options, out);
}

} // namespace

void printManual(std::ostream &out) {
  out << ".TH NEREID 1 \"\" \"nereid " << kVersionText << "\" \"User Commands\"\n"
      << ".SH NAME\nnereid \\- run, check and compile Triton kernels without Python\n"
      << ".SH SYNOPSIS\n.B nereid\n.I COMMAND\n[\\fIWORDS\\fR] [\\fIOPTIONS\\fR]\n"
      << ".SH DESCRIPTION\nNereid is the Triton tile language as one native system. It reads Triton kernels, checks "
         "them, "
         "compiles them for\nCPUs and NVIDIA GPUs and runs them.\n"
      << ".SH COMMANDS\n";
  for (const Verb *verb : verbs())
    printVerb(*verb, out);
  out << ".SH OPTIONS OF EVERY COMMAND\n";
  printOptions(commonOptions(), out);
  static constexpr std::pair<int, std::string_view> kStatuses[] = {
      {kFine, "fine"},
      {kCheckFailed, "a check or comparison failed, or a time limit was over"},
      {kBadInput, "the input is wrong; a message says where"},
      {kEnvironment, "the environment failed: a device or a file is missing"},
      {kInternal, "an internal error: a bug of nereid"}};
  out << ".SH EXIT STATUS\n";
  for (const auto &[status, meaning] : kStatuses)
    out << ".TP\n.B " << status << "\n" << escaped(std::string(meaning)) << "\n";
  static constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
      {"NEREID_DEVICE", "where kernels run that name no device: cpu (the default), cuda, cuda:1, interp"},
      {"NEREID_CACHE_DIR", "the folder of compiled kernels; empty: none. Otherwise $XDG_CACHE_HOME/nereid or "
                           "~/.cache/nereid"},
      {"NEREID_LOG", "off, warning (the default), info or debug"},
      {"NO_COLOR", "not empty: no colours, unless --color always asks for them"}};
  out << ".SH ENVIRONMENT\n";
  for (const auto &[name, meaning] : kVariables)
    out << ".TP\n.B " << name << "\n" << escaped(std::string(meaning)) << "\n";
}

} // namespace nereid::tool
