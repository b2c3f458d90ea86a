#include "runtime/cuda/Assemble.h"

#include "runtime/cuda/CodeBytes.h"
#include "runtime/cuda/FindPtxas.h"
#include "runtime/cuda/PtxLibrary.h"
#include "runtime/cuda/Subprocess.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::cuda {

namespace {

std::vector<std::string> optionsFor(const AssembleRequest &request) {
  std::vector<std::string> options{"--gpu-name=" + request.target, "--verbose"};
  if (request.lineInfo)
    options.push_back("--generate-line-info");
  std::istringstream more(request.options);
  for (std::string option; more >> option;)
    options.push_back(option);
  return options;
}

// A file in memory alone: nothing is left of it, whatever becomes of this process.
class MemoryFile {
public:
  explicit MemoryFile(const char *name) : file(memfd_create(name, MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (file >= 0)
      close(file);
  }
  int descriptor() const { return file; }
  // Here, and in a program that is given the descriptor.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  int file;
};

std::vector<std::byte> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

Result<PtxCompilation> compileWithPtxas(const AssembleRequest &request) {
  MemoryFile source("kernel.ptx"), result("kernel.cubin");
  if (source.descriptor() < 0 || result.descriptor() < 0)
    return Error{Status::Environment,
                 std::string("error: no file can be made in memory for `ptxas`: ") + std::strerror(errno) + "\n"};
  std::ofstream file(source.path(), std::ios::binary);
  file << request.ptx;
  file.close();
  if (!file)
    return Error{Status::Environment, "error: `" + source.path() + "` cannot be written\n"};
  std::vector<std::string> arguments = optionsFor(request);
  arguments.insert(arguments.end(), {source.path(), "--output-file", result.path()});
  Result<Finished> finished = runProgram(findPtxas().path, arguments, {source.descriptor(), result.descriptor()});
  if (!finished)
    return finished.error();
  PtxCompilation compilation{.isDone = finished->status == 0, .log = std::move(finished->output)};
  if (compilation.isDone)
    compilation.image = readFile(result.path());
  compilation.isDone &= !compilation.image.empty();
  if (!compilation.isDone && compilation.log.empty())
    compilation.log = "fatal: ptxas ended with status " + std::to_string(finished->status);
  return compilation;
}

// The assembler is older than the PTX, which is no fault of the PTX.
bool isTooOld(const std::string &log) {
  for (const char *text : {"Unsupported .version", "nsupported .target", "is not defined for option 'gpu-name'"})
    if (log.find(text) != std::string::npos)
      return true;
  return false;
}

Result<PtxCompilation> compile(const AssembleRequest &request) {
  if (hasPtxLibrary())
    return compileWithLibrary(request.ptx, optionsFor(request));
  if (!findPtxas().path.empty())
    return compileWithPtxas(request);
  return Error{Status::Environment, "error: there is no assembler for PTX: NEREID_PTXAS names the toolkit's `ptxas`\n"};
}

// Directives are put in without a line of their own: instructions keep the lines that they have.

// Where a kernel needs more registers than a thread can have, the assembler may give up, with few of them (32) and
// kilobytes of a thread in memory. Told how many blocks should fit, it takes all registers: the PTX that says so, or nothing
// where the code is not of that kind.
std::optional<std::string> ptxForAllRegisters(const std::string &ptx, const Resources &resources) {
  constexpr uint32_t kMost = 255, kMuch = 256; // registers; bytes of a thread
  size_t threads = ptx.find(".reqntid");
  if (resources.registers >= kMost || resources.localBytes < kMuch || threads == std::string::npos ||
      ptx.find(".minnctapersm") != std::string::npos || ptx.find(".maxnreg") != std::string::npos)
    return std::nullopt;
  return std::string(ptx).insert(threads, ".minnctapersm 1 ");
}

// The number behind a directive, and where it stands.
struct Directive {
  size_t at = std::string::npos, length = 0;
  uint32_t number = 0;
};
Directive findDirective(const std::string &ptx, const std::string &name) {
  size_t at = ptx.find(name + " ");
  if (at == std::string::npos)
    return {};
  at += name.size() + 1;
  size_t end = ptx.find_first_not_of("0123456789", at);
  return {at, end - at, uint32_t(std::strtoul(ptx.c_str() + at, nullptr, 10))};
}

// More blocks on a multiprocessor hide more of what each waits for. Where few registers less let more of them in, the assembler is
// asked for that: for as many as leave two thirds of the registers, else for one more. Nothing where registers are no reason, or
// half of the threads run already (all of them, where blocks are so large that the next one fits only as a whole), nor where
// blocks grow by less than twice what threads lose: fewer loads are under way then, and all wait longer. Blocks of one or two
// warps often stand alone: for these it is better that each has what it loads ahead.
std::vector<std::string> ptxForMoreBlocks(const AssembleRequest &request, const Resources &resources) {
  constexpr uint32_t kThreads = 2048, kRegisters = 65536, kGranularity = 8, kSmall = 128, kLarge = 512;
  constexpr size_t kLongPtx = 100 << 10; // assembling it again takes too long
  const std::string &ptx = request.ptx;
  Directive threads = findDirective(ptx, ".reqntid"), asked = findDirective(ptx, ".minnctapersm");
  if (threads.number < kSmall || ptx.size() > kLongPtx || resources.localBytes > 0 || resources.registers == 0 ||
      ptx.find("maxnreg") != std::string::npos)
    return {};
  auto registersFor = [&](uint32_t blocks) {
    return kRegisters / (threads.number * blocks) / kGranularity * kGranularity;
  };
  uint32_t fits = 1, enough = threads.number >= kLarge ? kThreads : kThreads / 2;
  while (registersFor(fits + 1) >= resources.registers)
    ++fits;
  uint32_t most = fits;
  while (most < request.mostBlocks && (most + 1) * threads.number <= enough &&
         registersFor(most + 1) * 3 >= resources.registers * 2)
    ++most;
  auto isWorthIt = [&](uint32_t blocks) {
    return (resources.registers - registersFor(blocks)) * 2 * fits <= resources.registers * (blocks - fits);
  };
  std::vector<std::string> texts;
  for (uint32_t blocks = most; blocks > fits; blocks = blocks > fits + 1 ? fits + 1 : fits) {
    if (!isWorthIt(blocks))
      continue;
    std::string number = std::to_string(blocks), text = ptx;
    texts.push_back(asked.number ? text.replace(asked.at, asked.length, number)
                                 : text.insert(ptx.find(".reqntid"), ".minnctapersm " + number + " "));
  }
  return texts;
}

// The same kernel from other PTX, where that is better.
std::optional<PtxCompilation> compileInstead(const AssembleRequest &request, const std::string &ptx) {
  Result<PtxCompilation> ran = compile({request.kernel, ptx, request.target, request.lineInfo, request.options});
  return ran && ran->isDone ? std::optional(std::move(*ran)) : std::nullopt;
}

// Nothing may go to memory for it, and the code must not be longer.
std::optional<PtxCompilation> compileForMoreBlocks(const AssembleRequest &request, const PtxCompilation &first) {
  for (const std::string &ptx : ptxForMoreBlocks(request, resourcesOf(first.log)))
    if (auto other = compileInstead(request, ptx); other && resourcesOf(other->log).localBytes == 0 &&
                                                   remarksOf(other->log) == remarksOf(first.log) &&
                                                   codeBytesOf(other->image) <= codeBytesOf(first.image) * 21 / 20)
      return other;
  return std::nullopt;
}

} // namespace

Result<Assembled> assemble(const AssembleRequest &request, std::optional<PtxProblem> *problem) {
  Result<PtxCompilation> ran = compile(request);
  if (!ran)
    return ran.error();
  PtxCompilation compilation = std::move(*ran);
  if (compilation.isDone) {
    Resources resources = resourcesOf(compilation.log);
    if (std::optional<std::string> ptx = ptxForAllRegisters(request.ptx, resources)) {
      if (auto other = compileInstead(request, *ptx);
          other && resourcesOf(other->log).localBytes < resources.localBytes)
        compilation = std::move(*other);
    } else if (auto other = compileForMoreBlocks(request, compilation)) {
      compilation = std::move(*other);
    }
    return Assembled{std::move(compilation.image), remarksOf(compilation.log), resourcesOf(compilation.log)};
  }
  PtxProblem found = readPtxLog(compilation.log, request.ptx);
  if (isTooOld(compilation.log))
    return Error{Status::Environment, "error: " + describeAssembler() + " is too old: " + found.message + "\n"};
  Error error{Status::BadInput, describe(found, request.kernel)};
  if (problem)
    *problem = std::move(found);
  return error;
}

std::string describeAssembler() {
  if (hasPtxLibrary())
    return "NVIDIA's PTX compiler, in this process";
  const Ptxas &ptxas = findPtxas();
  if (ptxas.path.empty())
    return "the driver";
  return "ptxas " + std::to_string(ptxas.version / 100) + "." + std::to_string(ptxas.version % 100) + " (" +
         ptxas.path + ")";
}

} // namespace nereid::cuda
