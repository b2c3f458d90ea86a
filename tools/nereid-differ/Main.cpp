// Main.cpp: nereid-differ: random programs on two devices or more.
//
//   nereid-differ --programs 20000 --seed 1 [--device cpu] [--against interp] [--jobs N] [--save FOLDER]
//       devices: interp, cpu, cpu:x86-64, cpu:x86-64-v3+avxvnni, … (code for other processors), cuda, and lists: cpu,cuda
//       emitted: the interpreter without the passes that all other devices share; emitted:PASS+PASS…: with these
//       sm_90a, sm_80, …: only compiled for such a GPU, which need not be here; with --assemble to machine code (ptxas)
//       interp:claims: the interpreter, which compares what the compiler's analysis says of numbers with them
//       --integers: programs about integers, in every width, below zero and beyond their types
//   nereid-differ --replay FILE.py …        runs saved programs again
//   nereid-differ --program SEED [--print]  makes one program again, by the seed that a finding names
//   nereid-differ --coverage --programs N   counts the functions of the language in the programs
// Every difference is reduced to a small program and printed. The exit status is 0 where all programs agree, 1 where
// one does not, 2 for a wrong command line, 3 where the device is missing.
#include "Campaign.h"
#include "Reduce.h"
#include "Report.h"
#include "TargetLaunch.h"

#include "runtime/WriteFile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <unistd.h>

