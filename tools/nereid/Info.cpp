// Info.cpp: `nereid info`: versions, devices, and the functions of the language.
#include "Devices.h"
#include "LanguageHelp.h"
#include "LaunchWords.h"
#include "Summary.h"

#include "api/Version.h"
#include "cpu/Target.h"
#include "jit/Backend.h"
#include "jit/CudaDevice.h"
#include "jit/Obtain.h"
#include "jit/cache/DiskCache.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cpu/Machine.h"
#include "runtime/cuda/Assemble.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace nereid::tool {

namespace {

int printBuiltins(const Words &words, Console &console) {
  llvm::json::Array rows;
  for (const lang::CatalogueEntry &entry : lang::catalogue()) {
    if (!words.has("--json")) {
      console.out << console.paint(Tint::Strong, wholeSignature(entry)) << "\n    " << entry.documentation << "\n";
      continue;
    }
    llvm::json::Object row{{"name", entry.name},
                           {"signature", entry.signature},
                           {"documentation", entry.documentation},
                           {"member", entry.isMember}};
    if (std::optional<lang::Example> example = lang::findExample(entry.name)) {
      row["example"] = example->text;
      row["command"] = commandOf(*example);
    }
    rows.push_back(std::move(row));
  }
  if (words.has("--json"))
    console.out << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{{"builtins", std::move(rows)}})).str()
                << "\n";
  return kFine;
}

// The GPUs, or why there is none.
Result<std::vector<cuda::Device *>> findGpus() {
  Result<cuda::Driver *> driver = cuda::Driver::shared();
  if (!driver)
    return driver.error();
  std::vector<cuda::Device *> gpus;
  for (int i = 0; i < (*driver)->deviceCount(); ++i) {
    Result<cuda::Device *> device = (*driver)->device(i);
    if (!device)
      return device.error();
    gpus.push_back(*device);
  }
  return gpus;
}

std::string firstLine(const Error &error) {
  std::string line = error.message.substr(0, error.message.find('\n'));
  return line.starts_with("error: ") ? line.substr(7) : line;
}

void printGpus(Console &console) {
  Result<std::vector<cuda::Device *>> gpus = findGpus();
  if (!gpus) {
    console.out << "          none here: " << firstLine(gpus.error()) << "\n";
    return;
  }
  for (const cuda::Device *gpu : *gpus) {
    const cuda::Properties &facts = gpu->properties();
    console.out << llvm::formatv(
                       "          cuda:{0}  {1}, {2}, {3} multiprocessors at {4:f2} GHz, {5} MiB of memory, {6} MiB "
                       "of L2, {7} bytes of shared memory a program\n",
                       gpu->ordinal(), facts.name, facts.target(), facts.multiprocessors, facts.clockGigahertz,
                       facts.memoryBytes >> 20, facts.l2Bytes >> 20, facts.maxSharedBytes)
                       .str();
  }
  int version = (*cuda::Driver::shared())->version();
  console.out << "          driver of CUDA " << version / 1000 << "." << version % 1000 / 10 << "; PTX is assembled by "
              << cuda::describeAssembler() << "\n";
}

llvm::json::Object gpusAsJson() {
  Result<std::vector<cuda::Device *>> gpus = findGpus();
  llvm::json::Object row{{"name", "cuda"}, {"available", bool(gpus)}};
  if (!gpus) {
    row["reason"] = firstLine(gpus.error());
    return row;
  }
  llvm::json::Array list;
  for (const cuda::Device *gpu : *gpus) {
    const cuda::Properties &facts = gpu->properties();
    list.push_back(llvm::json::Object{{"ordinal", gpu->ordinal()},
                                      {"name", facts.name},
                                      {"target", facts.target()},
                                      {"multiprocessors", facts.multiprocessors},
                                      {"clock_gigahertz", facts.clockGigahertz},
                                      {"memory_bytes", facts.memoryBytes},
                                      {"l2_bytes", facts.l2Bytes},
                                      {"shared_bytes", facts.maxSharedBytes}});
  }
  row["gpus"] = std::move(list);
  row["driver"] = (*cuda::Driver::shared())->version();
  row["assembler"] = cuda::describeAssembler();
  return row;
}

// AMD EPYC …, cores: 16, caches: L1 32 KiB, L2 1 MiB, L3 256 MiB
std::string describeProcessor() {
  std::string name = cpu::processorName(), text = name.empty() ? "" : name + ", ";
  text += "cores: " + std::to_string(cpu::availableCores());
  std::string caches;
  for (const cpu::DataCache &cache : cpu::dataCaches())
    caches += (caches.empty() ? ", caches: L" : ", L") + std::to_string(cache.level) + " " + sizeText(cache.bytes);
  return text + caches;
}

