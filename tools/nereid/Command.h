// Command.h: the command line as a table of verbs. A verb is one file with one row: its name, its help, its options and
// what it does.
#pragma once

#include "Paint.h"

#include "support/Diagnostic.h"

#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::tool {

// What the shell sees.
enum ExitStatus : int { kFine = 0, kCheckFailed = 1, kBadInput = 2, kEnvironment = 3, kInternal = 5 };

// Where a command writes. Progress goes to `err`, and only when that is a terminal.
struct Console {
  std::ostream &out;
  std::ostream &err;
  bool isTerminal = false;
  // A launch of more programs is refused; the fuzzer sets it lower.
  int64_t programLimit = 2147483647;
  std::istream *in = nullptr; // null: there is nothing to read
  bool readsTerminal = false; // a person writes there
  bool isOutTerminal = false; // `out` is one too
  bool allowsColor = false;   // NO_COLOR and TERM do
  Paint paint = {};           // for `out`; runCommand sets it
};

// Words that the shell can complete, asked when a completion is made.
using Choices = std::vector<std::string> (*)();

struct Option {
  std::string_view name;  // --grid
  std::string_view value; // EXPR; empty for a flag
  std::string_view help;
  std::string_view alias = {}; // -o
  Choices choices = nullptr;   // for completion; without them `FILE` and `FOLDER` in `value` tell
};

// The words after the verb, sorted into options and operands.
class Words {
public:
  std::vector<std::string> operands;

  bool has(std::string_view option) const { return options.contains(option); }
  // The last value given for an option.
  std::optional<std::string> value(std::string_view option) const;
  const std::vector<std::string> &values(std::string_view option) const;
  // A whole number in [low, high]; reports and returns nothing when it is not one.
  std::optional<int64_t> integer(std::string_view option, int64_t fallback, int64_t low, int64_t high,
                                 Console &console) const;

private:
  friend class WordReader;
  std::map<std::string, std::vector<std::string>, std::less<>> options;
};

struct Verb {
  std::string_view name;
  std::string_view summary; // one line, for the list
  std::string_view usage;   // what follows `nereid`
  std::string_view help;    // the paragraphs below the usage; the options follow by themselves
  std::span<const Option> options;
  int (*run)(const Words &words, Console &console);
  Choices operands = nullptr; // what may follow, for completion; without it: files
};

std::span<const Verb *const> verbs();
// The options that every verb takes.
std::span<const Option> commonOptions();
const Verb *findVerb(std::string_view name);
void printHelp(const Verb &verb, std::ostream &out, const Paint &paint = {});
void printOverview(std::ostream &out, const Paint &paint = {});
// -o, --output FILE
std::string describe(const Option &option);

// Reads the words after the verb; nothing after reporting.
std::optional<Words> readWords(const Verb &verb, std::span<const std::string> words, Console &console);

// Runs a whole command line, without the program's name.
int runCommand(std::span<const std::string> words, Console &console);

// Prints `error: …` and notes, and returns kBadInput (or the status given).
int fail(Console &console, std::string message, std::vector<std::string> notes = {}, int status = kBadInput);
// "did you mean `x`?" for the nearest of the candidates, or nothing.
std::vector<std::string> suggestion(std::string_view name, const std::vector<std::string> &candidates);

extern const Verb kRun, kCheck, kCount, kView, kDebug, kProfile, kBench, kTune, kCompile, kAudit, kLearn, kInfo, kCache,
    kCompletion, kHelp, kVersion;

} // namespace nereid::tool
