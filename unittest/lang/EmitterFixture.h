// EmitterFixture.h: builtins and operators on a function's arguments, without a parser: a test names the types it
// needs, calls the semantic layer, and looks at the ops or at the message.
#pragma once

#include "dialect/Tile.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/semantic/Semantic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

namespace nereid::lang {

class TestEmitter final : public Emitter {
public:
  using Emitter::Emitter;
  Value call(const Value &, std::vector<CallArgument>) override { return {}; }
};

class EmitterTest : public testing::Test {
protected:
  EmitterTest() : builder(&context), session(diagnostics), constEval(session) {
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    function = mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), "test", builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
  }

  // A run-time value: "fp32", "*fp16", and with a shape as a block.
  Tensor argument(std::string_view scalar, Shape shape = {}) {
    Type type = Type::parse(scalar)->withShape(std::move(shape));
    mlir::Block &entry = function.getBody().front();
    mlir::Value value = entry.addArgument(type.ir(&context), builder.getUnknownLoc());
    function.setType(builder.getFunctionType(entry.getArgumentTypes(), {}));
    return {value, type};
  }

  Value call(std::string_view space, std::string_view name, std::vector<Value> positional,
             std::vector<std::pair<std::string, Value>> keywords = {}) {
    const Builtin *builtin = findBuiltin(space, name);
    if (!builtin)
      throw std::runtime_error("no builtin " + std::string(name));
    std::vector<CallArgument> arguments;
    for (Value &value : positional)
      arguments.push_back({value, "", {}});
    for (auto &[keyword, value] : keywords)
      arguments.push_back({value, keyword, {}});
    return builtin->emit(emitter, bindArguments(emitter, *builtin, arguments));
  }
  Value tl(std::string_view name, std::vector<Value> positional,
           std::vector<std::pair<std::string, Value>> keywords = {}) {
    return call("tl", name, std::move(positional), std::move(keywords));
  }

  // The message of the error that `action` throws, or "".
  template <class Action> std::string messageOf(Action action) {
    try {
      action();
    } catch (const CompileError &error) {
      return error.diagnostic.message;
    }
    return "";
  }

  // The ops of the function, in order, by name; constants left out.
  std::string ops() {
    std::string names;
    for (mlir::Operation &op : function.getBody().front())
      if (!mlir::isa<mlir::arith::ConstantOp>(op))
        names += (names.empty() ? "" : " ") + op.getName().getStringRef().str();
    return names;
  }
  bool verifies() {
    mlir::OpBuilder end = mlir::OpBuilder::atBlockEnd(&function.getBody().front());
    mlir::func::ReturnOp::create(end, builder.getUnknownLoc());
    return mlir::succeeded(mlir::verify(*module));
  }
  // The bits of a constant scalar (or of a splat).
  static std::optional<uint64_t> bitsOf(const Tensor &tensor) {
    mlir::Attribute attribute;
    if (!mlir::matchPattern(tensor.ir, mlir::m_Constant(&attribute)))
      return std::nullopt;
    if (auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(attribute))
      attribute = splat.getSplatValue<mlir::Attribute>();
    if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
      return integer.getValue().getZExtValue();
    return mlir::cast<mlir::FloatAttr>(attribute).getValue().bitcastToAPInt().getZExtValue();
  }
  static Value slice() { return std::make_shared<const SliceObject>(); }

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  Diagnostics diagnostics;
  Session session;
  ConstEval constEval;
  EmitOptions options;
  TestEmitter emitter{builder, session, constEval, options};
};

} // namespace nereid::lang
