#include "jit/tune/TuneStore.h"

#include "cpu/Target.h"
#include "jit/cache/BuildId.h"
#include "jit/cache/DiskCache.h"
#include "jit/cache/Fields.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cuda/Device.h"

#include <algorithm>
#include <bit>

namespace nereid::jit {

static void addArguments(Sha256 &hash, const Binding &binding) {
  const lang::Autotune &tuning = *binding.kernel->autotune;
  for (size_t i = 0; i < binding.values.size(); ++i) {
    const lang::Parameter &parameter = binding.kernel->parameters[i];
    const HostValue &value = binding.values[i];
    bool isKey = std::ranges::find(tuning.key, parameter.name) != tuning.key.end();
    bool isFromConfig =
        std::ranges::any_of(tuning.configs[0].values, [&](const auto &item) { return item.first == parameter.name; });
    hash.field(parameter.name);
    if (value.tensor)
      hash.field(nameOf(value.tensor->dtype()));
    else if (!isFromConfig && (isKey || parameter.isConstexpr))
      hash.field(lang::repr(value.asValue()));
    else
      hash.field(lang::typeName(value.asValue()));
  }
}

std::optional<Digest> tuningKey(KernelModule &module, const Binding &binding, const Settings &settings,
                                const cuda::Device *gpu) {
  std::vector<lang::Loader::JitEntry> kernels = module.kernels();
  auto found = std::ranges::find(kernels, binding.kernel, &lang::Loader::JitEntry::function);
  if (found == kernels.end())
    return std::nullopt;
  Sha256 hash;
  const Digest &build = buildId(), &base = module.closure().base();
  hash.update(build.data(), build.size());
  hash.update(base.data(), base.size());
  hash.field(uint64_t(found - kernels.begin()));
  if (gpu) {
    hash.field(gpu->properties().name);
    hash.field(gpu->properties().target());
  } else {
    hash.field(cpu::hostTarget().key());
    hash.field(uint64_t(settings.threads ? settings.threads : cpu::availableCores()));
  }
  hash.field(uint64_t(settings.debug));
  for (const lang::Config &config : binding.kernel->autotune->configs)
    hash.field(textOf(config));
  for (int number : {settings.shape.numWarps, settings.shape.numStages, settings.shape.numCtas})
    hash.field(uint64_t(number));
  addArguments(hash, binding);
  return hash.finish();
}

std::optional<Tuning> loadTuning(const Digest &key, size_t configCount) {
  std::optional<std::string> payload = DiskCache::shared().load("tuning", key);
  if (!payload)
    return std::nullopt;
  FieldReader reader(*payload);
  Tuning tuning;
  tuning.isKept = true;
  tuning.best = reader.number<uint32_t>();
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i) {
    Trial &trial = tuning.trials.emplace_back();
    trial.config = reader.number<uint32_t>();
    trial.text = reader.text();
    trial.problem = reader.text();
    trial.seconds = std::bit_cast<double>(reader.number<uint64_t>());
  }
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i)
    tuning.notes.emplace_back(reader.text());
  return reader.hasFailed() || reader.left() || tuning.best >= configCount ? std::nullopt
                                                                           : std::optional(std::move(tuning));
}

void storeTuning(const Digest &key, const Tuning &tuning) {
  FieldWriter writer;
  writer.number<uint32_t>(tuning.best);
  writer.number<uint64_t>(tuning.trials.size());
  for (const Trial &trial : tuning.trials) {
    writer.number<uint32_t>(trial.config);
    writer.text(trial.text);
    writer.text(trial.problem);
    writer.number<uint64_t>(std::bit_cast<uint64_t>(trial.seconds));
  }
  writer.number<uint64_t>(tuning.notes.size());
  for (const std::string &note : tuning.notes)
    writer.text(note);
  DiskCache::shared().store("tuning", key, writer.bytes);
}

} // namespace nereid::jit
