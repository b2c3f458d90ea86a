#include "jit/count/Count.h"

#include "compiler/Target.h"
#include "interp/count/Counter.h"
#include "jit/Backend.h"
#include "jit/Evaluate.h"

namespace nereid::jit {

double Counted::cacheHitRate() const {
  const interp::Counts &total = counts.total;
  return total.cacheSectors ? double(total.cacheHits) / double(total.cacheSectors) : 0;
}

// Target and device, where one of them or none is given.
static Result<compiler::Target> choose(const CountRequest &request, Counted &counted) {
  auto targetNamed = [](const std::string &name) -> Result<compiler::Target> {
    std::optional<compiler::Target> target = compiler::findTarget(name);
    if (target && (target->gpu || target->cpu))
      return *target;
    return Error{Status::BadInput, "error: nothing is counted for the target `" + name.substr(0, 80) +
                                       "`\nnote: there are `cpu`, `sm_80`, `sm_90a` and their like\n"};
  };
  std::string device = request.device;
  if (device.empty() && !request.target.empty()) {
    Result<compiler::Target> target = targetNamed(request.target);
    if (!target)
      return target;
    device = usualDeviceFor(*target);
  }
  Result<DeviceRow> row = findDeviceRow(device.empty() ? deviceRows().front().name : device, request.devices);
  if (!row)
    return row.error();
  counted.target = request.target.empty() ? row->target : request.target;
  counted.device = std::move(*row);
  return targetNamed(counted.target);
}

static Result<CountedCode> compileFor(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                      const std::vector<Argument> &arguments, const Settings &settings,
                                      const gpu::Target &target, const DeviceRow &device, const CountRequest &request) {
  Result<std::vector<NamedHostValue>> values = hostValues(module, arguments);
  if (!values)
    return values.error();
  Result<SpecializedTile> tile = compileTile(module, kernel, std::move(*values), settings);
  if (!tile)
    return tile.error();
  (void)module.compiler.takeDiagnostics(); // the launch gives the warnings
  return codeFor(std::move(tile->tile), tile->binding, tile->specialization, target, device, request.assembles);
}

// What only the code knows: the conflicts of each line, as often as the line ran.
static void addCode(const CountedCode &code, interp::CountResult &counts) {
  counts.total.registers = code.registers;
  counts.total.spillBytes = code.spillBytes;
  counts.total.sharedBytes = code.sharedBytes;
  for (const gpu::MoveFact &move : code.facts.moves)
    for (interp::LineCounts &line : counts.lines)
      if (move.conflicts && line.line == move.place.line && line.file == move.place.file) {
        line.counts.bankConflicts += move.conflicts * line.runs;
        counts.total.bankConflicts += move.conflicts * line.runs;
      }
}

Result<Counted> count(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                      const std::vector<Argument> &arguments, Settings settings, const CountRequest &request) {
  Counted counted;
  Result<compiler::Target> target = choose(request, counted);
  if (!target)
    return target.error();
  // Products as the target does them.
  if (settings.dotPrecision.empty() && target->gpu)
    settings.dotPrecision = cudaBackend().dotPrecision();
  settings.device = interpreterBackend().name();
  interp::CountOptions options;
  options.cacheBytes = counted.device.cacheBytes;
  options.residentPrograms = counted.device.multiprocessors;
  if (target->gpu) {
    Result<CountedCode> code = compileFor(module, kernel, arguments, settings, *target->gpu, counted.device, request);
    if (code) {
      options.plans = plansOf(code->facts);
      options.residentPrograms *= code->residentPrograms;
      counted.code = std::move(*code);
    } else if (code.error().status == Status::Internal) {
      return code.error();
    } else {
      counted.codeProblem = code.error().message;
    }
  }
  interp::Counter counter(options);
  settings.observer = &counter;
  Result<Launched> launched = launch(module, kernel, arguments, settings);
  if (!launched)
    return launched.error();
  counted.launched = std::move(*launched);
  if (counted.launched.programs)
    counted.counts = counter.take();
  counted.counts.total.launches = 1;
  if (counted.code)
    addCode(*counted.code, counted.counts);
  counted.roofline = rooflineOf(counted.counts.total, counted.device);
  return counted;
}

} // namespace nereid::jit
