// View.cpp: `nereid view`: one page for a kernel: source, stages, what programs touch and compute.
#include "LaunchWords.h"
#include "ProgramNumbers.h"
#include "Summary.h"

#include "jit/Evaluate.h"
#include "runtime/WriteFile.h"
#include "runtime/cuda/Subprocess.h"
#include "view/View.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <cstring>

namespace nereid::tool {

extern const Verb kView;

namespace {

// What code is shown for: a GPU and this CPU, or what is asked for.
bool readTargets(const Words &words, Console &console, view::ViewRequest &request) {
  std::optional<compiler::Target> asked = readTarget(words, console, "sm_90a");
  if (!asked)
    return false;
  if (asked->cpu) {
    request.cpu = asked;
    return true;
  }
  request.gpu = asked->gpu ? asked : compiler::findTarget("sm_90a");
  request.cpu = compiler::findTarget("cpu");
  return true;
}

std::vector<std::pair<std::string, std::string>> givenArguments(const Words &words) {
  std::vector<std::pair<std::string, std::string>> list;
  for (size_t i = 1; i < words.operands.size(); ++i) {
    size_t equals = words.operands[i].find('=');
    list.emplace_back(words.operands[i].substr(0, equals),
                      equals == std::string::npos ? "" : words.operands[i].substr(equals + 1));
  }
  return list;
}

std::optional<llvm::json::Object> viewOne(const Words &words, Console &console, int &status) {
  std::optional<LaunchWords> launch = readLaunch(words, console, status);
  if (!launch)
    return std::nullopt;
  auto give = [&](int value) {
    status = value;
    return std::nullopt;
  };
  jit::Settings &settings = launch->settings;
  Result<std::vector<jit::NamedHostValue>> values = jit::hostValues(*launch->module, launch->arguments);
  if (!values)
    return give(report(console, values.error()));
  jit::Binding binding;
  view::ViewRequest request{*launch->module, binding, {}, settings, {}, {}, {}, givenArguments(words)};
  if (!readTargets(words, console, request))
    return give(kBadInput);
  settings.dotPrecision = jit::usualDotPrecision(request.gpu ? "cuda" : "cpu");
  Result<jit::Binding> bound = jit::bind(*launch->module, launch->kernel, std::move(*values), settings);
  if (!bound)
    return give(report(console, bound.error()));
  binding = std::move(*bound);
  Result<std::array<uint32_t, 3>> grid = jit::evaluateGrid(*launch->module, binding, settings);
  if (!grid)
    return give(report(console, grid.error()));
  request.grid = *grid;
  auto programs = readPrograms(words.values("--program"), *grid, console);
  if (!programs)
    return give(kBadInput);
  request.programs = *programs;
  Result<llvm::json::Object> view = view::viewKernel(request);
  if (!view)
    return give(report(console, view.error()));
  console.err << launch->module->compiler.takeDiagnostics().render(); // warnings
  (*view)["title"] = jsonText(words.operands[0]);
  return std::move(*view);
}

// The words of the other version: another kernel, or other arguments and options of this one.
std::vector<std::string> otherWords(const Words &words, const std::string &other) {
  std::vector<std::string> changes;
  for (size_t begin = 0; begin < other.size();) {
    size_t end = std::min(other.find(' ', begin), other.size());
    if (end > begin)
      changes.push_back(other.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<std::string> list = words.operands;
  auto nameOf = [](const std::string &word) { return word.substr(0, word.find('=') + 1); };
  bool isKernel = changes.size() == 1 && changes[0].find('=') == std::string::npos && !changes[0].starts_with("-");
  if (isKernel)
    list[0] = changes[0];
  for (const Option &option : kView.options)
    for (const std::string &value : words.values(option.name))
      if (option.name != "--diff")
        list.push_back(std::string(option.name) + (option.value.empty() ? "" : "=" + value));
  for (const std::string &change : changes) {
    if (isKernel)
      break;
    std::string name = nameOf(change);
    auto same =
        std::ranges::find_if(list, [&](const std::string &word) { return !name.empty() && nameOf(word) == name; });
    if (same != list.end())
      *same = change;
    else
      list.push_back(change);
  }
  return list;
}

int openPage(const std::string &path, Console &console) {
  llvm::ErrorOr<std::string> opener = llvm::sys::findProgramByName("xdg-open");
  if (!opener)
    return fail(console, "there is no `xdg-open` to open the page with", {"open `" + path + "` in a browser"},
                kEnvironment);
  Result<cuda::Finished> finished = cuda::runProgram(*opener, {path});
  if (!finished)
    return report(console, finished.error());
  if (finished->status != 0)
    return fail(console, "`xdg-open` could not open the page", {"open `" + path + "` in a browser"}, kEnvironment);
  return kFine;
}

int runView(const Words &words, Console &console) {
  int status = kFine;
  std::vector<llvm::json::Object> kernels;
  if (std::optional<std::string> other = words.value("--diff"); other && !words.operands.empty()) {
    std::optional<Words> otherRead = readWords(kView, otherWords(words, *other), console);
    if (!otherRead)
      return kBadInput;
    std::optional<llvm::json::Object> before = viewOne(*otherRead, console, status);
    if (!before)
      return status;
    (*before)["title"] = jsonText(*other);
    kernels.push_back(std::move(*before));
  }
  std::optional<llvm::json::Object> view = viewOne(words, console, status);
  if (!view)
    return status;
  std::string kernel = view->getString("kernel").value_or("kernel").str();
  kernels.push_back(std::move(*view));
  if (words.has("--json")) {
    llvm::json::Array list;
    for (llvm::json::Object &each : kernels)
      list.push_back(std::move(each));
    console.out << llvm::formatv("{0}", llvm::json::Value(std::move(list))).str() << "\n";
    return kFine;
  }
  std::string page = view::makePage(std::move(kernels)), path = words.value("--output").value_or(kernel + ".html");
  if (path == "-") {
    console.out << page;
    return kFine;
  }
  if (int problem = runtime::writeFile(path, {page}))
    return fail(console, "`" + path.substr(0, 200) + "` cannot be written: " + std::strerror(problem), {},
                kEnvironment);
  console.out << kernel << ": " << path << ", " << (page.size() + 1023) / 1024 << " KiB\n";
  return words.has("--open") ? openPage(path, console) : kFine;
}

constexpr Option kViewOptions[] = {
    kGridOption,
    {"--output", "FILE", "where the page goes (KERNEL.html); - is standard output", "-o"},
    {"--open", "", "open the page in a browser"},
    {"--program", "X[,Y[,Z]]",
     "a program to follow besides the first, the middle and the last; may be given several times"},
    {"--diff", "OTHER",
     "show another version beside this one, first: FILE.py[:KERNEL], or what is different, as in 'BLOCK=64 "
     "--num-warps=8'"},
    {"--target", "NAME",
     "what code is shown for: sm_90a (the default, with this CPU), sm_80 …; cpu, x86-64-v3 …: no GPU"},
    kLetOption,
    kTimeoutOption,
    kSeedOption,
    kConfigOption,
    kWarpsOption,
    kStagesOption,
    kRegistersOption,
    kFusionOption,
    kImportOption,
    kStrictOption,
    {"--json", "", "print what the page shows as JSON instead"},
};

constexpr std::string_view kViewHelp = "Writes one page that needs no network: the source beside every stage of the "
                                       "compiler (point at a line, and what came\n"
                                       "of it lights up), what programs load and store, the values of names step by "
                                       "step, layouts, the pipeline and shared\n"
                                       "memory. Arguments are those of `nereid run`; a few programs run on the "
                                       "interpreter, and the tensors stay as they are.\n";

} // namespace

constinit const Verb kView{"view",
                           "write a page that shows a kernel",
                           "view FILE.py[:KERNEL] NAME=VALUE… --grid EXPR [options]",
                           kViewHelp,
                           kViewOptions,
                           runView};

} // namespace nereid::tool
