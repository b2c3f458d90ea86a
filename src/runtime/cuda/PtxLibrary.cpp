#include "runtime/cuda/PtxLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace nereid::cuda {

namespace {

using Handle = struct OpaqueCompiler *;

// nvPTXCompiler's interface, as its manual gives it; every function returns 0 where it worked.
struct Library {
  int (*create)(Handle *, size_t length, const char *ptx);
  int (*destroy)(Handle *);
  int (*compile)(Handle, int optionCount, const char *const *options);
  int (*programSize)(Handle, size_t *);
  int (*program)(Handle, void *);
  int (*errorLogSize)(Handle, size_t *);
  int (*errorLog)(Handle, char *);
  int (*infoLogSize)(Handle, size_t *);
  int (*infoLog)(Handle, char *);
  bool isComplete = true;
};

template <class F> void bind(Library &library, void *file, F *&member, const char *name) {
  member = reinterpret_cast<F *>(dlsym(file, name));
  library.isComplete &= member != nullptr;
}

Library load() {
  Library library{};
  const char *path = std::getenv("NEREID_PTX_COMPILER");
  void *file = dlopen(path && *path ? path : "libnvptxcompiler.so", RTLD_NOW | RTLD_LOCAL);
  library.isComplete = file != nullptr;
  if (!file)
    return library;
  bind(library, file, library.create, "nvPTXCompilerCreate");
  bind(library, file, library.destroy, "nvPTXCompilerDestroy");
  bind(library, file, library.compile, "nvPTXCompilerCompile");
  bind(library, file, library.programSize, "nvPTXCompilerGetCompiledProgramSize");
  bind(library, file, library.program, "nvPTXCompilerGetCompiledProgram");
  bind(library, file, library.errorLogSize, "nvPTXCompilerGetErrorLogSize");
  bind(library, file, library.errorLog, "nvPTXCompilerGetErrorLog");
  bind(library, file, library.infoLogSize, "nvPTXCompilerGetInfoLogSize");
  bind(library, file, library.infoLog, "nvPTXCompilerGetInfoLog");
  return library;
}

const Library &shared() {
  static const Library library = load();
  return library;
}

std::string readLog(Handle handle, int (*sizeOf)(Handle, size_t *), int (*read)(Handle, char *)) {
  size_t size = 0;
  if (sizeOf(handle, &size) != 0 || size == 0)
    return "";
  std::string text(size + 1, '\0');
  if (read(handle, text.data()) != 0)
    return "";
  text.resize(text.find('\0'));
  return text;
}

} // namespace

bool hasPtxLibrary() { return shared().isComplete; }

PtxCompilation compileWithLibrary(const std::string &ptx, const std::vector<std::string> &options) {
  const Library &call = shared();
  PtxCompilation result;
  Handle handle = nullptr;
  if (call.create(&handle, ptx.size(), ptx.c_str()) != 0) {
    result.log = "fatal: the PTX compiler cannot be started";
    return result;
  }
  std::vector<const char *> words;
  for (const std::string &option : options)
    words.push_back(option.c_str());
  size_t size = 0;
  result.isDone =
      call.compile(handle, static_cast<int>(words.size()), words.data()) == 0 && call.programSize(handle, &size) == 0;
  result.log = readLog(handle, call.infoLogSize, call.infoLog) + readLog(handle, call.errorLogSize, call.errorLog);
  if (result.isDone) {
    result.image.resize(size);
    result.isDone = call.program(handle, result.image.data()) == 0;
  }
  call.destroy(&handle);
  return result;
}

} // namespace nereid::cuda
