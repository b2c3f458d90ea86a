#include "jit/cache/ArtifactCodec.h"

#include "jit/cache/Fields.h"

#include <cstring>

namespace nereid::jit {

static void encodeSite(FieldWriter &writer, const cpu::Site &site) {
  writer.number<uint8_t>(static_cast<uint8_t>(site.kind));
  writer.text(site.text);
  writer.text(site.file);
  writer.number<uint32_t>(site.line);
  writer.number<uint32_t>(site.column);
  writer.number<uint32_t>(site.endColumn);
  writer.number<uint8_t>(site.isHex);
  writer.number<uint64_t>(site.values.size());
  for (const cpu::Site::Value &value : site.values) {
    writer.text(value.type);
    writer.number<uint64_t>(value.shape.size());
    for (int64_t extent : value.shape)
      writer.number<uint64_t>(static_cast<uint64_t>(extent));
  }
}

static cpu::Site decodeSite(FieldReader &reader) {
  cpu::Site site;
  site.kind = static_cast<cpu::Site::Kind>(reader.number<uint8_t>());
  site.text = reader.text();
  site.file = reader.text();
  site.line = reader.number<uint32_t>();
  site.column = reader.number<uint32_t>();
  site.endColumn = reader.number<uint32_t>();
  site.isHex = reader.number<uint8_t>() != 0;
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i) {
    cpu::Site::Value &value = site.values.emplace_back();
    value.type = reader.text();
    for (uint64_t axis = 0, rank = reader.count(); axis < rank && !reader.hasFailed(); ++axis)
      value.shape.push_back(static_cast<int64_t>(reader.number<uint64_t>()));
  }
  return site;
}

std::string encode(const cpu::Artifact &artifact) {
  // A new field does not compile until it is written, and read below.
  const auto &[name, object, scratchBytes, argumentCount, isOrderSensitive, usesTileRegisters, waits, sites] = artifact;
  FieldWriter writer;
  writer.text(name);
  writer.number<uint64_t>(scratchBytes);
  writer.number<uint32_t>(argumentCount);
  writer.number<uint8_t>(isOrderSensitive);
  writer.number<uint8_t>(usesTileRegisters);
  writer.number<uint8_t>(waits);
  writer.number<uint64_t>(sites.size());
  for (const cpu::Site &site : sites)
    encodeSite(writer, site);
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
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i)
    artifact.sites.push_back(decodeSite(reader));
  std::string_view object = reader.text();
  if (reader.hasFailed() || reader.left() != 0)
    return std::nullopt;
  artifact.object.resize(object.size());
  if (!object.empty())
    std::memcpy(artifact.object.data(), object.data(), object.size());
  return artifact;
}

} // namespace nereid::jit
