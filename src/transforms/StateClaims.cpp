// StateClaims.cpp: what the analysis says of each integer, pointer and truth value, beside it, so that the interpreter compares it with the
// values that appear. A claim that is false for some input is a wrong result on a GPU.
//
//   before  %x = arith.muli %pid, %block : i32
//   after   %x = arith.muli %pid, %block : i32
//           tile.print "arith.muli" {claims = {divisibility = array<i64: 128>, …, isNonNegative}} %x, %pid, %block
#include "transforms/StateClaims.h"

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"
#include "transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace nereid::transforms {

namespace {

using analysis::AxisInfo;

bool isClaimed(Type type) { return isa<IntegerType, IndexType, tile::PtrType>(getElementTypeOrSelf(type)); }

DictionaryAttr claimsOf(Builder &builder, Type type, const AxisInfo &info) {
  SmallVector<NamedAttribute> claims;
  auto add = [&](StringRef name, Attribute value) { claims.push_back(builder.getNamedAttr(name, value)); };
  auto addLengths = [&](StringRef name, ArrayRef<int64_t> lengths) {
    if (llvm::any_of(lengths, [](int64_t length) { return length > 1; }))
      add(name, builder.getDenseI64ArrayAttr(lengths));
  };
  addLengths("contiguity", info.contiguity);
  addLengths("divisibility", info.divisibility);
  addLengths("constancy", info.constancy);
  if (getElementTypeOrSelf(type).isInteger(1))
    addLengths("falling", info.falling);
  if (info.constant)
    add("constant", builder.getI64IntegerAttr(*info.constant));
  if (info.isNonNegative)
    add("isNonNegative", builder.getUnitAttr());
  return builder.getDictionaryAttr(claims);
}

// What only other hints are made of is on its way to be stated.
bool isHalfStated(Value value) {
  return isa_and_nonnull<tile::HintOp>(value.getDefiningOp()) &&
         llvm::all_of(value.getUsers(), [](Operation *user) { return isa<tile::HintOp>(user); });
}

void stateClaims(OpBuilder &builder, Value value, const AxisInfo &info) {
  DictionaryAttr claims = claimsOf(builder, value.getType(), info);
  if (claims.empty() || !isClaimed(value.getType()) || isHalfStated(value))
    return;
  SmallVector<Value> values{value};
  Operation *op = value.getDefiningOp();
  auto shift = dyn_cast_or_null<arith::ShLIOp>(op);
  bool isProduct = shift && matchPattern(shift.getRhs(), m_Constant());
  if (isProduct ||
      isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    llvm::append_range(values, op->getOperands());
  SmallVector<bool> signs(values.size(), true);
  StringRef name = op ? op->getName().getStringRef() : StringRef();
  auto print = tile::PrintOp::create(builder, value.getLoc(), name, /*hex=*/false, values, signs);
  print->setAttr(kClaimsAttribute, claims);
}

struct StateClaimsPass : PassWrapper<StateClaimsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StateClaimsPass)
  StringRef getArgument() const final { return "tile-state-claims"; }
  StringRef getDescription() const final { return "Write what the analysis says of values beside them"; }
  void getDependentDialects(DialectRegistry &dialects) const final { dialects.insert<tile::TileDialect>(); }
  void runOnOperation() final {
    analysis::AxisInfoAnalysis axes(getOperation());
    OpBuilder builder(&getContext());
    getOperation().walk([&](Block *block) {
      SmallVector<Operation *> ops = llvm::map_to_vector(*block, [](Operation &op) { return &op; });
      builder.setInsertionPointToStart(block);
      for (BlockArgument argument : block->getArguments())
        stateClaims(builder, argument, axes.of(argument));
      for (Operation *op : ops)
        for (Value result : op->getResults()) {
          builder.setInsertionPointAfter(op);
          stateClaims(builder, result, axes.of(result));
        }
    });
  }
};

} // namespace

std::unique_ptr<Pass> createStateClaimsPass() { return std::make_unique<StateClaimsPass>(); }

} // namespace nereid::transforms
