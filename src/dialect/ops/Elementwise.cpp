// Elementwise.cpp: verifiers, memory effects and pieces of Elementwise.td.
#include "dialect/Tile.h"
#include "dialect/ops/Pieces.h"

#include <numeric>

using namespace mlir;
using namespace nereid::tile;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static LogicalResult verifyAxis(Operation *op, uint32_t axis) {
  return axis <= 2 ? success() : op->emitOpError("axis must be 0, 1 or 2, got ") << axis;
}

LogicalResult ProgramIdOp::verify() { return verifyAxis(*this, getAxis()); }
LogicalResult NumProgramsOp::verify() { return verifyAxis(*this, getAxis()); }

// Whether `values` are `pack` values of each tile's elements in turn.
static bool areElementsOf(ValueRange values, ValueRange tiles, uint32_t pack) {
  return values.size() == tiles.size() * pack && llvm::all_of(llvm::enumerate(values), [&](auto value) {
           return value.value().getType() == getElementTypeOrSelf(tiles[value.index() / pack].getType());
         });
}

LogicalResult MapOp::verify() {
  if (getSources().empty() || getPack() == 0)
    return emitOpError("needs a source and a `pack` of at least 1");
  auto shape = cast<RankedTensorType>(getSources().front().getType());
  for (Value tile : llvm::concat<Value>(getSources(), getResults()))
    if (shapeOf(tile.getType()) != shape.getShape())
      return emitOpError("sources and results have different shapes");
  if (shape.getNumElements() % getPack())
    return emitOpError("`pack` must divide the number of elements");
  Block &block = getBody().front();
  auto yield = block.empty() ? nullptr : dyn_cast<YieldOp>(block.back());
  if (!yield || !areElementsOf(block.getArguments(), getSources(), getPack()) ||
      !areElementsOf(yield.getValues(), getResults(), getPack()))
    return emitOpError("the region must take and yield `pack` elements of each tile");
  return success();
}

LogicalResult InlineAsmOp::verify() {
  if (getNumResults() == 0 || int32_t(getPack()) < 1)
    return emitOpError("needs a result and a `pack` of at least 1");
  for (Value value : llvm::concat<Value>(getOperands(), getResults()))
    if (shapeOf(value.getType()) != shapeOf(getResult(0).getType()))
      return emitOpError("operands and results have different shapes");
  return success();
}

// A call that is not pure may do anything.
static void addEffects(bool isPure, Effects &effects) {
  if (isPure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ExternOp::getEffects(Effects &effects) { addEffects(getIsPure(), effects); }
void InlineAsmOp::getEffects(Effects &effects) { addEffects(getIsPure(), effects); }

// Pieces of uneven tiles.
namespace nereid::tile {

SmallVector<Value> mapped(ImplicitLocOpBuilder &builder, Region &region, ValueRange sources, TypeRange results) {
  auto map = MapOp::create(builder, results, sources, 1);
  IRMapping mapping;
  region.cloneInto(&map.getBody(), mapping);
  return SmallVector<Value>(map.getResults());
}

// Facts about a piece of an axis, from those about the whole: groups of neighbours begin at multiples of their length.
static void narrow(HintOp hint, ArrayRef<int64_t> whole) {
  ArrayRef<int64_t> shape = shapeOf(hint.getType());
  auto narrowed = [&](ArrayRef<int64_t> groups) {
    SmallVector<int64_t> of;
    for (auto [group, extent, all] : llvm::zip_equal(groups, shape, whole))
      of.push_back(std::min(extent, group >= all ? extent : group & -group));
    return of;
  };
  if (auto divisibility = hint.getDivisibility()) {
    // It is of the first in a group; the first of a piece lies a multiple of the piece's extent behind that.
    SmallVector<int64_t> numbers(*divisibility);
    for (auto [number, extent, all] : llvm::zip_equal(numbers, shape, whole))
      number = extent == all ? number : std::gcd(number, extent);
    hint.setDivisibility(numbers);
  }
  if (hint.getContiguity())
    hint.setContiguity(narrowed(*hint.getContiguity()));
  if (hint.getConstancy())
    hint.setConstancy(narrowed(*hint.getConstancy()));
}

static bool split(Pieces &pieces, HintOp op) {
  return pieces.splitPlacewise(op, [](Operation *made, ArrayRef<int64_t> whole) { narrow(cast<HintOp>(made), whole); });
}

void addElementwisePieces(PieceRules &rules) { rules.add<HintOp>(); }

} // namespace nereid::tile
