// PtxLibrary.h: NVIDIA's PTX compiler as a shared library (NEREID_PTX_COMPILER, else libnvptxcompiler.so). The toolkit
// ships it as an archive; `cc -shared -Wl,--whole-archive libnvptxcompiler_static.a -o libnvptxcompiler.so` makes one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nereid::cuda {

struct PtxCompilation {
  bool isDone = false; // else `log` says why not
  std::vector<std::byte> image;
  std::string log;
};

bool hasPtxLibrary();
PtxCompilation compileWithLibrary(const std::string &ptx, const std::vector<std::string> &options);

} // namespace nereid::cuda
