#include "jit/Reproducer.h"

#include "codegen/RunPasses.h"
#include "runtime/WriteFile.h"
#include "support/Sha256.h"

#include <cstring>
#include <fcntl.h>
#include <filesystem>

namespace nereid::jit {

// Signatures have Triton's names of floats.
static std::string nameOf(const lang::Type &type) {
  std::string name = type.shortName();
  size_t at = name.find_first_not_of('*');
  for (const char *known : {"f16", "f32", "f64"})
    if (name.compare(at, std::string::npos, known) == 0)
      name.insert(at + 1, "p");
  return name;
}

static std::string entryOf(const lang::ArgumentSpec &spec) {
  using Kind = lang::ArgumentSpec::Kind;
  std::string divides = spec.divisibility > 1 ? ":16" : "";
  switch (spec.kind) {
  case Kind::Constant: return lang::repr(spec.constant);
  case Kind::Scalar: return nameOf(spec.type) + divides;
  case Kind::Descriptor: {
    std::string extents;
    for (int64_t extent : spec.type.shape())
      extents += (extents.empty() ? "" : ",") + std::to_string(extent);
    return "tensordesc<" + nameOf(spec.type.scalar()) + "[" + extents + "]>" + divides;
  }
  case Kind::Tuple:
  case Kind::BlockPointer: break;
  }
  std::string items;
  for (const lang::ArgumentSpec &item : spec.items)
    items += (items.empty() ? "" : ", ") + entryOf(item);
  return "(" + items + (spec.items.size() == 1 ? ",)" : ")");
}

std::string signatureOf(const lang::Function &kernel, const std::vector<lang::ArgumentSpec> &specs) {
  std::string text;
  for (size_t i = 0; i < specs.size(); ++i)
    text += (i ? ", " : "") + kernel.parameters[i].name + "=" + entryOf(specs[i]);
  return text;
}

static std::string describe(const Error &error, const Reproduction &of, const codegen::PassTrace &trace) {
  const lang::Function &kernel = *of.binding.kernel;
  const SourceRef &source = kernel.module->source;
  const lang::EmitOptions &options = of.binding.options;
  std::string choices = of.binding.choices.key(), text = error.message;
  text += "\nkernel: " + kernel.name + "\nsignature: " + signatureOf(kernel, of.specialization.specs) +
          "\nnum_warps: " + std::to_string(options.shape.numWarps) +
          "\nnum_stages: " + std::to_string(options.shape.numStages) +
          "\nnum_ctas: " + std::to_string(options.shape.numCtas) + "\ndebug: " + (options.debug ? "true" : "false") +
          "\ndot precision: " + options.defaultDotPrecision + "\n";
  if (!of.target.empty())
    text += "target: " + of.target + "\ntensor maps: " + (of.specialization.usesTensorMaps ? "true" : "false") + "\n";
  if (!choices.empty())
    text += "code: " + choices + "\n";
  if (!trace.ir.empty())
    text += "\n---- IR " + (trace.pass.empty() ? "after the passes" : "before `" + trace.pass + "`") + "\n" + trace.ir;
  if (source)
    text += "\n---- source: " + std::string(source->name()) + "\n" + std::string(source->text());
  return text;
}

Error withReproducer(Error error, const Reproduction &of, const std::function<void()> &again) {
  constexpr const char *kNote = "note: this is a bug of ours";
  if (error.status != Status::Internal || codegen::PassTrace::current() ||
      error.message.find(kNote) != std::string::npos)
    return error;
  codegen::PassTrace trace;
  again();
  std::string text = describe(error, of, trace);
  std::string name = "nereid-internal-error-" + hexText(sha256(text)).substr(0, 12) + ".txt";
  std::error_code problem;
  std::string path = (std::filesystem::temp_directory_path(problem) / name).string();
  int failed = runtime::replaceFileAt(AT_FDCWD, path, {text}, {});
  error.message += std::string(kNote) +
                   (failed ? ", and `" + path + "` cannot be written: " + std::strerror(failed)
                           : "; all that shows it again is in " + path) +
                   "\n";
  return error;
}

} // namespace nereid::jit
