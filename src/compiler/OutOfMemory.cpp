#include "compiler/OutOfMemory.h"

#include "llvm/Support/ErrorHandling.h"

#include <mutex>
#include <new>

namespace nereid::compiler {

void throwWhereMemoryEnds() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_bad_alloc_error_handler([](void *, const char *, bool) {
      if (std::new_handler handler = std::get_new_handler())
        handler();
      throw std::bad_alloc();
    });
  });
}

} // namespace nereid::compiler
