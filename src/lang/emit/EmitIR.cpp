// EmitIR.cpp: one kernel, from its arguments' types to a verified module of tile IR. Also functions marked noinline,
// which become functions of their own.
#include "lang/emit/EmitIR.h"

#include "lang/SyntaxWalk.h"
#include "lang/emit/EmitNotes.h"
#include "lang/emit/KernelEmitter.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

namespace nereid::lang {

namespace {

// The kernel's IR arguments, in the order of its parameters. A descriptor is followed by its extents and strides.
struct Signature {
  mlir::OpBuilder &builder;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;

  void add(mlir::Type type, const std::string &name, int64_t divisibility) {
    types.push_back(type);
    llvm::SmallVector<mlir::NamedAttribute> list{builder.getNamedAttr("tile.name", builder.getStringAttr(name))};
    if (divisibility > 1)
      list.push_back(builder.getNamedAttr("tile.divisibility", builder.getI32IntegerAttr(int32_t(divisibility))));
    attributes.push_back(builder.getDictionaryAttr(list));
  }

  // With divisibility the address, the rows' distances and the extent of the last axis are multiples of it in bytes.
  void addDescriptor(const ArgumentSpec &spec, const std::string &name) {
    auto block = mlir::cast<mlir::RankedTensorType>(spec.type.ir(builder.getContext()));
    int64_t bytes = std::max(1u, block.getElementTypeBitWidth() / 8);
    int64_t elements = std::max<int64_t>(1, spec.divisibility / bytes);
    size_t rank = spec.type.shape().size();
    add(tile::DescType::get(builder.getContext(), block), name, spec.divisibility);
    if (spec.nanPadding) {
      mlir::NamedAttrList list(attributes.back());
      list.set("tile.nan_padding", builder.getUnitAttr());
      attributes.back() = list.getDictionary(builder.getContext());
    }
    for (size_t i = 0; i < rank; ++i)
      add(builder.getI32Type(), name + ".shape" + std::to_string(i), i + 1 == rank ? elements : 1);
    for (size_t i = 0; i < rank; ++i)
      add(builder.getI64Type(), name + ".stride" + std::to_string(i), i + 1 == rank ? 1 : elements);
  }

