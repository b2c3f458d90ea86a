// Extern.cpp: tl.core.extern_elementwise: a device function from a library of the user.
#include "lang/builtins/Extern.h"

#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"

namespace nereid::lang {

static std::string listOf(std::span<const Type> types) {
  std::string text;
  for (const Type &type : types)
    text += (text.empty() ? "" : ", ") + type.scalar().shortName();
  return "(" + text + ")";
}

static const ExternVariant *findVariant(std::span<const ExternVariant> variants, std::span<const Type> types) {
  for (const ExternVariant &variant : variants)
    if (std::equal(types.begin(), types.end(), variant.arguments.begin(), variant.arguments.end()))
      return &variant;
  return nullptr;
}

// The type that all arguments promote to, or void when one of them is no number.
static Type commonType(Emitter &emitter, std::span<const Type> types) {
  Type common = types.front();
  for (const Type &type : types) {
    if (!type.isInt() && !type.isFloat())
      return Scalar::Void;
    common = promoteTypes(emitter, common, false, type, false, false);
  }
  return common;
}

const ExternVariant &selectVariant(Emitter &emitter, const std::string &name, std::span<const ExternVariant> variants,
                                   std::vector<Tensor> &arguments, SourceRange place) {
  std::vector<Type> types;
  for (const Tensor &argument : arguments)
    types.push_back(argument.type.scalar());
  const ExternVariant *variant = findVariant(variants, types);
  if (!variant && types.size() > 1)
    if (Type common = commonType(emitter, types); !common.isVoid()) {
      std::vector<Type> promoted(types.size(), common);
      variant = findVariant(variants, promoted);
    }
  if (!variant) {
    std::string expected;
    bool takesFp32 = false;
    for (const ExternVariant &each : variants) {
      expected += (expected.empty() ? "" : " or ") + listOf(each.arguments);
      for (const Type &type : each.arguments)
        takesFp32 |= type.scalarKind() == Scalar::Fp32;
    }
    std::vector<std::string> notes;
    if (takesFp32)
      notes.push_back("convert the arguments first: `.to(tl.float32)`");
    emitter.failAt(place, "`" + name + "` takes " + expected + ", got " + listOf(types), std::move(notes));
  }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].type.scalar() != variant->arguments[i])
      arguments[i] = castTo(emitter, arguments[i], variant->arguments[i]);
  broadcastAll(emitter, arguments);
  return *variant;
}

namespace {

// {(tl.float32, tl.float32): ("symbol", tl.float32), …}
std::vector<ExternVariant> toVariants(Emitter &emitter, const BoundArguments &args, size_t index) {
  const DictObject *dict = args[index].object<DictObject>();
  if (!dict || dict->items.empty())
    emitter.failAt(args.range(index),
                   "`arg_type_symbol_dict` must be a dict of argument types to (symbol, result type), got " +
                       repr(args[index]));
  std::vector<ExternVariant> variants;
  for (const auto &[key, value] : dict->items) {
    ExternVariant variant;
    const Tuple *target = value.asTuple();
    if (!key.asTuple() || !target || target->items.size() != 2)
      emitter.failAt(args.range(index), "each entry of `arg_type_symbol_dict` must be (types): (symbol, type), got " +
                                            repr(key) + ": " + repr(value));
    for (const Value &type : key.asTuple()->items)
      variant.arguments.push_back(toScalarType(emitter, type, "an argument type"));
    variant.symbol = toConstantString(emitter, target->items[0], "`symbol`");
    variant.result = toScalarType(emitter, target->items[1], "a result type");
    variants.push_back(std::move(variant));
  }
  return variants;
}

Value emitExtern(Emitter &emitter, const BoundArguments &args) {
  std::string library = stringArgument(emitter, args, 0), path = stringArgument(emitter, args, 1);
  std::vector<Tensor> arguments;
  for (const Value &item : toItems(emitter, args, 2, false))
    arguments.push_back(toTensor(emitter, item));
  std::vector<ExternVariant> variants = toVariants(emitter, args, 3);
  if (arguments.size() != variants.front().arguments.size())
    emitter.failAt(args.range(2), "`extern_elementwise` expects " + std::to_string(variants.front().arguments.size()) +
                                      " arguments by its dict, got " + std::to_string(arguments.size()));
  const ExternVariant &variant = selectVariant(emitter, "extern_elementwise", variants, arguments, args.range(2));
  Type type = variant.result.withShape(arguments.empty() ? Shape{} : arguments.front().type.shape());
  std::vector<mlir::Value> handles;
  for (const Tensor &argument : arguments)
    handles.push_back(argument.ir);
  auto text = [&](const std::string &value) {
    return value.empty() ? mlir::StringAttr() : emitter.builder.getStringAttr(value);
  };
  bool isPure = boolArgument(emitter, args, 4);
  return Tensor{emitter.create<tile::ExternOp>(type.ir(emitter.context()),
                                               emitter.builder.getStringAttr(variant.symbol), handles, text(library),
                                               text(path), isPure ? emitter.builder.getUnitAttr() : mlir::UnitAttr()),
                type};
}

constexpr Builtin kExternRows[] = {
    {"extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure)",
     "Call a device function, chosen by the argument types, on each element.", emitExtern},
};

} // namespace

BuiltinTable externBuiltins() { return {"tl", kExternRows}; }

} // namespace nereid::lang
