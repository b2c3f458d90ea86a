#include "jit/cache/SiteCodec.h"

namespace nereid::jit {

using runtime::Site;

static void encodeSite(FieldWriter &writer, const Site &site) {
  // A new field does not compile until it is written, and read below.
  const auto &[kind, text, file, line, column, endColumn, isHex, values] = site;
  writer.number<uint8_t>(static_cast<uint8_t>(kind));
  writer.text(text);
  writer.text(file);
  for (uint32_t number : {line, column, endColumn})
    writer.number<uint32_t>(number);
  writer.number<uint8_t>(isHex);
  writer.number<uint64_t>(values.size());
  for (const Site::Value &value : values) {
    writer.text(value.type);
    writer.number<uint64_t>(value.shape.size());
    for (int64_t extent : value.shape)
      writer.number<uint64_t>(static_cast<uint64_t>(extent));
  }
}

static Site decodeSite(FieldReader &reader) {
  Site site;
  site.kind = static_cast<Site::Kind>(reader.number<uint8_t>());
  site.text = reader.text();
  site.file = reader.text();
  for (uint32_t *number : {&site.line, &site.column, &site.endColumn})
    *number = reader.number<uint32_t>();
  site.isHex = reader.number<uint8_t>() != 0;
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i) {
    Site::Value &value = site.values.emplace_back();
    value.type = reader.text();
    for (uint64_t axis = 0, rank = reader.count(); axis < rank && !reader.hasFailed(); ++axis)
      value.shape.push_back(static_cast<int64_t>(reader.number<uint64_t>()));
  }
  return site;
}

void encodeSites(FieldWriter &writer, const std::vector<Site> &sites) {
  writer.number<uint64_t>(sites.size());
  for (const Site &site : sites)
    encodeSite(writer, site);
}

std::vector<Site> decodeSites(FieldReader &reader) {
  std::vector<Site> sites;
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i)
    sites.push_back(decodeSite(reader));
  return sites;
}

} // namespace nereid::jit