void addProcessor(llvm::json::Object &row) {
  llvm::json::Array caches;
  for (const cpu::DataCache &cache : cpu::dataCaches())
    caches.push_back(llvm::json::Object{{"level", cache.level}, {"bytes", cache.bytes}});
  row["features"] = cpu::hostTarget().requiredFeatures();
  row["processor"] = jsonText(cpu::processorName());
  row["cores"] = cpu::availableCores();
  row["caches"] = std::move(caches);
}

int printKernels(const Words &words, Console &console) {
  std::vector<cuda::Artifact> kernels = jit::keptGpuKernels(jit::DiskCache::shared());
  llvm::json::Array list;
  if (!words.has("--json"))
    console.out << llvm::formatv("{0,-40} {1,-8} {2,8} {3,10} {4,12} {5,13}\n", "kernel in the cache", "target",
                                 "threads", "registers", "local bytes", "shared bytes")
                       .str();
  for (const cuda::Artifact &kernel : kernels) {
    const cuda::Resources &used = kernel.resources;
    uint32_t shared = kernel.sharedBytes + used.sharedBytes;
    list.push_back(llvm::json::Object{{"name", jsonText(kernel.name)},
                                      {"target", kernel.target},
                                      {"threads", kernel.threads},
                                      {"registers", used.registers},
                                      {"local_bytes", used.localBytes},
                                      {"shared_bytes", shared}});
    if (!words.has("--json"))
      console.out << llvm::formatv("{0,-40} {1,-8} {2,8} {3,10} {4,12} {5,13}\n", kernel.name, kernel.target,
                                   kernel.threads, used.registers, used.localBytes, shared)
                         .str();
  }
  if (words.has("--json"))
    console.out << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{{"kernels", std::move(list)}})).str()
                << "\n";
  return kFine;
}

int runInfo(const Words &words, Console &console) {
  if (!words.operands.empty())
    return fail(console, "`nereid info` takes no operand, but `" + words.operands[0].substr(0, 80) + "` is given");
  if (words.has("--builtins"))
    return printBuiltins(words, console);
  if (words.has("--kernels"))
    return printKernels(words, console);
  lang::TargetDescription target;
  const jit::DiskCache &cache = jit::DiskCache::shared();
  jit::DiskCache::Usage usage = cache.usage();
  if (words.has("--json")) {
    llvm::json::Array list;
    for (const jit::Backend *backend : jit::backends()) {
      list.push_back(backend == &jit::cudaBackend()
                         ? gpusAsJson()
                         : llvm::json::Object{{"name", std::string(backend->name())}, {"available", true}});
      if (backend == &jit::cpuBackend())
        addProcessor(*list.back().getAsObject());
    }
    llvm::json::Object object{
        {"version", kVersionText},
        {"llvm", LLVM_VERSION_STRING},
        {"triton", target.tritonVersion},
        {"devices", std::move(list)},
        {"cache",
         llvm::json::Object{{"folder", jsonText(cache.folder())}, {"entries", usage.entries}, {"bytes", usage.bytes}}}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str() << "\n";
    return kFine;
  }
  console.out << console.paint(Tint::Strong, "nereid " + std::string(kVersionText)) << ", LLVM " << LLVM_VERSION_STRING
              << "\n";
  console.out << "kernel files see Triton " << target.tritonVersion << " on " << target.backend() << ", capability "
              << target.capability << "\n";
  console.out << "devices:\n";
  for (const jit::Backend *backend : jit::backends()) {
    std::string_view name = backend->name();
    console.out << "  " << console.paint(Tint::Place, name) << std::string(8 - name.size(), ' ')
                << backend->description() << "\n";
    if (backend == &jit::cpuBackend())
      console.out << "          " << describeProcessor() << "\n          " << cpu::hostTarget().text() << "\n";
  }
  printGpus(console);
  if (cache.folder().empty())
    console.out << "cache of compiled kernels: none\n";
  else
    console.out << "cache of compiled kernels: " << cache.folder() << ", entries: " << usage.entries
                << ", MiB: " << (usage.bytes >> 20) << "\n";
  return kFine;
}

constexpr Option kInfoOptions[] = {
    {"--builtins", "", "list the functions of the language, with their signatures"},
    {"--kernels", "", "list the GPU kernels of the cache, with their registers, spills and shared memory"},
    kJsonOption};

} // namespace

constinit const Verb kInfo{"info",
                           "versions, devices, the cache, functions of the language",
                           "info [--builtins | --kernels] [--json]",
                           "Says what this program is and what it can use.\n",
                           kInfoOptions,
                           runInfo};

} // namespace nereid::tool