namespace nereid::differ {
namespace {

struct Command {
  CampaignOptions campaign;
  std::string save;
  std::vector<std::string> replays;
  std::optional<uint64_t> single;
  bool prints = false, coverage = false, reduces = true;
  int mostReductions = 20;
};

std::optional<Command> readCommand(int count, char **words) {
  Command command;
  CampaignOptions &campaign = command.campaign;
  EvaluateOptions &evaluate = campaign.evaluate;
  std::map<std::string, std::function<void(const std::string &)>> options = {
      {"--programs", [&](auto &text) { campaign.programs = std::stoll(text); }},
      {"--first", [&](auto &text) { campaign.first = std::stoll(text); }},
      {"--seed", [&](auto &text) { campaign.seed = std::stoull(text, nullptr, 0); }},
      {"--jobs", [&](auto &text) { campaign.jobs = unsigned(std::stoul(text)); }},
      {"--time-limit", [&](auto &text) { campaign.timeLimit = std::stod(text); }},
      {"--timeout", [&](auto &text) { evaluate.timeout = std::stod(text); }},
      {"--device", [&](auto &text) { evaluate.device = text; }},
      {"--against", [&](auto &text) { evaluate.against = text; }},
      {"--threads", [&](auto &text) { evaluate.threads = unsigned(std::stoul(text)); }},
      {"--plant", [&](auto &text) { evaluate.planted = text; }},
      {"--save", [&](auto &text) { command.save = text; }},
      {"--replay", [&](auto &text) { command.replays.push_back(text); }},
      {"--program", [&](auto &text) { command.single = std::stoull(text, nullptr, 0); }},
      {"--most-reductions", [&](auto &text) { command.mostReductions = std::stoi(text); }}};
  std::map<std::string, bool *> flags = {{"--check", &evaluate.check},
                                         {"--assemble", &evaluate.assembles},
                                         {"--print", &command.prints},
                                         {"--coverage", &command.coverage},
                                         {"--contracts", &campaign.generator.contracts},
                                         {"--integers", &campaign.generator.integers},
                                         {"--barriers", &campaign.generator.barriers},
                                         {"--assert-types", &campaign.generator.assertTypes}};
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    auto option = options.find(word);
    if (word == "--no-reduce")
      command.reduces = false;
    else if (flags.contains(word))
      *flags[word] = true;
    else if (option != options.end() && i + 1 < count && (*words[i + 1] != '\0'))
      option->second(words[++i]);
    else {
      llvm::errs() << "error: unknown option or missing value: `" << word << "`\n";
      return std::nullopt;
    }
  }
  return command;
}

void keep(const std::string &path, const std::string &text) {
  if (int problem = runtime::writeFile(path, {text}))
    llvm::errs() << "error: `" << path << "` cannot be written: " << std::strerror(problem) << "\n";
}

void showFinding(const Command &command, uint64_t seed, Verdict verdict, bool reduces) {
  const EvaluateOptions &options = command.campaign.evaluate;
  Program program = Generator(seed, command.campaign.generator).generate();
  std::string folder = command.save;
  std::string name = llvm::formatv("{0:x}", seed).str();
  if (!folder.empty())
    keep(folder + "/" + name + ".full.py", fileText(makeCase(program), title(seed, verdict, options)));
  int tried = 0;
  if (reduces && verdict.isFinding()) {
    Reduction reduction = reduce(program, verdict, options);
    program = reduction.program, verdict = reduction.verdict, tried = reduction.candidates;
  }
  Case testCase = makeCase(program);
  std::string text = fileText(testCase, title(seed, verdict, options));
  if (!folder.empty()) {
    std::string file = folder + "/" + name + ".py";
    std::string line = verdict.isFinding() ? runCommand(testCase, file, options) : "";
    if (!line.empty())
      text = "# " + line + "\n" + text;
    keep(file, text);
  }
  llvm::outs() << "---\n" << text << llvm::formatv("--- ({0} candidates tried)\n", tried);
  llvm::outs().flush();
}

int countCoverage(const Command &command) {
  std::map<std::string, int64_t> counts;
  static const std::regex kNames("(tl|libdevice)\\.[a-z_.0-9]+|\\.(to|T|load|store)\\b|\\bfor\\b|\\bwhile\\b|\\bif\\b|"
                                 "\\breturn(?=\n)|\\belse (?=\\w)|"
                                 "\\band\\b|\\bor\\b|\\bnot\\b|, -[1-3]\\)(?=:)|loop_unroll_factor|\\bb \\* c \\+ "
                                 "d|\\ba \\* e \\+ b|b != 0, b, a");
  for (int64_t i = 0; i < command.campaign.programs; ++i) {
    std::string text =
        makeCase(Generator(programSeed(command.campaign.seed, i), command.campaign.generator).generate()).text;
    std::map<std::string, bool> seen;
    for (std::sregex_iterator at(text.begin(), text.end(), kNames), end; at != end; ++at)
      seen[at->str()] = true;
    for (const auto &[name, _] : seen)
      ++counts[name];
  }
  for (const auto &[name, count] : counts)
    llvm::outs() << llvm::formatv("{0,8} {1}\n", count, name);
  return 0;
}

int replay(const Command &command) {
  int differing = 0;
  for (const std::string &path : command.replays) {
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    Result<Case> testCase = parseFile(text);
    if (!file || !testCase) {
      llvm::errs() << "error: cannot read `" << path << "`" << (testCase ? "" : ": " + testCase.error().message)
                   << "\n";
      return 2;
    }
    EvaluateOptions options = command.campaign.evaluate;
    options.moduleFile = path;
    Verdict verdict = evaluateApart(*testCase, options);
    differing += verdict.kind != Verdict::Kind::Same;
    llvm::outs() << path << ": " << nameOf(verdict.kind) << "\n" << verdict.detail;
  }
  return differing ? 1 : 0;
}

int runSingle(const Command &command) {
  Case testCase = makeCase(Generator(*command.single, command.campaign.generator).generate());
  if (command.prints) {
    llvm::outs() << fileText(testCase, llvm::formatv("program {0:x}", *command.single).str());
    return 0;
  }
  Verdict verdict = evaluateApart(testCase, command.campaign.evaluate);
  llvm::outs() << nameOf(verdict.kind) << "\n" << verdict.detail;
  if (verdict.kind != Verdict::Kind::Same)
    showFinding(command, *command.single, verdict, command.reduces);
  return verdict.kind == Verdict::Kind::Same ? 0 : 1;
}

int runMany(const Command &command) {
  std::vector<Finding> findings;
  bool isTerminal = isatty(2);
  Totals totals = runCampaign(
      command.campaign,
      [&](const Finding &finding) {
        findings.push_back(finding);
        llvm::outs() << llvm::formatv("program {0} (seed {1:x}): {2}\n{3}\n", finding.index, finding.seed,
                                      std::string(nameOf(finding.verdict.kind)), finding.verdict.detail.substr(0, 400));
        llvm::outs().flush();
      },
      [&](const Totals &now) {
        if (isTerminal && now.total() % 50 == 0)
          llvm::errs() << "\r" << now.total() << " of " << command.campaign.programs << ", " << findings.size()
                       << " findings ";
      });
  int left = command.mostReductions;
  for (const Finding &finding : findings)
    if (left-- > 0 && (command.reduces || !command.save.empty()))
      showFinding(command, finding.seed, finding.verdict, command.reduces);
  llvm::outs() << totals.total() << " programs " << where(command.campaign.evaluate) << ":";
  for (size_t kind = 0; kind < std::size(totals.counts); ++kind)
    llvm::outs() << (kind ? ", " : " ") << totals.counts[kind] << " " << nameOf(Verdict::Kind(kind));
  llvm::outs() << "\n" << totals.counts[0] << " passed, " << totals.total() - totals.counts[0] << " failed\n";
  return totals.total() == totals.counts[0] ? 0 : 1;
}

} // namespace
} // namespace nereid::differ

int main(int count, char **words) {
  using namespace nereid::differ;
  std::optional<Command> command = readCommand(count, words);
  if (!command)
    return 2;
  if (command->coverage)
    return countCoverage(*command);
  setenv("NEREID_CACHE_DIR", "", 1); // no program comes twice: what is compiled here is not worth keeping
  std::vector<std::string> devices = devicesIn(command->campaign.evaluate.device);
  GeneratorOptions &generator = command->campaign.generator;
  bool hasGpu = std::ranges::any_of(devices, [](auto &device) { return isGpu(device) || isCompiledOnly(device); });
  if (hasGpu) // its threads, and its arithmetic
    generator.barriers = generator.contracts = generator.warps = true;
  generator.isWild = !hasGpu && !command->campaign.evaluate.check;
  generator.isLarge = !runsAny(command->campaign.evaluate.device);
  devices.push_back(command->campaign.evaluate.against);
  for (const std::string &device : devices)
    if (!command->prints && !hasDevice(device)) {
      llvm::errs() << "error: there is no device `" << device << "` here\n";
      return 3;
    }
  if (!command->save.empty())
    std::filesystem::create_directories(command->save);
  if (!command->replays.empty())
    return replay(*command);
  return command->single ? runSingle(*command) : runMany(*command);
}
