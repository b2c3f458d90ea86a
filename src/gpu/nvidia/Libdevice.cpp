#include "gpu/nvidia/Libdevice.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <vector>

using namespace llvm;

namespace nereid::gpu {

static bool isMissing(const Function &function) {
  return function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
         !function.getName().starts_with("llvm.") && !function.getName().starts_with("__nvvm_") &&
         function.getName() != "__assertfail"; // the driver's own
}

static std::string firstMissing(const Module &module) {
  for (const Function &function : module)
    if (isMissing(function))
      return function.getName().str();
  return {};
}

static std::string findFile() {
  std::vector<std::string> places;
  if (const char *path = std::getenv("TRITON_LIBDEVICE_PATH"); path && *path) {
    places.push_back(path);
    places.push_back(std::string(path) + "/libdevice.10.bc");
  }
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(name); home && *home)
      places.push_back(std::string(home) + "/nvvm/libdevice/libdevice.10.bc");
  places.push_back("/usr/local/cuda/nvvm/libdevice/libdevice.10.bc");
  places.push_back("/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc");
  for (const std::string &place : places)
    if (sys::fs::is_regular_file(place))
      return place;
  return {};
}

static Result<void> linkFile(Module &module, const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return Error{Status::Environment, "error: `" + path + "` cannot be read: " + buffer.getError().message() + "\n"};
  auto library = parseBitcodeFile((*buffer)->getMemBufferRef(), module.getContext());
  if (!library)
    return Error{Status::Environment, "error: `" + path + "` is no bitcode: " + toString(library.takeError()) + "\n"};
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded))
    return Error{Status::Environment, "error: `" + path + "` cannot be linked\n"};
  // Ours now, and small: they belong where they are used.
  for (Function &function : module)
    if (!function.isDeclaration() && function.getCallingConv() != CallingConv::PTX_Kernel)
      function.setLinkage(GlobalValue::InternalLinkage);
  for (GlobalVariable &variable : module.globals())
    if (variable.hasInitializer() && !variable.hasLocalLinkage())
      variable.setLinkage(GlobalValue::InternalLinkage);
  return {};
}

Result<void> linkLibraries(Module &module, const CodeChoices &choices) {
  if (firstMissing(module).empty())
    return {};
  // What bodies from bitcode do with denormals.
  module.addModuleFlag(Module::Override, "nvvm-reflect-ftz", choices.flushesDenormals);
  for (const std::string &path : choices.libraries)
    if (Result<void> linked = linkFile(module, path); !linked)
      return linked;
  std::string name = firstMissing(module);
  if (!name.starts_with("__nv_"))
    return name.empty() ? Result<void>()
                        : Error{Status::BadInput, "error: there is no device function `" + name + "`\n"};
  std::string path = findFile();
  if (path.empty())
    return Error{Status::Environment,
                 "error: `" + name +
                     "` is in libdevice, which is not found\n"
                     "note: set TRITON_LIBDEVICE_PATH to the file `libdevice.10.bc` of a CUDA toolkit\n"};
  if (Result<void> linked = linkFile(module, path); !linked)
    return linked;
  name = firstMissing(module);
  if (!name.empty())
    return Error{Status::BadInput, "error: there is no device function `" + name + "`\n"};
  return {};
}

} // namespace nereid::gpu
