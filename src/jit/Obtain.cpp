#include "jit/Obtain.h"

#include "jit/cache/ArtifactCodec.h"
#include "jit/cache/BuildId.h"
#include "jit/cache/Fields.h"
#include "jit/cache/StableKey.h"
#include "support/Log.h"

namespace nereid::jit {

namespace {

std::string encodeCode(const Code &code) {
  FieldWriter writer;
  writer.text(code.warnings);
  writer.text(encode(code.artifact));
  return std::move(writer.bytes);
}

std::optional<Code> decodeCode(std::string_view bytes) {
  FieldReader reader(bytes);
  std::string warnings(reader.text());
  std::optional<cpu::Artifact> artifact = decodeArtifact(reader.text());
  if (!artifact || reader.hasFailed() || reader.left())
    return std::nullopt;
  return Code{std::move(*artifact), std::move(warnings), true};
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
  hash.field(uint64_t(request.mayOverlap));
  const compiler::CompilerOptions &options = module.options();
  hash.field(options.target.backend);
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

std::optional<Code> find(KernelModule &module, DiskCache &cache, const Digest &key, const std::string &manifest) {
  std::optional<Digest> answers = SourceClosure::answers(module.compiler.loader(), manifest);
  if (!answers)
    return std::nullopt;
  std::optional<std::string> payload = cache.load("kernel", codeKey(key, *answers));
  return payload ? decodeCode(*payload) : std::nullopt;
}

} // namespace

Result<Code> obtainCode(KernelModule &module, const CodeRequest &request, DiskCache &cache, const CompileCode &compile,
                        bool anew) {
  std::optional<Digest> key = manifestKey(module, request);
  const std::string &name = request.binding.kernel->name;
  if (!key) {
    log(LogLevel::Debug, "`" + name + "` is not cached: it, or an argument, has no name of its own");
    return compile(module, request);
  }
  std::string manifest = cache.load("manifest", *key).value_or("");
  if (std::optional<Code> code = anew ? std::nullopt : find(module, cache, *key, manifest)) {
    log(LogLevel::Debug, "`" + name + "` comes from the cache");
    return std::move(*code);
  }
  Result<Code> code = compile(module, request);
  if (!code)
    return code;
  log(LogLevel::Debug, "`" + name + "` is compiled");
  std::string complete = module.closure().manifest(module.compiler.loader(), manifest);
  // Without imports on first use there are no questions, and nothing to write down.
  if (complete != manifest)
    cache.store("manifest", *key, complete);
  if (std::optional<Digest> answers = SourceClosure::answers(module.compiler.loader(), complete))
    cache.store("kernel", codeKey(*key, *answers), encodeCode(*code));
  return code;
}

} // namespace nereid::jit
