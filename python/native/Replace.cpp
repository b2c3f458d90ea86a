#include "Replace.h"

#include "Reference.h"

#include "runtime/cuda/Assemble.h"

#include <fstream>
#include <iterator>

namespace nereid::python {

bool readReplacement(const std::string &path, std::string &replacement) {
  if (!path.ends_with(".ptx") && !path.ends_with(".cubin")) {
    PyErr_Format(PyExc_NotImplementedError,
                 "`ir_override`: nereid compiles kernels from their Python source; what may take the place of the "
                 "result is a .ptx or a .cubin file, not `%s`",
                 path.c_str());
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  replacement.assign(std::istreambuf_iterator<char>(file), {});
  if (replacement.empty())
    PyErr_Format(PyExc_FileNotFoundError, "`ir_override`: `%s` cannot be read, or is empty", path.c_str());
  return !replacement.empty();
}

Result<void> replaceCode(cuda::Artifact &artifact, const std::string &replacement) {
  artifact.hasForeignCode = true;
  if (replacement.starts_with("\x7f"
                              "ELF")) {
    auto *bytes = reinterpret_cast<const std::byte *>(replacement.data());
    artifact.image.assign(bytes, bytes + replacement.size());
    return {};
  }
  if (replacement.find(".entry " + artifact.name + "(") == std::string::npos)
    return Error{Status::BadInput, "error: the PTX that replaces the code of `" + artifact.name + "` has no `.entry " +
                                       artifact.name + "(`\n"};
  artifact.ptx = replacement;
  artifact.image.clear();
  Result<cuda::Assembled> assembled = cuda::assemble({artifact.name, artifact.ptx, artifact.target});
  if (assembled)
    artifact.image = std::move(assembled->image), artifact.resources = assembled->resources;
  else if (assembled.error().status == Status::BadInput)
    return assembled.error();
  return {}; // without an assembler the driver does it
}

Error cannotReplace() {
  return {Status::BadInput, "error: `ir_override`: code for the processor is compiled from the kernel alone; it can be "
                            "replaced on a GPU\n"};
}

} // namespace nereid::python
