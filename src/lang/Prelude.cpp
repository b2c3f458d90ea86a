// Prelude.cpp: the parts of the language that are written in the language (prelude/*.py), embedded in the binary and
// loaded on first use, once for all sessions.
#include "lang/Loader.h"
#include "lang/Modules.h"
#include "support/EmbeddedText.h"

#include <map>
#include <mutex>

namespace nereid::lang {

namespace {

constexpr EmbeddedText kPreludes[] = {
#include "lang/Prelude.inc"
    {"", ""}};

// Lives as long as the process: functions of the prelude are used by every session.
struct PreludeLoader {
  Diagnostics diagnostics;
  Session session{diagnostics};
  Loader loader{session};
  std::map<std::string, std::shared_ptr<Module>, std::less<>> modules;
};

} // namespace

std::shared_ptr<Module> preludeModule(std::string_view name) {
  static std::recursive_mutex mutex; // recursive: the prelude itself uses names of `tl`, which may lead here again
  static PreludeLoader &prelude = *new PreludeLoader;
  std::lock_guard lock(mutex);
  if (auto found = prelude.modules.find(name); found != prelude.modules.end())
    return found->second;
  std::shared_ptr<Module> module;
  if (const char *text = findText(kPreludes, name))
    module = prelude.loader.openText("triton/language/" + std::string(name) + ".py", text);
  prelude.modules.emplace(name, module);
  if (module)
    prelude.loader.execute(*module);
  return module;
}

} // namespace nereid::lang
