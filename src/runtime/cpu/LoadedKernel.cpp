// LoadedKernel.cpp: an artifact becomes a function that can be called.
#include "runtime/cpu/Features.h"
#include "runtime/cpu/Launch.h"

#include <algorithm>

namespace nereid::cpu {

LoadedKernel::LoadedKernel(Artifact artifact) : description(std::move(artifact)) {
  constexpr uint64_t kSmallTiles = 64 << 10;
  endsAtOnce = description.scratchBytes <= kSmallTiles && std::ranges::none_of(description.sites, [](const Site &site) {
                 return site.kind == Site::Kind::Loop || site.kind == Site::Kind::Wait;
               });
}

static Result<void> prepareProcessor(const Artifact &artifact) {
  if (artifact.usesTileRegisters && !allowTileRegisters())
    return Error{Status::Environment, "kernel `" + artifact.name +
                                          "` uses AMX, which this system does not allow; compile it for another CPU"};
  return {};
}

Result<std::shared_ptr<const LoadedKernel>> LoadedKernel::load(Artifact artifact, const LoadOptions &options) {
  if (Result<void> ready = prepareProcessor(artifact); !ready)
    return ready.error();
  Result<LoadedObject> object = LoadedObject::load(artifact.object, options);
  if (!object)
    return Error{object.error().status, "kernel `" + artifact.name + "`: " + object.error().message};
  void *entry = object->find(artifact.name);
  if (!entry)
    return Error{Status::Environment, "the object has no kernel `" + artifact.name + "`"};
  std::shared_ptr<LoadedKernel> kernel(new LoadedKernel(std::move(artifact)));
  kernel->object = std::move(*object);
  kernel->function = reinterpret_cast<Entry>(entry);
  return std::shared_ptr<const LoadedKernel>(std::move(kernel));
}

Result<std::shared_ptr<const LoadedKernel>> LoadedKernel::link(Entry entry, Artifact artifact) {
  if (Result<void> ready = prepareProcessor(artifact); !ready)
    return ready.error();
  std::shared_ptr<LoadedKernel> kernel(new LoadedKernel(std::move(artifact)));
  kernel->function = entry;
  return std::shared_ptr<const LoadedKernel>(std::move(kernel));
}

} // namespace nereid::cpu
