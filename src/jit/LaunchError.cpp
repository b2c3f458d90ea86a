#include "jit/LaunchError.h"

#include "cpu/SourceLine.h"
#include "jit/Report.h"

#include <filesystem>

namespace nereid::jit {

using Kind = runtime::Failure::Kind;

// The line table has whole paths; messages name the kernel's file as the user did. Code of a text that is in no file may
// come from the cache, and have been compiled in another folder.
static runtime::Place placeOf(KernelModule &module, const cpu::SourceLine &line) {
  runtime::Place place{line.file, line.line, line.column, 0, {}};
  std::error_code problem;
  if (const SourceRef &own = module.module().source;
      own && (std::filesystem::absolute(own->name(), problem) == std::filesystem::path(line.file) ||
              std::string_view(line.file).ends_with("/" + std::string(own->name()))))
    place.file = own->name();
  return place;
}

// The tensor whose bounds are nearest to the address. None where that is far from all: then it is no index that went
// wrong, but the address itself.
static const runtime::Allocation *nearestTo(uint64_t address, const std::vector<runtime::Allocation> &memory) {
  constexpr uint64_t kFar = uint64_t(1) << 40;
  const runtime::Allocation *nearest = nullptr;
  uint64_t least = kFar;
  for (const runtime::Allocation &tensor : memory) {
    auto begin = reinterpret_cast<uint64_t>(tensor.data), end = begin + tensor.bytes;
    uint64_t distance = address < begin ? begin - address : address >= end ? address - end : 0;
    if (distance < least)
      least = distance, nearest = &tensor;
  }
  return nearest;
}

static std::string describeFault(const cpu::Fault &fault, const std::vector<runtime::Allocation> &memory) {
  const runtime::Allocation *tensor = fault.hasAddress ? nearestTo(fault.address, memory) : nullptr;
  if (!tensor)
    return "";
  auto offset = static_cast<int64_t>(fault.address - reinterpret_cast<uint64_t>(tensor->data));
  return (fault.isWrite ? ": it writes " : ": it reads ") + runtime::describeElement(*tensor, offset);
}

static constexpr const char *kAdvice = "note: the checker (`nereid check`, NEREID_CHECK=1) finds every such access\n";

Error strayWriteError(KernelModule &module, uint64_t address, const std::vector<runtime::Allocation> &memory) {
  cpu::LaunchFailure failure{.kind = cpu::LaunchFailure::Kind::Fault};
  failure.fault = {.address = address, .hasAddress = true, .isWrite = true};
  std::string name(module.module().source ? module.module().source->name() : "");
  return {failure.status(), (name.empty() ? "" : name + ": ") + "error: " + describeFailure(failure) +
                                describeFault(failure.fault, memory) + "\n" + kAdvice};
}

Error launchError(KernelModule &module, const cpu::LoadedKernel &kernel, const cpu::LaunchFailure &failure,
                  const std::vector<runtime::Allocation> &memory) {
  runtime::Failure same;
  same.kind = failure.isEarlyEnd() ? Kind::Cancelled : Kind::BadAccess;
  same.message = describeFailure(failure);
  if (failure.program)
    same.program = *failure.program;
  if (failure.site)
    same.place = {failure.site->file, failure.site->line, failure.site->column, failure.site->endColumn, {}};
  std::string advice;
  if (failure.kind == cpu::LaunchFailure::Kind::Fault) {
    same.message += describeFault(failure.fault, memory);
    if (std::optional<cpu::SourceLine> line = cpu::sourceLineOf(kernel, failure.fault.instruction))
      same.place = placeOf(module, *line);
    advice = kAdvice;
  }
  return {failure.status(), renderFailure(module, same) + advice};
}

} // namespace nereid::jit
