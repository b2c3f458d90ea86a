#include "runtime/cuda/LoadedKernel.h"

#include "runtime/cuda/Failure.h"
#include "runtime/cuda/TensorMaps.h"
#include "runtime/profile/Recorder.h"

#include <algorithm>
#include <cstring>

namespace nereid::cuda {

static Error refused(const std::string &message, const std::string &note) {
  return {Status::BadInput, "error: " + message + "\nnote: " + note + "\n"};
}

// Before anything is asked of the driver, whose numbers would say less.
Result<void> LoadedKernel::check() {
  const Properties &gpu = owner.properties();
  const std::string &name = description.name;
  if (description.sharedBytes > gpu.maxSharedBytes)
    return refused("`" + name + "` needs " + std::to_string(description.sharedBytes) +
                       " bytes of shared memory for each program; " + gpu.name + " has " +
                       std::to_string(gpu.maxSharedBytes),
                   "make its blocks smaller, or `num_stages`");
  if (description.threads > static_cast<uint32_t>(gpu.maxThreads))
    return refused("`" + name + "` needs " + std::to_string(description.threads) + " threads for each program; " +
                       gpu.name + " has " + std::to_string(gpu.maxThreads),
                   "make `num_warps` smaller: a warp is " + std::to_string(gpu.warpSize) + " threads");
  if (description.parameters.size() > kMaxParameters || description.tensorMaps.size() > kMaxTensorMaps)
    return refused("`" + name + "` has " + std::to_string(description.parameters.size()) + " parameters and " +
                       std::to_string(description.tensorMaps.size()) + " descriptors; at most " +
                       std::to_string(kMaxParameters) + " and " + std::to_string(kMaxTensorMaps) + " are possible",
                   "pass fewer arguments");
  return {};
}

// Machine code is read as it is; PTX is assembled, with what the driver says about it.
Result<void> LoadedKernel::loadCode(std::optional<PtxProblem> *problem) {
  const driver::Functions &call = owner.call();
  const std::string what = "the code of `" + description.name + "` cannot be loaded";
  if (!description.image.empty()) {
    driver::Status status = call.moduleLoad(&module, description.image.data(), 0, nullptr, nullptr);
    return status == driver::kSuccess ? Result<void>() : owner.failed(status, what);
  }
  constexpr size_t kLogBytes = 16384;
  std::string info(kLogBytes, '\0'), errors(kLogBytes, '\0');
  auto number = [](size_t value) { return reinterpret_cast<void *>(value); };
  driver::JitOption options[] = {driver::kJitInfoLog,       driver::kJitInfoLogBytes, driver::kJitErrorLog,
                                 driver::kJitErrorLogBytes, driver::kJitLogVerbose,   driver::kJitLineInfo};
  void *values[] = {info.data(), number(kLogBytes), errors.data(), number(kLogBytes), number(1), number(1)};
  driver::Status status = call.moduleLoad(&module, description.ptx.c_str(), std::size(options), options, values);
  info.resize(std::min(info.find('\0'), info.size()));
  errors.resize(std::min(errors.find('\0'), errors.size()));
  if (status == driver::kSuccess) {
    description.remarks = remarksOf(info);
    return {};
  }
  if (status != driver::kInvalidPtx)
    return owner.failed(status, what);
  PtxProblem found = readPtxLog(errors, description.ptx);
  Error error{Status::BadInput, describe(found, description.name)};
  if (problem)
    *problem = std::move(found);
  return error;
}

void LoadedKernel::readResources() {
  auto attribute = [&](driver::FunctionAttribute which) {
    int32_t value = 0;
    return owner.call().functionAttribute(&value, which, entry) == driver::kSuccess ? static_cast<uint32_t>(value) : 0u;
  };
  description.resources = {.registers = attribute(driver::kFunctionRegisters),
                           .localBytes = attribute(driver::kFunctionLocalBytes),
                           .sharedBytes = attribute(driver::kFunctionSharedBytes),
                           .maxThreads = attribute(driver::kFunctionMaxThreads)};
}

Result<void> LoadedKernel::prepare() {
  const driver::Functions &call = owner.call();
  const Properties &gpu = owner.properties();
  const std::string &name = description.name;
  if (driver::Status status = call.moduleFunction(&entry, module, name.c_str()); status != driver::kSuccess)
    return owner.failed(status, "the code has no kernel `" + name + "`");
  readResources();
  const Resources &used = description.resources;
  uint64_t shared = uint64_t(used.sharedBytes) + description.sharedBytes;
  if (shared > gpu.maxSharedBytes)
    return refused("`" + name + "` needs " + std::to_string(shared) + " bytes of shared memory for each program; " +
                       gpu.name + " has " + std::to_string(gpu.maxSharedBytes),
                   "make its blocks smaller, or `num_stages`");
  if (used.maxThreads && description.threads > used.maxThreads)
    return refused("`" + name + "` needs " + std::to_string(description.threads) +
                       " threads for each program, and with " + std::to_string(used.registers) +
                       " registers for each there is room for " + std::to_string(used.maxThreads),
                   "make `num_warps` smaller, or its blocks");
  if (description.sharedBytes)
    if (driver::Status status = call.functionSetAttribute(entry, driver::kFunctionMaxDynamicShared,
                                                          static_cast<int32_t>(description.sharedBytes));
        status != driver::kSuccess)
      return owner.failed(status, "`" + name + "` cannot get " + std::to_string(description.sharedBytes) +
                                      " bytes of shared memory");
  return {};
}

Result<std::shared_ptr<const LoadedKernel>> LoadedKernel::load(Device &device, Artifact artifact,
                                                               std::optional<PtxProblem> *problem) {
  CurrentContext scope(device);
  std::shared_ptr<LoadedKernel> self(new LoadedKernel(device, std::move(artifact)));
  if (Result<void> fits = self->check(); !fits)
    return fits.error();
  if (Result<void> loaded = self->loadCode(problem); !loaded)
    return loaded.error();
  if (Result<void> ready = self->prepare(); !ready)
    return ready.error();
  for (const Site &site : self->description.sites)
    (site.kind == Site::Kind::Scope ? self->hasScopes : self->printsOrFails) = true;
  for (const Parameter &parameter : self->description.parameters) {
    if (parameter.kind == Parameter::Kind::Word)
      self->words = std::max(self->words, parameter.index + 1);
    if (parameter.kind == Parameter::Kind::Report && !self->description.sites.empty() && !self->allReport()) {
      Result<HostBuffer> memory =
          HostBuffer::allocate(device, kReportBytes + (self->hasScopes ? kMostMarks * sizeof(Mark) : 0));
      if (!memory)
        return memory.error();
      self->reportMemory = std::move(*memory);
      self->resetReport(); // also for launches that nobody reads it after
    }
  }
  for (const TensorMap &map : self->description.tensorMaps)
    self->words = std::max(self->words, wordsReadBy(map));
  // Stays for good: the last launches point to it, and messages about them come late.
  self->shownFacts = new KernelFacts{self->description.name, self->description.wordNames};
  return std::shared_ptr<const LoadedKernel>(std::move(self));
}

Report *LoadedKernel::report() const { return printsOrFails || profile::hasSession() ? allReport() : nullptr; }

void LoadedKernel::resetReport() const {
  *allReport() = Report{.capacity = kReportBytes - sizeof(Report), .data = reinterpret_cast<uint64_t>(allReport() + 1)};
}

// A warp gets room for a few scopes at least: of a large grid, the first programs are marked.
void LoadedKernel::prepareMarks(const std::array<uint32_t, 3> &grid) const {
  constexpr uint64_t kLeast = 32, kMost = 4096;
  constexpr uint32_t kWarpThreads = 32;
  if (!hasScopes)
    return;
  Report &report = *allReport();
  report.warps = std::max(description.threads / kWarpThreads, 1u);
  uint64_t all = uint64_t(grid[0]) * grid[1] * grid[2] * report.warps;
  report.marks = static_cast<uint32_t>(std::clamp(kMostMarks / std::max(all, uint64_t(1)), kLeast, kMost));
  report.markedWarps = static_cast<uint32_t>(std::min(all, kMostMarks / report.marks));
  std::byte *data = reportMemory.data() + kReportBytes;
  report.markData = reinterpret_cast<uint64_t>(data);
  std::memset(data, 0, size_t(report.markedWarps) * report.marks * sizeof(Mark));
}

LoadedKernel::~LoadedKernel() {
  if (!module || Driver::isForked())
    return;
  CurrentContext scope(owner);
  owner.call().moduleUnload(module);
}

} // namespace nereid::cuda