  void add(const ArgumentSpec &spec, const std::string &name) {
    mlir::MLIRContext *context = builder.getContext();
    switch (spec.kind) {
    case ArgumentSpec::Kind::Constant: return;
    case ArgumentSpec::Kind::Scalar: return add(spec.type.ir(context), name, spec.divisibility);
    case ArgumentSpec::Kind::Descriptor: return addDescriptor(spec, name);
    case ArgumentSpec::Kind::Tuple:
    case ArgumentSpec::Kind::BlockPointer:
      for (size_t i = 0; i < spec.items.size(); ++i)
        add(spec.items[i], name + "[" + std::to_string(i) + "]");
      return;
    }
  }
};

// The value that a parameter has in the kernel; takes its IR arguments from the front of `arguments`.
Value bindArgument(const ArgumentSpec &spec, mlir::Block::args_iterator &arguments) {
  switch (spec.kind) {
  case ArgumentSpec::Kind::Constant: return spec.constant;
  case ArgumentSpec::Kind::Scalar: return Tensor{*arguments++, spec.type};
  case ArgumentSpec::Kind::Descriptor: {
    Descriptor descriptor{*arguments++, spec.type, {}, {}, spec.nanPadding};
    for (size_t i = 0; i < spec.type.shape().size(); ++i)
      descriptor.shape.push_back({*arguments++, Type(Scalar::Int32)});
    for (size_t i = 0; i < spec.type.shape().size(); ++i)
      descriptor.strides.push_back({*arguments++, Type(Scalar::Int64)});
    return std::make_shared<const Descriptor>(std::move(descriptor));
  }
  case ArgumentSpec::Kind::Tuple: {
    Values items;
    for (const ArgumentSpec &item : spec.items)
      items.push_back(bindArgument(item, arguments));
    return Value::tuple(std::move(items), spec.cls);
  }
  case ArgumentSpec::Kind::BlockPointer: {
    BlockPointer pointer{.blockShape = spec.blockShape, .order = spec.order};
    pointer.base = {*arguments++, spec.items[0].type};
    size_t rank = spec.blockShape.size(), next = 1;
    for (std::vector<Tensor> *list : {&pointer.shape, &pointer.strides, &pointer.offsets})
      for (size_t i = 0; i < rank; ++i)
        list->push_back({*arguments++, spec.items[next++].type});
    return std::make_shared<const BlockPointer>(std::move(pointer));
  }
  }
  return {};
}

SourceRange placeOfReturn(const Function &function) {
  const syntax::Stmt *found = returnOfValue(function.definition->body);
  return found ? found->range : function.nameRange();
}

// A pointer whose parameter is annotated `tl.const` is only read.
Value readOnly(Value value, const Parameter &parameter) {
  if (!parameter.isConst || !value.isTensor() || !value.tensor().type.isPointer())
    return value;
  const Type &type = value.tensor().type;
  return Tensor{value.tensor().ir, Type::pointer(type.pointee(), /*isConst=*/true, type.addressSpace())};
}

// The function with its body, and what it returns.
Value emitInto(mlir::ModuleOp module, Session &session, const Function &kernel,
               const std::vector<ArgumentSpec> &arguments, const EmitOptions &options, bool isOperation,
               bool takesNotes = false) {
  mlir::OpBuilder builder(module.getContext());
  Session::Enter enter(session, kernel.module->source, kernel.name, kernel.nameRange());
  if (arguments.size() != kernel.parameters.size())
    session.fail("`" + kernel.name + "` has " + std::to_string(kernel.parameters.size()) + " parameters, but " +
                 std::to_string(arguments.size()) + " types are given");
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.isConstexpr && parameter.doNotSpecialize)
      session.failAt(parameter.range,
                     "parameter " + parameter.name + " marked as constexpr and listed in do_not_specialize",
                     {"a constexpr always specializes the kernel: drop one of the two"});
  for (size_t i = 0; i < arguments.size(); ++i)
    if (std::max(arguments[i].type.shape().size(), arguments[i].blockShape.size()) > kMaxRank)
      session.failAt(kernel.parameters[i].range, "a block has at most " + std::to_string(kMaxRank) + " axes");
  Signature signature{builder, {}, {}};
  for (size_t i = 0; i < arguments.size(); ++i)
    signature.add(arguments[i], kernel.parameters[i].name);

  ConstEval constEval(session);
  KernelEmitter emitter(builder, session, constEval, options);
  emitter.module = module;
  emitter.takesNotes = takesNotes;
  mlir::Location loc = emitter.location();
  builder.setInsertionPointToEnd(module.getBody());
  auto function = mlir::func::FuncOp::create(builder, loc, kernel.name, builder.getFunctionType(signature.types, {}));
  function.setAllArgAttrs(signature.attributes);
  mlir::Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  std::map<std::string, Value> values;
  auto next = entry->args_begin();
  for (size_t i = 0; i < arguments.size(); ++i)
    values[kernel.parameters[i].name] = readOnly(bindArgument(arguments[i], next), kernel.parameters[i]);
  Value result = emitter.emitFunction(kernel, std::move(values));
  std::vector<mlir::Value> results;
  if (isOperation)
    flatten(result, results);
  else if (!result.isNone())
    session.failAt(placeOfReturn(kernel),
                   "a kernel must not return a value, but `" + kernel.name + "` returns " + describe(result),
                   {"store it in memory that the caller passes: `tl.store(out_ptr + offsets, …)`"});
  builder.setInsertionPointToEnd(&function.getBody().back());
  // The end of a kernel is a part of its last statement: a profiler shows what waits there on that line, not on `def`. It has a
  // column of its own, as in Triton's text: programs look for the location of a store there, and must not find this one.
  SourceRange last = kernel.definition->body.back()->range;
  Session::At at(session, {last.begin + 1, last.end});
  mlir::func::ReturnOp::create(builder, emitter.location(), results);
  function.setFunctionType(builder.getFunctionType(signature.types, mlir::ValueRange(results).getTypes()));
  return result;
}

} // namespace

