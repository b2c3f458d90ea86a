// Count.cpp: `nereid count`: what a kernel does, counted on the interpreter: bytes, sectors, flops, and the least time on a
// device.
#include "LaunchWords.h"

#include "jit/count/CountJson.h"
#include "jit/count/Verdicts.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace nereid::tool {

namespace {

using interp::Counts;

// 12345678 as 12.35 M; what is below 100000 as it is.
std::string shortCount(uint64_t count) {
  static constexpr std::pair<double, const char *> kUnits[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  if (count < 100000)
    return std::to_string(count);
  for (auto [size, unit] : kUnits)
    if (double(count) >= size)
      return llvm::formatv("{0:f2} {1}", double(count) / size, unit).str();
  return {};
}

std::string shortTime(double seconds) {
  if (seconds >= 1e-3)
    return llvm::formatv("{0:f2} ms", seconds * 1e3).str();
  if (seconds >= 1e-6)
    return llvm::formatv("{0:f2} us", seconds * 1e6).str();
  return llvm::formatv("{0:f2} ns", seconds * 1e9).str();
}

class CountPrinter {
public:
  CountPrinter(const jit::Counted &counted, jit::KernelModule &module, std::ostream &out)
      : counted(counted), total(counted.counts.total), module(module), out(out) {}

  void print(const std::string &kernel) {
    out << kernel << ": " << total.programs << (total.programs == 1 ? " program" : " programs") << ", counted for "
        << counted.target << " on " << (counted.device.isThisMachine ? "this CPU" : counted.device.name) << "\n";
    bytes("read", total.bytesRead, total.uniqueBytesRead);
    bytes("written", total.bytesWritten, total.uniqueBytesWritten);
    row("behind masks", total.maskedElements, "elements");
    if (total.sectors)
      row("sectors", total.sectors,
          " (" + shortCount(total.idealSectors) + " would do) in " + shortCount(total.requests) +
              (counted.device.isThisMachine ? " requests of 32 elements" : " requests of warps"));
    arithmetic();
    instructions();
    if (total.atomics)
      row("atomics", total.atomics,
          ", " + shortCount(total.atomicCollisions) + " of them on an element that others change");
    if (total.memoryBytes)
      row("memory", total.memoryBytes,
          llvm::formatv(" bytes through {0} of {1} MB, {2:f1} % hits",
                        counted.device.isThisMachine ? "a cache" : "an L2 cache", counted.device.cacheBytes >> 20,
                        100 * counted.cacheHitRate())
                  .str() +
              (total.firstCacheHits ? "; L1 caches had " + shortCount(total.firstCacheHits) : ""));
    const jit::Roofline &roofline = counted.roofline;
    if (roofline.seconds() > 0)
      out << llvm::formatv("  {0,-14}{1} at least, by {2}; {3:f2} flops for a byte of memory\n", "time",
                           shortTime(roofline.seconds()), roofline.bound(), roofline.intensity)
                 .str();
    lines();
    code();
    for (const jit::Verdict &verdict : jit::verdictsOn(counted))
      out << (verdict.line ? "line " + std::to_string(verdict.line) + ": " : "") << verdict.message
          << "\n  try: " << verdict.advice << "\n";
  }

private:
  void code() {
    if (!counted.code)
      return;
    const jit::CountedCode &code = *counted.code;
    out << "  code: " << code.facts.numWarps << " warps, " << code.sharedBytes << " bytes of shared memory";
    if (code.registers)
      out << ", " << code.registers << " registers a thread"
          << (code.spillBytes ? ", " + std::to_string(code.spillBytes) + " bytes spilled" : "");
    // Registers may leave less room.
    out << llvm::formatv("; {0}{1} {2} on a multiprocessor ({3:f0} % of its threads), for {4}\n",
                         code.registers ? "" : "at most ", code.residentPrograms,
                         code.residentPrograms == 1 ? "program" : "programs", 100 * code.occupancy, code.limitedBy)
               .str();
    for (const jit::CountedCode::Note &note : code.notes())
      out << llvm::formatv("  {0,5} {1}\n", note.line, note.text).str();
  }

  void row(const char *name, uint64_t count, const std::string &rest) {
    if (count)
      out << llvm::formatv("  {0,-14}{1}{2}{3}\n", name, shortCount(count),
                           rest.starts_with(' ') || rest.starts_with(',') ? "" : " ", rest)
                 .str();
  }
  void bytes(const char *name, uint64_t asked, uint64_t distinct) {
    row(name, asked, " bytes" + (asked == distinct ? std::string() : ", " + shortCount(distinct) + " distinct"));
  }

  void arithmetic() {
    std::string kinds;
    auto add = [&](uint64_t count, const std::string &name) {
      if (count)
        kinds += (kinds.empty() ? " (" : ", ") + shortCount(count) + " " + name;
    };
    add(total.tensorFp16, "on tensor cores in fp16");
    add(total.tensorBf16, "on tensor cores in bf16");
    add(total.tensorTf32, "on tensor cores in tf32");
    add(total.tensorFp8, "on tensor cores in fp8");
    add(total.tensorInt8, "on tensor cores in int8");
    add(total.fp16Flops, "in 16 bits");
    add(total.fp32Flops, "in fp32");
    add(total.fp64Flops, "in fp64");
    row("flops", total.flops, kinds + (kinds.empty() ? "" : ")"));
    row("functions", total.specialFunctions, "of exp, log, sqrt and their like");
    row("integers", total.integerOperations, "operations");
  }

  // What warps of a GPU execute.
  void instructions() {
    std::string kinds;
    auto add = [&](uint64_t count, const char *name) {
      if (count)
        kinds += (kinds.empty() ? "" : ", ") + shortCount(count) + " " + name;
    };
    add(total.tensorInstructions, "products on tensor cores");
    add(total.fp32Instructions, "sums and products of fp32");
    add(total.barriers, "waits at barriers");
    add(total.bankConflicts, "turns lost to bank conflicts");
    if (!kinds.empty())
      out << llvm::formatv("  {0,-14}{1}\n", "warps do", kinds).str();
  }

  // The text of a line of the kernel's file; elsewhere the name of the file.
  std::string textOf(const interp::LineCounts &line) {
    const Source *source = module.module().source.get();
    if (!source || source->name() != line.file)
      return line.file;
    std::string_view text = source->line(line.line);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return std::string(text.substr(0, 60));
  }

  void lines() {
    if (counted.counts.lines.empty())
      return;
    out << llvm::formatv("  {0,5} {1,10} {2,10} {3,10} {4,10} {5,10}\n", "line", "read", "written", "sectors", "least",
                         "flops")
               .str();
    for (const interp::LineCounts &line : counted.counts.lines) {
      const Counts &counts = line.counts;
      if (!counts.requests && !counts.flops && !counts.specialFunctions && !counts.maskedElements)
        continue; // integers alone
      auto cell = [](uint64_t count) { return count ? shortCount(count) : std::string(); };
      out << llvm::formatv("  {0,5} {1,10} {2,10} {3,10} {4,10} {5,10}  {6}\n", line.line, cell(counts.bytesRead),
                           cell(counts.bytesWritten), cell(counts.sectors), cell(counts.idealSectors),
                           cell(counts.flops), textOf(line))
                 .str();
    }
  }

  const jit::Counted &counted;
  const Counts &total;
  jit::KernelModule &module;
  std::ostream &out;
};

int runCount(const Words &words, Console &console) {
  int status = kFine;
  std::optional<LaunchWords> launch = readLaunch(words, console, status);
  if (!launch)
    return status;
  jit::CountRequest request{words.value("--target").value_or(""), words.value("--device-row").value_or(""), {}};
  request.assembling.isWanted = !words.has("--quick");
  for (const std::string &path : words.values("--device-rows")) {
    Result<std::vector<jit::DeviceRow>> rows = jit::readDeviceRows(path);
    if (!rows)
      return report(console, rows.error());
    request.devices.insert(request.devices.end(), rows->begin(), rows->end());
  }
  Result<jit::Counted> counted =
      jit::count(*launch->module, launch->kernel, launch->arguments, launch->settings, request);
  if (!counted)
    return report(console, counted.error());
  console.err << counted->launched.warnings;
  if (!counted->codeProblem.empty())
    console.err << counted->codeProblem << "note: sectors are counted as if the lanes of a warp lay in a row\n";
  if (words.has("--json")) {
    console.out << jit::toJson(*counted, launch->kernel->name) << "\n";
    return kFine;
  }
  console.out << counted->launched.output;
  CountPrinter(*counted, *launch->module, console.out).print(launch->kernel->name);
  return kFine;
}

constexpr Option kCountOptions[] = {
    kGridOption,
    {"--target", "NAME", "whose code asks for the memory: sm_90a (as without), sm_80, …, cpu"},
    {"--device-row", "NAME", "whose caches and rates: H200, H100, A100, L40S, 'RTX 4090', 'RTX 5090', cpu (this one)"},
    {"--device-rows", "FILE.json", "rows for more devices"},
    {"--quick", "", "without the assembler: no registers and spills, fp32 instructions as the PTX has them"},
    kLetOption,
    kTimeoutOption,
    kSeedOption,
    kConfigOption,
    kWarpsOption,
    kStagesOption,
    kImportOption,
    kStrictOption,
    kJsonOption,
};

constexpr std::string_view kCountHelp =
    "Runs a kernel on the interpreter and counts: bytes that programs ask for, and how many of them are distinct; "
    "32-byte\n"
    "sectors, for each request of a warp; elements behind masks; flops, functions and integers; atomics and how many "
    "of\n"
    "them meet on one element; what a model of the L2 cache lets through to memory; and the least time that a device\n"
    "needs for all that. In total, and for each source line. No GPU is needed, and two runs give the same numbers.\n\n"
    "Arguments are those of `nereid run`.\n";

} // namespace

constinit const Verb kCount{"count",
                            "count what a kernel does, and the least time it takes",
                            "count FILE.py[:KERNEL] NAME=VALUE… --grid EXPR [options]",
                            kCountHelp,
                            kCountOptions,
                            runCount};

} // namespace nereid::tool
