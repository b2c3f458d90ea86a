#include "jit/cache/CudaArtifactCodec.h"

#include "jit/cache/SiteCodec.h"
#include "runtime/cuda/TensorMaps.h"

#include <algorithm>
#include <cstring>

namespace nereid::jit {

namespace {

void encodeParameter(FieldWriter &writer, const cuda::Parameter &parameter) {
  const auto &[kind, index, bytes] = parameter;
  writer.number<uint8_t>(static_cast<uint8_t>(kind));
  writer.number<uint32_t>(index);
  writer.number<uint32_t>(bytes);
}

cuda::Parameter decodeParameter(FieldReader &reader) {
  cuda::Parameter parameter;
  parameter.kind = static_cast<cuda::Parameter::Kind>(reader.number<uint8_t>());
  parameter.index = reader.number<uint32_t>();
  parameter.bytes = reader.number<uint32_t>();
  return parameter;
}

void encodeNumber(FieldWriter &writer, const cuda::TensorMap::Number &number) {
  const auto &[factor, count, words, bytes, isNarrow] = number;
  writer.number<uint64_t>(static_cast<uint64_t>(factor));
  writer.number<uint8_t>(count);
  for (uint16_t word : words)
    writer.number<uint16_t>(word);
  for (uint8_t width : bytes)
    writer.number<uint8_t>(width);
  writer.number<uint8_t>(isNarrow);
}

cuda::TensorMap::Number decodeNumber(FieldReader &reader) {
  cuda::TensorMap::Number number;
  number.factor = static_cast<int64_t>(reader.number<uint64_t>());
  number.count = reader.number<uint8_t>();
  for (uint16_t &word : number.words)
    word = reader.number<uint16_t>();
  for (uint8_t &width : number.bytes)
    width = reader.number<uint8_t>();
  number.isNarrow = reader.number<uint8_t>() != 0;
  return number;
}

void encodeMap(FieldWriter &writer, const cuda::TensorMap &map) {
  const auto &[word, element, elementBytes, rank, box, swizzle, fillsNan, extents, strides] = map;
  writer.number<uint32_t>(word);
  writer.number<uint8_t>(static_cast<uint8_t>(element));
  writer.number<uint8_t>(elementBytes);
  writer.number<uint8_t>(rank);
  for (uint32_t extent : box)
    writer.number<uint32_t>(extent);
  writer.number<uint8_t>(static_cast<uint8_t>(swizzle));
  writer.number<uint8_t>(fillsNan);
  for (const auto *numbers : {&extents, &strides})
    for (const cuda::TensorMap::Number &number : *numbers)
      encodeNumber(writer, number);
}

cuda::TensorMap decodeMap(FieldReader &reader) {
  cuda::TensorMap map;
  map.word = reader.number<uint32_t>();
  map.element = static_cast<cuda::TensorMap::Element>(reader.number<uint8_t>());
  map.elementBytes = reader.number<uint8_t>();
  map.rank = reader.number<uint8_t>();
  for (uint32_t &extent : map.box)
    extent = reader.number<uint32_t>();
  map.swizzle = static_cast<cuda::TensorMap::Swizzle>(reader.number<uint8_t>());
  map.fillsNan = reader.number<uint8_t>() != 0;
  for (auto *numbers : {&map.extents, &map.strides})
    for (cuda::TensorMap::Number &number : *numbers)
      number = decodeNumber(reader);
  return map;
}

template <class T, class Encode> void encodeList(FieldWriter &writer, const std::vector<T> &list, Encode encodeOne) {
  writer.number<uint64_t>(list.size());
  for (const T &each : list)
    encodeOne(writer, each);
}

template <class T, class Decode> void decodeList(FieldReader &reader, std::vector<T> &list, Decode decodeOne) {
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i)
    list.push_back(decodeOne(reader));
}

// A damaged entry must not make the launcher read outside of the lists.
bool isConsistent(const cuda::Artifact &artifact) {
  for (const cuda::Parameter &parameter : artifact.parameters)
    if (parameter.kind > cuda::Parameter::Kind::Report ||
        (parameter.kind == cuda::Parameter::Kind::TensorMap && parameter.index >= artifact.tensorMaps.size()))
      return false;
  return std::ranges::all_of(artifact.tensorMaps, cuda::isSound);
}

} // namespace

std::string encode(const cuda::Artifact &artifact) {
  // A new field does not compile until it is written, and read below.
  const auto &[name, target, ptx, threads, sharedBytes, isCooperative, launchesDependents, parameters, tensorMaps,
               sites, wordNames, hasForeignCode, image, resources, remarks] = artifact;
  FieldWriter writer;
  for (const std::string *text : {&name, &target, &ptx, &remarks})
    writer.text(*text);
  const auto &[registers, localBytes, staticBytes, maxThreads] = resources;
  for (uint32_t number : {threads, sharedBytes, registers, localBytes, staticBytes, maxThreads})
    writer.number<uint32_t>(number);
  writer.number<uint8_t>(isCooperative);
  writer.number<uint8_t>(launchesDependents);
  writer.number<uint8_t>(hasForeignCode);
  encodeList(writer, parameters, encodeParameter);
  encodeList(writer, tensorMaps, encodeMap);
  encodeSites(writer, sites);
  encodeList(writer, wordNames, [](FieldWriter &to, const std::string &text) { to.text(text); });
  writer.text({reinterpret_cast<const char *>(image.data()), image.size()});
  return std::move(writer.bytes);
}

std::optional<cuda::Artifact> decodeCudaArtifact(std::string_view bytes) {
  FieldReader reader(bytes);
  cuda::Artifact artifact;
  for (std::string *text : {&artifact.name, &artifact.target, &artifact.ptx, &artifact.remarks})
    *text = reader.text();
  cuda::Resources &used = artifact.resources;
  for (uint32_t *number : {&artifact.threads, &artifact.sharedBytes, &used.registers, &used.localBytes,
                           &used.sharedBytes, &used.maxThreads})
    *number = reader.number<uint32_t>();
  artifact.isCooperative = reader.number<uint8_t>() != 0;
  artifact.launchesDependents = reader.number<uint8_t>() != 0;
  artifact.hasForeignCode = reader.number<uint8_t>() != 0;
  decodeList(reader, artifact.parameters, decodeParameter);
  decodeList(reader, artifact.tensorMaps, decodeMap);
  artifact.sites = decodeSites(reader);
  decodeList(reader, artifact.wordNames, [](FieldReader &from) { return std::string(from.text()); });
  std::string_view image = reader.text();
  if (reader.hasFailed() || reader.left() != 0 || !isConsistent(artifact))
    return std::nullopt;
  artifact.image.resize(image.size());
  if (!image.empty())
    std::memcpy(artifact.image.data(), image.data(), image.size());
  return artifact;
}

} // namespace nereid::jit
