#include "gpu/layouts/ReduceOrder.h"

#include "dialect/ops/Reduction.h"
#include "layout/LayoutShapes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace mlir;

namespace nereid::gpu {

using Constants = llvm::SmallVector<Attribute>;

// What the block yields for these arguments; nothing where an op cannot be computed here.
static std::optional<Constants> evaluate(Block &block, ArrayRef<Attribute> arguments) {
  llvm::DenseMap<Value, Attribute> known;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    known[argument] = value;
  auto valueOf = [&](Value value) {
    Attribute constant = known.lookup(value);
    if (!constant)
      matchPattern(value, m_Constant(&constant));
    return constant;
  };
  for (Operation &op : block.without_terminator()) {
    Constants operands = llvm::map_to_vector(op.getOperands(), valueOf);
    if (llvm::is_contained(operands, Attribute()) || op.getNumRegions())
      return std::nullopt;
    Operation *copy = op.clone(); // folding may change the op itself
    llvm::SmallVector<OpFoldResult> results;
    bool isFolded = succeeded(copy->fold(operands, results)) && results.size() == op.getNumResults();
    for (auto [result, folded] : llvm::zip(op.getResults(), results)) {
      Attribute constant = dyn_cast<Attribute>(folded);
      known[result] = constant ? constant : valueOf(cast<Value>(folded));
      isFolded &= bool(known[result]);
    }
    copy->erase();
    if (!isFolded)
      return std::nullopt;
  }
  Constants yields = llvm::map_to_vector(block.getTerminator()->getOperands(), valueOf);
  return llvm::is_contained(yields, Attribute()) ? std::nullopt : std::optional(yields);
}

// Up to what rounding in another order explains.
static bool areEqual(Attribute a, Attribute b) {
  auto x = dyn_cast<FloatAttr>(a), y = dyn_cast<FloatAttr>(b);
  if (!x || !y)
    return a == b;
  double left = x.getValueAsDouble(), right = y.getValueAsDouble();
  double most = x.getType().getIntOrFloatBitWidth() < 32 ? 0.02 : 1e-4;
  return (std::isnan(left) && std::isnan(right)) || left == right ||
         std::abs(left - right) <= most * std::max(std::abs(left), std::abs(right));
}

bool hasOrder(tile::ReduceOp reduce) {
  constexpr unsigned kTrials = 6;
  Block &block = reduce.getCombine().front();
  if (tile::isCommutativeReduction(reduce))
    return false;
  std::minstd_rand random(7);
  auto number = [&](Type type) -> Attribute {
    if (auto real = dyn_cast<FloatType>(type))
      return FloatAttr::get(real, 0.25 + double(random() % 1000) / 500);
    return IntegerAttr::get(type, type.getIntOrFloatBitWidth() == 1 ? int64_t(random() % 2) : int64_t(random() % 5));
  };
  if (!llvm::all_of(block.getArgumentTypes(), [](Type type) { return type.isIntOrFloat(); }))
    return false;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    Constants sides = llvm::map_to_vector(block.getArgumentTypes(), number);
    Constants swapped = sides;
    std::rotate(swapped.begin(), swapped.begin() + swapped.size() / 2, swapped.end());
    std::optional<Constants> one = evaluate(block, sides), other = evaluate(block, swapped);
    if (!one || !other)
      return false;
    if (!llvm::all_of(llvm::zip(*one, *other),
                      [](auto pair) { return areEqual(std::get<0>(pair), std::get<1>(pair)); }))
      return true;
  }
  return false;
}

bool isInOrder(const layout::LinearLayout &layout, unsigned axis) {
  unsigned last = 0;
  for (layout::Dim dim : {layout::Dim::Register, layout::Dim::Lane, layout::Dim::Warp}) {
    unsigned most = last;
    for (unsigned bit = 0; bit < layout.bits(dim); ++bit)
      if (unsigned step = layout.basis(dim, bit, layout::axisDim(axis))) {
        if (step < last)
          return false;
        most = std::max(most, step);
      }
    last = most;
  }
  return true;
}

} // namespace nereid::gpu