static mlir::OwningOpRef<mlir::ModuleOp> emitModule(mlir::MLIRContext &context, Session &session,
                                                    const Function &kernel, const std::vector<ArgumentSpec> &arguments,
                                                    const EmitOptions &options, bool takesNotes) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  try {
    emitInto(*module, session, kernel, arguments, options, /*isOperation=*/false, takesNotes);
  } catch (CompileError &error) {
    session.report(std::move(error));
    return nullptr;
  }
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, Session &session, const Function &kernel,
                                             const std::vector<ArgumentSpec> &arguments, const EmitOptions &options) {
  return emitModule(context, session, kernel, arguments, options, /*takesNotes=*/false);
}

mlir::OwningOpRef<mlir::ModuleOp> emitKernelWithNotes(mlir::MLIRContext &context, Session &session,
                                                      const Function &kernel,
                                                      const std::vector<ArgumentSpec> &arguments,
                                                      const EmitOptions &options) {
  return emitModule(context, session, kernel, arguments, options, /*takesNotes=*/true);
}

mlir::OwningOpRef<mlir::ModuleOp> emitOperation(mlir::MLIRContext &context, Session &session, const Function &function,
                                                const std::vector<ArgumentSpec> &arguments, const EmitOptions &options,
                                                Value &result) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  try {
    result = emitInto(*module, session, function, arguments, options, /*isOperation=*/true);
  } catch (CompileError &error) {
    session.report(std::move(error));
    return nullptr;
  }
  return module;
}

Value KernelEmitter::callOutOfLine(const std::shared_ptr<Function> &function, std::map<std::string, Value> bound) {
  std::vector<mlir::Value> operands;
  std::string key = function->name + "@" + std::to_string(reinterpret_cast<uintptr_t>(function.get()));
  for (const auto &[name, value] : bound) {
    if (value.isTensor() && value.tensor().type.isBlock() && value.tensor().type.elementCount() != 1)
      fail("`" + function->name + "` is noinline, but its argument `" + name + "` is a block: " + describe(value),
           {"a function that is not inlined takes scalars only"}, "UnsupportedLanguageConstruct");
    flatten(value, operands);
    key += "|" + name + "=" + (value.isConstant() ? repr(value) : describe(value));
  }
  auto known = outlined.find(key);
  if (known == outlined.end()) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value operand : operands)
      types.push_back(operand.getType());
    std::string name = function->name + "." + std::to_string(outlinedCount++);
    auto op = mlir::func::FuncOp::create(builder, location(), name, builder.getFunctionType(types, {}));
    op.setPrivate();
    op->setAttr("no_inline", builder.getUnitAttr());
    mlir::Block *entry = op.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    std::vector<mlir::Value> inner(entry->args_begin(), entry->args_end());
    std::span<const mlir::Value> flat(inner);
    for (auto &[parameter, value] : bound)
      value = unflatten(value, flat);
    Value result = toAssigned(emitFunction(*function, bound));
    std::vector<mlir::Value> results;
    flatten(result, results);
    builder.setInsertionPointToEnd(&op.getBody().back());
    mlir::func::ReturnOp::create(builder, location(), results);
    llvm::SmallVector<mlir::Type> resultTypes;
    for (mlir::Value value : results)
      resultTypes.push_back(value.getType());
    op.setFunctionType(builder.getFunctionType(types, resultTypes));
    known = outlined.emplace(key, std::make_pair(name, result)).first;
  }
  std::vector<mlir::Value> shapes;
  flatten(known->second.second, shapes);
  llvm::SmallVector<mlir::Type> resultTypes;
  for (mlir::Value value : shapes)
    resultTypes.push_back(value.getType());
  auto callOp = mlir::func::CallOp::create(builder, location(), known->second.first, resultTypes, operands);
  std::vector<mlir::Value> results(callOp.getResults().begin(), callOp.getResults().end());
  std::span<const mlir::Value> flat(results);
  return unflatten(known->second.second, flat);
}

} // namespace nereid::lang
