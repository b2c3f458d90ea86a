#include "jit/cache/CountCodec.h"

#include "jit/cache/CudaArtifactCodec.h"
#include "jit/cache/Fields.h"

#include <algorithm>
#include <cstring>

namespace nereid::jit {

// A new field of a fact does not compile until it is written here, and read below.
namespace {

void encodeFact(FieldWriter &writer, const gpu::CodePlace &place) {
  const auto &[file, line, column] = place;
  writer.text(file);
  writer.number<uint32_t>(line);
  writer.number<uint32_t>(column);
}

void encodeFact(FieldWriter &writer, const gpu::AccessFact &fact) {
  const auto &[place, kind, isWrite, isAtomic, isScalar, goesAroundFirstCache, elements, accessBytes, slots, order,
               requestElements, repeats] = fact;
  encodeFact(writer, place);
  writer.number<uint8_t>(static_cast<uint8_t>(kind));
  for (bool flag : {isWrite, isAtomic, isScalar, goesAroundFirstCache})
    writer.number<uint8_t>(flag);
  for (unsigned number : {elements, accessBytes, slots, requestElements, repeats})
    writer.number<uint32_t>(number);
  // Many numbers, and no other machine reads them.
  writer.text({reinterpret_cast<const char *>(order.data()), order.size() * sizeof(uint32_t)});
}

void encodeFact(FieldWriter &writer, const gpu::ProductFact &fact) {
  const auto &[place, instruction, shape] = fact;
  encodeFact(writer, place);
  writer.text(instruction);
  writer.number<uint64_t>(shape.size());
  for (int64_t extent : shape)
    writer.number<int64_t>(extent);
}

void encodeFact(FieldWriter &writer, const gpu::MoveFact &fact) {
  const auto &[place, kind, shuffles, sharedBytes, barriers, accesses, conflicts] = fact;
  encodeFact(writer, place);
  writer.number<uint8_t>(static_cast<uint8_t>(kind));
  for (unsigned number : {shuffles, sharedBytes, barriers, accesses, conflicts})
    writer.number<uint32_t>(number);
}

template <class Fact> void encodeFacts(FieldWriter &writer, const std::vector<Fact> &facts) {
  writer.number<uint64_t>(facts.size());
  for (const Fact &fact : facts)
    encodeFact(writer, fact);
}

template <class Kind> void decodeKind(FieldReader &reader, Kind &kind) {
  kind = static_cast<Kind>(reader.number<uint8_t>());
}

void decodeFact(FieldReader &reader, gpu::CodePlace &place) {
  place.file = reader.text();
  place.line = reader.number<uint32_t>();
  place.column = reader.number<uint32_t>();
}

void decodeFact(FieldReader &reader, gpu::AccessFact &fact) {
  decodeFact(reader, fact.place);
  decodeKind(reader, fact.kind);
  for (bool *flag : {&fact.isWrite, &fact.isAtomic, &fact.isScalar, &fact.goesAroundFirstCache})
    *flag = reader.number<uint8_t>() != 0;
  for (unsigned *number : {&fact.elements, &fact.accessBytes, &fact.slots, &fact.requestElements, &fact.repeats})
    *number = reader.number<uint32_t>();
  std::string_view order = reader.text();
  fact.order.resize(order.size() / sizeof(uint32_t));
  if (!fact.order.empty())
    std::memcpy(fact.order.data(), order.data(), fact.order.size() * sizeof(uint32_t));
}

void decodeFact(FieldReader &reader, gpu::ProductFact &fact) {
  decodeFact(reader, fact.place);
  fact.instruction = reader.text();
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i)
    fact.shape.push_back(reader.number<int64_t>());
}

void decodeFact(FieldReader &reader, gpu::MoveFact &fact) {
  decodeFact(reader, fact.place);
  decodeKind(reader, fact.kind);
  for (unsigned *number : {&fact.shuffles, &fact.sharedBytes, &fact.barriers, &fact.accesses, &fact.conflicts})
    *number = reader.number<uint32_t>();
}

template <class Fact> void decodeFacts(FieldReader &reader, std::vector<Fact> &facts) {
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i)
    decodeFact(reader, facts.emplace_back());
}

// A damaged entry must not make the counters look outside of a tile.
bool isConsistent(const gpu::CodeFacts &facts) {
  return std::ranges::all_of(facts.accesses, [](const gpu::AccessFact &fact) {
    return fact.kind <= gpu::AccessFact::Kind::Block && fact.requestElements > 0 &&
           std::ranges::all_of(fact.order, [&](uint32_t element) { return element < fact.elements; });
  });
}

} // namespace

std::string encode(const CountArtifact &artifact) {
  const auto &[numWarps, numStages, accesses, products, moves, isSpecialized, hasTma] = artifact.facts;
  FieldWriter writer;
  writer.text(encode(artifact.code));
  writer.number<uint32_t>(artifact.codeBytes);
  writer.number<uint64_t>(artifact.fp32Lines.size());
  for (auto [line, instructions, guarded] : artifact.fp32Lines)
    for (uint32_t number : {line, instructions, guarded})
      writer.number<uint32_t>(number);
  writer.number<uint32_t>(numWarps);
  writer.number<uint32_t>(numStages);
  writer.number<uint8_t>(isSpecialized);
  writer.number<uint8_t>(hasTma);
  encodeFacts(writer, accesses);
  encodeFacts(writer, products);
  encodeFacts(writer, moves);
  return std::move(writer.bytes);
}

std::optional<CountArtifact> decodeCountArtifact(std::string_view bytes) {
  FieldReader reader(bytes);
  std::optional<cuda::Artifact> code = decodeCudaArtifact(reader.text());
  if (!code)
    return std::nullopt;
  CountArtifact artifact{.code = std::move(*code)};
  artifact.codeBytes = reader.number<uint32_t>();
  for (uint64_t i = 0, count = reader.count(); i < count && !reader.hasFailed(); ++i) {
    cuda::Fp32Line &line = artifact.fp32Lines.emplace_back();
    for (uint32_t *number : {&line.ptxLine, &line.instructions, &line.guarded})
      *number = reader.number<uint32_t>();
  }
  gpu::CodeFacts &facts = artifact.facts;
  facts.numWarps = reader.number<uint32_t>();
  facts.numStages = reader.number<uint32_t>();
  facts.isSpecialized = reader.number<uint8_t>() != 0;
  facts.hasTma = reader.number<uint8_t>() != 0;
  decodeFacts(reader, facts.accesses);
  decodeFacts(reader, facts.products);
  decodeFacts(reader, facts.moves);
  if (reader.hasFailed() || reader.left() != 0 || !isConsistent(facts))
    return std::nullopt;
  return artifact;
}

} // namespace nereid::jit
