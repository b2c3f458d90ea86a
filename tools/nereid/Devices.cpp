#include "Devices.h"

#include "jit/Backend.h"
#include "jit/CudaDevice.h"

#include <cstdlib>

namespace nereid::tool {

std::vector<std::string> deviceChoices() {
  std::vector<std::string> names;
  for (const jit::Backend *backend : jit::backends())
    names.emplace_back(backend->name());
  return names;
}

std::optional<std::string> deviceNamed(std::optional<std::string> asked) {
  if (const char *variable = std::getenv("NEREID_DEVICE"); !asked && variable && *variable)
    asked = variable;
  return asked;
}

// What else the devices are called.
static std::vector<std::string> otherDevice(const std::string &name) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"gpu", "cuda"},
                                                                             {"GPU", "cuda"},
                                                                             {"CUDA", "cuda"},
                                                                             {"nvidia", "cuda"},
                                                                             {"gpu:0", "cuda:0"},
                                                                             {"host", "cpu"},
                                                                             {"CPU", "cpu"},
                                                                             {"x86", "cpu"},
                                                                             {"interpreter", "interp"},
                                                                             {"interpret", "interp"},
                                                                             {"sim", "interp"},
                                                                             {"hip", ""},
                                                                             {"rocm", ""},
                                                                             {"amd", ""},
                                                                             {"mps", ""}};
  for (const auto &[word, ours] : kWords)
    if (word == name)
      return {ours.empty() ? "kernels run on NVIDIA GPUs and on the CPU"
                           : "write `--device " + std::string(ours) + "`"};
  return {};
}

std::optional<std::string> readDevice(std::optional<std::string> asked, Console &console, int &status) {
  std::string name = deviceNamed(std::move(asked)).value_or(std::string(jit::cpuBackend().name()));
  if (jit::findBackend(name))
    return name;
  std::vector<std::string> notes = otherDevice(name);
  if (notes.empty())
    notes = suggestion(name, deviceChoices());
  notes.push_back("`nereid info` lists the devices");
  status = fail(console, "there is no device `" + name.substr(0, 80) + "`", std::move(notes));
  return std::nullopt;
}

WarmDevice::WarmDevice(const Words &words) {
  std::optional<std::string> name = deviceNamed(words.value("--device"));
  if (name && jit::findBackend(*name) == &jit::cudaBackend())
    // None is current yet.
    thread = std::thread(
        [name = name->find(':') == std::string::npos ? *name + ":0" : *name] { (void)jit::findCudaDevice(name); });
}

WarmDevice::~WarmDevice() {
  if (thread.joinable())
    thread.join();
}

std::string describe(const jit::Launched::Resources &used) {
  return std::to_string(used.threads) + " threads, " + std::to_string(used.registers) + " registers, " +
         std::to_string(used.localBytes) + " bytes of local memory, " + std::to_string(used.sharedBytes) +
         " bytes of shared memory";
}

llvm::json::Object toJson(const jit::Launched::Resources &used) {
  return llvm::json::Object{{"threads", used.threads},
                            {"registers", used.registers},
                            {"local_bytes", used.localBytes},
                            {"shared_bytes", used.sharedBytes}};
}

} // namespace nereid::tool
