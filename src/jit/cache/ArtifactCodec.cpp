#include "jit/cache/ArtifactCodec.h"

#include "jit/cache/SiteCodec.h"

#include <cstring>

namespace nereid::jit {

std::string encode(const cpu::Artifact &artifact) {
  // A new field does not compile until it is written, and read below.
  const auto &[name, object, scratchBytes, argumentCount, isOrderSensitive, usesTileRegisters, waits, isMovable,
               sites] = artifact;
  FieldWriter writer;
  writer.text(name);
  writer.number<uint64_t>(scratchBytes);
  writer.number<uint32_t>(argumentCount);
  writer.number<uint8_t>(isOrderSensitive);
  writer.number<uint8_t>(usesTileRegisters);
  writer.number<uint8_t>(waits);
  writer.number<uint8_t>(isMovable);
  encodeSites(writer, sites);
  writer.text({reinterpret_cast<const char *>(object.data()), object.size()});
  return std::move(writer.bytes);
}

std::optional<cpu::Artifact> decodeArtifact(std::string_view bytes) {
  FieldReader reader(bytes);
  cpu::Artifact artifact;
  artifact.name = reader.text();
  artifact.scratchBytes = reader.number<uint64_t>();
  artifact.argumentCount = reader.number<uint32_t>();
  artifact.isOrderSensitive = reader.number<uint8_t>() != 0;
  artifact.usesTileRegisters = reader.number<uint8_t>() != 0;
  artifact.waits = reader.number<uint8_t>() != 0;
  artifact.isMovable = reader.number<uint8_t>() != 0;
  artifact.sites = decodeSites(reader);
  std::string_view object = reader.text();
  if (reader.hasFailed() || reader.left() != 0)
    return std::nullopt;
  artifact.object.resize(object.size());
  if (!object.empty())
    std::memcpy(artifact.object.data(), object.data(), object.size());
  return artifact;
}

} // namespace nereid::jit
