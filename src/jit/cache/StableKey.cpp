#include "jit/cache/StableKey.h"

#include "jit/cache/BuildId.h"
#include "jit/cache/Fields.h"
#include "lang/Builtin.h"
#include "lang/Foreign.h"
#include "lang/evaluate/LibraryFunction.h"

#include <bit>

namespace nereid::jit {

using lang::ArgumentSpec;

namespace {

constexpr int kMaxNesting = 32;

// Writes values so that different ones give different bytes; remembers when one has no name.
class ValueKey {
public:
  std::string take() && { return std::move(writer.bytes); }
  bool hasName() const { return !isNameless; }

  void add(const ArgumentSpec &spec) {
    writer.number<uint8_t>(static_cast<uint8_t>(spec.kind));
    if (spec.kind == ArgumentSpec::Kind::Constant)
      return add(spec.constant, 0);
    writer.text(spec.kind == ArgumentSpec::Kind::Tuple ? "" : spec.type.name());
    writer.number<uint8_t>(spec.kind == ArgumentSpec::Kind::Scalar && spec.type.isPointer() &&
                           spec.type.isConstPointer());
    writer.number<int64_t>(spec.divisibility);
    writer.number<uint8_t>(spec.nanPadding);
    addClass(spec.cls);
    writer.number<uint64_t>(spec.items.size());
    for (const ArgumentSpec &item : spec.items)
      add(item);
  }
  void text(std::string_view text) { writer.text(text); }
  template <class T> void number(T value) { writer.number<T>(value); }

private:
  void add(const lang::Value &value, int depth) {
    writer.number<uint32_t>(static_cast<uint32_t>(value.storage().index()));
    if (depth > kMaxNesting)
      isNameless = true;
    else if (const bool *flag = value.get<bool>())
      writer.number<uint8_t>(*flag);
    else if (const double *number = value.get<double>())
      writer.number<uint64_t>(std::bit_cast<uint64_t>(*number));
    else if (const lang::Integer *integer = value.get<lang::Integer>())
      writer.text(lang::integerText(*integer));
    else if (const std::string *text = value.str())
      writer.text(*text);
    else if (const lang::Type *type = value.get<lang::Type>())
      writer.text(type->name());
    else if (const lang::Tuple *tuple = value.asTuple())
      addTuple(*tuple, depth);
    else
      addObject(value, depth);
  }

  void addTuple(const lang::Tuple &tuple, int depth) {
    addClass(tuple.cls);
    writer.number<uint64_t>(tuple.items.size());
    for (const lang::Value &item : tuple.items)
      add(item, depth + 1);
  }

  void addObject(const lang::Value &value, int depth) {
    if (value.get<lang::None>() || value.get<lang::Ellipsis>())
      return;
    if (auto *instance = value.object<lang::Instance>()) {
      addClass(instance->cls);
      writer.number<uint64_t>(instance->fields.size());
      for (const auto &[name, field] : instance->fields) {
        writer.text(name);
        add(field, depth + 1);
      }
    } else if (auto *function = value.object<lang::Function>()) {
      addGlobal(function->module.get(), function->name,
                [&](const lang::Value &other) { return other.object<lang::Function>() == function; });
    } else if (auto *cls = value.object<lang::Class>()) {
      addClassName(*cls);
    } else if (auto *opaque = value.constant<lang::Opaque>();
               opaque && opaque->isKnown && (!opaque->foreign || opaque->foreign->isAlwaysTheSame())) {
      writer.text(opaque->path); // torch.float16 stands for itself
    } else if (auto *builtin = value.get<const lang::Builtin *>()) {
      addStatic(*builtin);
    } else if (auto *host = value.get<const lang::LibraryFunction *>()) {
      addStatic(*host);
    } else {
      isNameless = true;
    }
  }

  void addClass(const std::shared_ptr<const lang::Class> &cls) {
    writer.number<uint8_t>(cls != nullptr);
    if (cls)
      addClassName(*cls);
  }
  void addClassName(const lang::Class &cls) {
    addGlobal(cls.module.get(), cls.name,
              [&](const lang::Value &other) { return other.object<lang::Class>() == &cls; });
  }
  // The name of a global of a module stands for the object when it leads to that very object.
  template <class IsSame> void addGlobal(const lang::Module *module, const std::string &name, IsSame isSame) {
    if (!module || !module->globals)
      return void(isNameless = true);
    auto found = module->globals->names.find(name);
    isNameless |= found == module->globals->names.end() || !isSame(found->second);
    writer.text(module->name);
    writer.text(module->source ? module->source->name() : "");
    writer.text(module->fingerprint);
    // A text that the embedding process gave may be another one under the same name.
    writer.text(module->source && !module->fingerprint.empty() ? std::string(module->source->text()) : "");
    writer.text(name);
  }
  // A row of a table in this library: its place relative to another one of the same build.
  void addStatic(const void *row) {
    writer.number<uint64_t>(reinterpret_cast<uintptr_t>(row) - reinterpret_cast<uintptr_t>(&buildId));
  }

  FieldWriter writer;
  bool isNameless = false;
};

} // namespace

std::optional<std::string> stableKey(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                     const std::vector<ArgumentSpec> &specs, const lang::EmitOptions &options) {
  ValueKey key;
  // The kernels of a file are found in the same order in every process.
  std::vector<lang::Loader::JitEntry> kernels = module.kernels();
  size_t index = 0;
  while (index < kernels.size() && kernels[index].function != kernel)
    ++index;
  if (index == kernels.size())
    return std::nullopt;
  key.number<uint64_t>(index);
  key.text(kernels[index].name);
  for (const ArgumentSpec &spec : specs)
    key.add(spec);
  for (int number : {options.shape.numWarps, options.shape.numStages, options.shape.numCtas, int(options.debug),
                     int(options.sanitizeOverflow), int(options.allowPlainGlobals), int(options.strictExtents)})
    key.number<int64_t>(number);
  key.text(options.defaultDotPrecision);
  if (!key.hasName())
    return std::nullopt;
  return std::move(key).take();
}

} // namespace nereid::jit
