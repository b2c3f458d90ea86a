#include "runtime/cuda/Assemble.h"

#include "runtime/cuda/FindPtxas.h"
#include "runtime/cuda/PtxLibrary.h"
#include "runtime/cuda/Subprocess.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
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

// A folder that goes with what is in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    const char *top = std::getenv("TMPDIR");
    folder = std::string(top && *top ? top : "/tmp") + "/nereid-XXXXXX";
    if (!mkdtemp(folder.data()))
      folder.clear();
  }
  ~TemporaryFolder() {
    if (folder.empty())
      return;
    for (const char *name : {"kernel.ptx", "kernel.cubin"})
      unlink((folder + "/" + name).c_str());
    rmdir(folder.c_str());
  }
  std::string folder; // empty: there is none
};

std::vector<std::byte> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

Result<PtxCompilation> compileWithPtxas(const AssembleRequest &request) {
  TemporaryFolder temporary;
  if (temporary.folder.empty())
    return Error{Status::Environment, "error: no temporary folder can be made for `ptxas`; set TMPDIR\n"};
  std::string source = temporary.folder + "/kernel.ptx", result = temporary.folder + "/kernel.cubin";
  std::ofstream file(source, std::ios::binary);
  file << request.ptx;
  file.close();
  if (!file)
    return Error{Status::Environment, "error: `" + source + "` cannot be written\n"};
  std::vector<std::string> arguments = optionsFor(request);
  arguments.insert(arguments.end(), {source, "--output-file", result});
  Result<Finished> finished = runProgram(findPtxas().path, arguments);
  if (!finished)
    return finished.error();
  PtxCompilation compilation{.isDone = finished->status == 0, .log = std::move(finished->output)};
  if (compilation.isDone)
    compilation.image = readFile(result);
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
