// Registry.cpp: kernels by name, which programs register beside their own code: files, folders of them, and texts. What is
// registered stays for the life of the process, so that a name can be looked up once and its kernel kept.
#include "api/LastError.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using namespace nereid;
using api::failed;
using api::missing;

namespace {

namespace files = std::filesystem;

struct Registered {
  nereid_module *module = nullptr;
  std::map<std::string, nereid_kernel *, std::less<>> kernels; // those that were asked for
};

// Never freed: a GPU's driver may be gone when the process ends.
struct Registry {
  std::mutex mutex;
  std::map<std::string, Registered, std::less<>> modules;
};
Registry &registry() {
  static auto &all = *new Registry;
  return all;
}

using Module = std::unique_ptr<nereid_module, void (*)(nereid_module *)>;

bool isName(std::string_view name) { return !name.empty() && name.find(':') == std::string_view::npos; }

nereid_status badName(const char *name) {
  return failed({Status::BadInput, "error: `" + std::string(name).substr(0, 80) +
                                       "` cannot be registered: a name without `:` is expected\n"});
}

// All of them or, where a name is taken, none.
nereid_status add(std::vector<std::pair<std::string, Module>> modules) {
  std::lock_guard lock(registry().mutex);
  for (size_t i = 0; i < modules.size(); ++i) {
    bool isTaken = registry().modules.contains(modules[i].first);
    for (size_t j = 0; j < i; ++j)
      isTaken |= modules[j].first == modules[i].first;
    if (isTaken)
      return failed({Status::BadInput, "error: kernels are registered under `" + modules[i].first + "` already\n"});
  }
  for (auto &[name, module] : modules)
    registry().modules[name].module = module.release();
  return NEREID_OK;
}

// The kernel files of a folder and of the folders in it, in the order of their names; tests beside them are none.
std::vector<files::path> kernelFiles(const files::path &folder, std::error_code &problem) {
  std::vector<files::path> found;
  auto addFiles = [&](const files::path &where) {
    for (files::directory_iterator each(where, problem), end; !problem && each != end; each.increment(problem))
      if (each->path().extension() == ".py" && each->is_regular_file(problem) &&
          !each->path().stem().string().ends_with("_oracle"))
        found.push_back(each->path());
  };
  addFiles(folder);
  for (files::directory_iterator each(folder, problem), end; !problem && each != end; each.increment(problem))
    if (each->is_directory(problem))
      addFiles(each->path());
  std::sort(found.begin(), found.end());
  return found;
}

nereid_status registerFolder(const std::string &name, const files::path &folder) {
  std::error_code problem;
  std::vector<files::path> found = kernelFiles(folder, problem);
  if (problem || found.empty())
    return failed({Status::Environment, "error: `" + folder.string() + "` " +
                                            (problem ? "cannot be read: " + problem.message() : "has no kernel file") +
                                            "\n"});
  std::vector<std::pair<std::string, Module>> modules;
  for (const files::path &file : found) {
    nereid_module *module = nullptr;
    if (nereid_status status = nereid_module_load(file.c_str(), &module); status != NEREID_OK)
      return status;
    // A file without kernels is what others import.
    Module owner(module, nereid_module_free);
    if (nereid_module_kernel_count(module) > 0)
      modules.emplace_back(name + "/" + file.stem().string(), std::move(owner));
  }
  return add(std::move(modules));
}

nereid_status addOne(const char *name, nereid_status status, nereid_module *module) {
  if (status != NEREID_OK)
    return status;
  std::vector<std::pair<std::string, Module>> modules;
  modules.emplace_back(name, Module(module, nereid_module_free));
  return add(std::move(modules));
}

std::string knownNames() {
  std::string names;
  for (const auto &[name, registered] : registry().modules)
    names += (names.empty() ? "`" : ", `") + name + "`";
  return names.empty() ? "nothing is registered" : names + " are registered";
}

nereid_status find(std::string_view name, nereid_kernel **kernel) {
  size_t colon = name.rfind(':');
  std::string_view file = name.substr(0, colon);
  std::string function(colon == std::string_view::npos ? "" : name.substr(colon + 1));
  std::lock_guard lock(registry().mutex);
  auto found = registry().modules.find(file);
  if (found == registry().modules.end())
    return failed({Status::BadInput, "error: there are no kernels under `" + std::string(file.substr(0, 80)) +
                                         "`: " + knownNames() + "\n"});
  Registered &registered = found->second;
  if (auto known = registered.kernels.find(function); known != registered.kernels.end()) {
    *kernel = known->second;
    return NEREID_OK;
  }
  nereid_status status = nereid_module_kernel(registered.module, function.empty() ? nullptr : function.c_str(), kernel);
  if (status == NEREID_OK)
    registered.kernels.emplace(function, *kernel);
  return status;
}

} // namespace

nereid_status nereid_register(const char *name, const char *path) {
  if (!name || !path)
    return failed(missing("an argument of nereid_register"));
  if (!isName(name))
    return badName(name);
  return api::guarded([&] {
    std::error_code ignored;
    if (files::is_directory(path, ignored))
      return registerFolder(name, path);
    nereid_module *module = nullptr;
    nereid_status status = nereid_module_load(path, &module);
    return addOne(name, status, module);
  });
}

nereid_status nereid_register_text(const char *name, const char *text, size_t length) {
  if (!name || (!text && length))
    return failed(missing("an argument of nereid_register_text"));
  if (!isName(name))
    return badName(name);
  return api::guarded([&] {
    nereid_module *module = nullptr;
    nereid_status status = nereid_module_parse((std::string(name) + ".py").c_str(), text, length, &module);
    return addOne(name, status, module);
  });
}

nereid_status nereid_find(const char *name, nereid_kernel **kernel) {
  if (!name || !kernel)
    return failed(missing("an argument of nereid_find"));
  *kernel = nullptr;
  return api::guarded([&] { return find(name, kernel); });
}

nereid_status nereid_call(const char *name, const nereid_argument *arguments, size_t count,
                          const nereid_launch_options *options) {
  nereid_kernel *kernel = nullptr;
  nereid_status status = nereid_find(name, &kernel);
  return status == NEREID_OK ? nereid_launch(kernel, arguments, count, options) : status;
}
