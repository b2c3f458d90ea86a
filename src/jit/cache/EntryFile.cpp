// Layout, little-endian: magic (8), format version (4), length of the kind (4), kind, key (32), length of the payload
// (8), payload, SHA-256 of everything before it (32).
#include "jit/cache/EntryFile.h"

#include "jit/cache/Fields.h"

namespace nereid::jit {

static constexpr std::string_view kMagic = "NEREID\x01\n"; // the line end shows a transfer that changed line ends
static constexpr uint32_t kFormat = 1;

static std::string_view view(const Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

std::string wrapEntry(std::string_view kind, const Digest &key, std::string_view payload) {
  FieldWriter writer;
  writer.raw(kMagic);
  writer.number<uint32_t>(kFormat);
  writer.number<uint32_t>(static_cast<uint32_t>(kind.size()));
  writer.raw(kind);
  writer.raw(view(key));
  writer.number<uint64_t>(payload.size());
  writer.raw(payload);
  Digest checksum = sha256(writer.bytes);
  writer.raw(view(checksum));
  return std::move(writer.bytes);
}

std::optional<std::string> unwrapEntry(std::string_view kind, const Digest &key, std::string_view bytes) {
  FieldReader reader(bytes);
  bool isOurs = reader.raw(kMagic.size()) == kMagic && reader.number<uint32_t>() == kFormat &&
                reader.number<uint32_t>() == kind.size() && reader.raw(kind.size()) == kind &&
                reader.raw(key.size()) == view(key);
  auto length = reader.number<uint64_t>();
  constexpr size_t kChecksumSize = 32;
  if (!isOurs || reader.hasFailed() || reader.left() < kChecksumSize || length != reader.left() - kChecksumSize)
    return std::nullopt;
  std::string_view payload = reader.raw(length);
  Digest checksum = sha256(bytes.substr(0, bytes.size() - kChecksumSize));
  if (reader.raw(kChecksumSize) != view(checksum))
    return std::nullopt;
  return std::string(payload);
}

} // namespace nereid::jit
