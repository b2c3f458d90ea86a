#include "view/Disassemble.h"

#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/FindPtxas.h"
#include "runtime/cuda/Subprocess.h"

#include "llvm/Support/Program.h"

#include <sys/mman.h>
#include <unistd.h>

namespace nereid::view {

// Beside the assembler, else where programs are.
static std::string findDisassembler() {
  std::string beside = cuda::findPtxas().path;
  beside = beside.substr(0, beside.rfind('/') + 1) + "nvdisasm";
  if (beside.front() == '/' && access(beside.c_str(), X_OK) == 0)
    return beside;
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("nvdisasm");
  return found ? *found : "";
}

static bool writeAll(int file, const std::vector<std::byte> &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t wrote = write(file, bytes.data() + done, bytes.size() - done);
    if (wrote <= 0)
      return false;
    done += size_t(wrote);
  }
  return true;
}

Result<MachineCode> disassemble(const cuda::AssembleRequest &request) {
  Result<cuda::Assembled> assembled = cuda::assemble(request);
  if (!assembled)
    return assembled.error();
  MachineCode code{.registers = assembled->resources.registers,
                   .localBytes = assembled->resources.localBytes,
                   .fp32Lines = cuda::fp32LinesOf(assembled->image)};
  std::string program = findDisassembler();
  if (program.empty()) {
    code.missing = "there is no `nvdisasm` on this machine, beside `ptxas` or in PATH";
    return code;
  }
  int file = memfd_create("kernel.cubin", MFD_CLOEXEC);
  if (file < 0 || !writeAll(file, assembled->image)) {
    code.missing = "no file can be made in memory for `nvdisasm`";
  } else {
    std::string path = "/proc/self/fd/" + std::to_string(file);
    Result<cuda::Finished> finished = cuda::runProgram(program, {"-g", "-c", path}, {file});
    if (finished && finished->status == 0)
      code.text = std::move(finished->output);
    else
      code.missing = finished ? "`nvdisasm` failed: " + finished->output.substr(0, 400) : finished.error().message;
  }
  if (file >= 0)
    close(file);
  return code;
}

} // namespace nereid::view
