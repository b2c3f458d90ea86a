#include "jit/Obtain.h"

#include "jit/Reproducer.h"
#include "jit/cache/ArtifactCodec.h"
#include "jit/cache/BuildId.h"
#include "jit/cache/CudaArtifactCodec.h"
#include "jit/cache/Fields.h"
#include "jit/cache/StableKey.h"
#include "runtime/profile/Recorder.h"
#include "support/Log.h"

namespace nereid::jit {

namespace {

template <class Artifact> std::string encodeCode(const CodeOf<Artifact> &code) {
  FieldWriter writer;
  writer.text(code.warnings);
  writer.text(encode(code.artifact));
  return std::move(writer.bytes);
}

void decodeInto(std::optional<cpu::Artifact> &artifact, std::string_view bytes) { artifact = decodeArtifact(bytes); }
void decodeInto(std::optional<cuda::Artifact> &artifact, std::string_view bytes) {
  artifact = decodeCudaArtifact(bytes);
}
void decodeInto(std::optional<CountArtifact> &artifact, std::string_view bytes) {
  artifact = decodeCountArtifact(bytes);
}

// The kinds of entries of the disk cache.
template <class Artifact> constexpr std::string_view kKind = "kernel";
template <> constexpr std::string_view kKind<cuda::Artifact> = kGpuKernelKind;
template <> constexpr std::string_view kKind<CountArtifact> = "count";

template <class Artifact> std::optional<CodeOf<Artifact>> decodeCode(std::string_view bytes) {
  FieldReader reader(bytes);
  std::string warnings(reader.text());
  std::optional<Artifact> artifact;
  decodeInto(artifact, reader.text());
  if (!artifact || reader.hasFailed() || reader.left())
    return std::nullopt;
  return CodeOf<Artifact>{std::move(*artifact), std::move(warnings), true};
}

// What is asked for, without the files that only compiling leads to.
std::optional<Digest> manifestKey(KernelModule &module, const CodeRequest &request) {
  std::optional<std::string> stable =
      stableKey(module, request.binding.kernel, request.specialization.specs, request.binding.options);
  if (!stable)
    return std::nullopt;
  Sha256 hash;
  const Digest &build = buildId(), &base = module.closure().base();
  hash.update(build.data(), build.size());
  hash.update(base.data(), base.size());
  hash.field(*stable);
  hash.field(request.target);
  hash.field(request.binding.choices.key());
  hash.field(uint64_t(request.mayOverlap));
  hash.field(uint64_t(request.specialization.usesTensorMaps));
  const compiler::CompilerOptions &options = module.options();
  hash.field(std::string_view(options.target.backend()));
  hash.field(uint64_t(options.target.capability));
  hash.field(uint64_t(options.target.warpSize));
  hash.field(options.target.tritonVersion);
  for (const std::string &path : options.loader.importPaths)
    hash.field(path);
  return hash.finish();
}

Digest codeKey(const Digest &manifest, const Digest &answers) {
  Sha256 hash;
  hash.update(manifest.data(), manifest.size());
  hash.update(answers.data(), answers.size());
  return hash.finish();
}

template <class Artifact>
std::optional<CodeOf<Artifact>> find(KernelModule &module, DiskCache &cache, const Digest &key,
                                     const std::string &manifest) {
  std::optional<Digest> answers = SourceClosure::answers(module.compiler.loader(), manifest);
  if (!answers)
    return std::nullopt;
  std::optional<std::string> payload = cache.load(kKind<Artifact>, codeKey(key, *answers));
  return payload ? decodeCode<Artifact>(*payload) : std::nullopt;
}

// A bug of ours leaves a reproducer.
template <class Artifact>
Result<CodeOf<Artifact>> compileOrExplain(KernelModule &module, const CodeRequest &request,
                                          const CompileCodeOf<Artifact> &compile) {
  Result<CodeOf<Artifact>> code = compile(module, request);
  if (code)
    return code;
  return withReproducer(code.error(), {module, request.binding, request.specialization, request.target},
                        [&] { (void)compile(module, request); });
}

template <class Artifact>
Result<CodeOf<Artifact>> obtain(KernelModule &module, const CodeRequest &request, DiskCache &cache,
                                const CompileCodeOf<Artifact> &compile, bool anew) {
  const std::string &name = request.binding.kernel->name;
  profile::CodeTimer timer(name, std::is_same_v<Artifact, cpu::Artifact> ? "cpu" : request.target);
  std::optional<Digest> key = manifestKey(module, request);
  if (!key) {
    log(LogLevel::Debug, "`" + name + "` is not cached: it, or an argument, has no name of its own");
    return compileOrExplain(module, request, compile);
  }
  std::string manifest = cache.load("manifest", *key).value_or("");
  if (std::optional<CodeOf<Artifact>> code = anew ? std::nullopt : find<Artifact>(module, cache, *key, manifest)) {
    log(LogLevel::Debug, "`" + name + "` comes from the cache");
    timer.say("found");
    return std::move(*code);
  }
  Result<CodeOf<Artifact>> code = compileOrExplain(module, request, compile);
  if (!code)
    return code;
  log(LogLevel::Debug, "`" + name + "` is compiled");
  std::string complete = module.closure().manifest(module.compiler.loader(), manifest);
  // Without imports on first use there are no questions, and nothing to write down.
  if (complete != manifest)
    cache.store("manifest", *key, complete);
  if (std::optional<Digest> answers = SourceClosure::answers(module.compiler.loader(), complete))
    cache.store(kKind<Artifact>, codeKey(*key, *answers), encodeCode(*code));
  return code;
}

} // namespace

std::vector<cuda::Artifact> keptGpuKernels(const DiskCache &cache) {
  std::vector<cuda::Artifact> result;
  cache.forEach(kGpuKernelKind, [&](std::string_view payload) {
    if (std::optional<CudaCode> code = decodeCode<cuda::Artifact>(payload))
      result.push_back(std::move(code->artifact));
  });
  return result;
}

std::string kernelNameOf(std::string_view kind, std::string_view payload) {
  if (kind == kKind<cuda::Artifact>)
    if (std::optional<CudaCode> code = decodeCode<cuda::Artifact>(payload))
      return code->artifact.name;
  if (kind == kKind<CountArtifact>)
    if (std::optional<CountCode> code = decodeCode<CountArtifact>(payload))
      return code->artifact.code.name;
  if (kind == kKind<cpu::Artifact>)
    if (std::optional<Code> code = decodeCode<cpu::Artifact>(payload))
      return code->artifact.name;
  return "";
}

Result<Code> obtainCode(KernelModule &module, const CodeRequest &request, DiskCache &cache, const CompileCode &compile,
                        bool anew) {
  return obtain(module, request, cache, compile, anew);
}

Result<CudaCode> obtainCode(KernelModule &module, const CodeRequest &request, DiskCache &cache,
                            const CompileCudaCode &compile, bool anew) {
  return obtain(module, request, cache, compile, anew);
}

Result<CountCode> obtainCode(KernelModule &module, const CodeRequest &request, DiskCache &cache,
                             const CompileCountCode &compile) {
  return obtain(module, request, cache, compile, false);
}

} // namespace nereid::jit
