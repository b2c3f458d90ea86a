// CacheFuzzer.cpp: bytes as files of the cache. Those with a right checksum, too: what they hold is decoded, encoded again and
// must be the same. The first byte says what the bytes are taken for.
// libraries: nereidJit
#include "jit/cache/ArtifactCodec.h"
#include "jit/cache/CudaArtifactCodec.h"
#include "jit/cache/EntryFile.h"
#include "jit/cache/SourceClosure.h"

#include <cstdlib>
#include <cstring>

using namespace nereid;

// Decoded from bytes that encode() might not have made: encoded once, it stays what it is.
template <class Decode> static void expectStable(std::string_view bytes, Decode decode) {
  auto artifact = decode(bytes);
  if (!artifact)
    return;
  std::string again = jit::encode(*artifact);
  auto second = decode(again);
  if (!second || jit::encode(*second) != again)
    std::abort();
}

// What a cache would hold: mutations begin with it.
static std::string example(bool isForGpu) {
  runtime::Site site{
      .kind = runtime::Site::Kind::Print, .text = "x: ", .file = "a.py", .line = 7, .column = 2, .endColumn = 9};
  site.values.push_back({"f16", {4, 8}});
  if (!isForGpu) {
    cpu::Artifact artifact{.name = "kernel", .scratchBytes = 4096, .argumentCount = 3};
    artifact.object.assign(64, std::byte{42});
    artifact.sites.push_back(site);
    return jit::encode(artifact);
  }
  cuda::Artifact artifact;
  artifact.name = "kernel", artifact.target = "sm_90a", artifact.ptx = ".version 8.0";
  artifact.sites.push_back(site);
  artifact.parameters.resize(2);
  return jit::encode(artifact);
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  if (size < 16 && maxSize > 2048) {
    std::string bytes(1, static_cast<char>(seed % 4));
    bytes += example(seed % 4 == 1);
    std::memcpy(data, bytes.data(), size = bytes.size());
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  Digest key = sha256("key");
  switch (data[0] % 4) {
  case 0: expectStable(bytes, jit::decodeArtifact); break;
  case 1: expectStable(bytes, jit::decodeCudaArtifact); break;
  case 2: {
    std::optional<std::string> payload = jit::unwrapEntry("artifact", key, bytes);
    std::string entry = jit::wrapEntry("artifact", key, bytes);
    if (jit::unwrapEntry("artifact", key, entry) != bytes ||
        (payload && jit::wrapEntry("artifact", key, *payload) != bytes))
      std::abort();
    break;
  }
  default: {
    Diagnostics diagnostics;
    lang::Session session(diagnostics, {});
    lang::Loader loader(session, {});
    jit::SourceClosure::answers(loader, std::string(bytes));
    break;
  }
  }
  return 0;
}
