#include "runtime/cuda/Assemble.h"

#include "runtime/cuda/FindPtxas.h"
#include "runtime/cuda/PtxLibrary.h"
#include "runtime/cuda/Subprocess.h"

#include <cerrno>
#include <cstring>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
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
  // For a program that is given the descriptor.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

  bool write(std::string_view text) {
    while (!text.empty()) {
      ssize_t done = ::write(file, text.data(), text.size());
      if (done < 0 && errno != EINTR)
        return false;
      text.remove_prefix(done < 0 ? 0 : static_cast<size_t>(done));
    }
    return file >= 0;
  }
  std::vector<std::byte> read() const {
    struct stat facts = {};
    std::vector<std::byte> bytes(fstat(file, &facts) == 0 ? static_cast<size_t>(facts.st_size) : 0);
    for (size_t done = 0; done < bytes.size();) {
      ssize_t got = pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (got <= 0 && !(got < 0 && errno == EINTR))
        return {};
      done += got < 0 ? 0 : static_cast<size_t>(got);
    }
    return bytes;
  }

private:
  int file;
};

Result<PtxCompilation> compileWithPtxas(const AssembleRequest &request) {
  MemoryFile source("kernel.ptx"), result("kernel.cubin");
  if (result.descriptor() < 0 || !source.write(request.ptx))
    return Error{Status::Environment,
                 std::string("error: there is no memory for the files of `ptxas`: ") + std::strerror(errno) + "\n"};
  std::vector<std::string> arguments = optionsFor(request);
  arguments.insert(arguments.end(), {source.path(), "--output-file", result.path()});
  Result<Finished> finished = runProgram(findPtxas().path, arguments, {source.descriptor(), result.descriptor()});
  if (!finished)
    return finished.error();
  PtxCompilation compilation{.isDone = finished->status == 0, .log = std::move(finished->output)};
  if (compilation.isDone)
    compilation.image = result.read();
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

} // namespace

Result<Assembled> assemble(const AssembleRequest &request, std::optional<PtxProblem> *problem) {
  PtxCompilation compilation;
  if (hasPtxLibrary()) {
    compilation = compileWithLibrary(request.ptx, optionsFor(request));
  } else if (!findPtxas().path.empty()) {
    Result<PtxCompilation> ran = compileWithPtxas(request);
    if (!ran)
      return ran.error();
    compilation = std::move(*ran);
  } else {
    return Error{Status::Environment,
                 "error: there is no assembler for PTX: NEREID_PTXAS names the toolkit's `ptxas`\n"};
  }
  if (compilation.isDone)
    return Assembled{std::move(compilation.image), remarksOf(compilation.log), resourcesOf(compilation.log)};
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
