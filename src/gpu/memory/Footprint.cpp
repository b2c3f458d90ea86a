#include "gpu/memory/Footprint.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace nereid::gpu {

using Found = std::optional<Footprint>;

// Numbers stay so small that no sum of those below overflows.
constexpr int64_t kLargest = int64_t(1) << 35;

static std::optional<int64_t> smallConstant(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || number.getSignificantBits() > 32)
    return std::nullopt;
  return number.getSExtValue();
}

static Found multiplied(Footprint of, int64_t factor) {
  bool isSmall = true;
  auto scale = [&](int64_t &value) {
    isSmall &= std::abs(value) < kLargest / std::max<int64_t>(1, std::abs(factor));
    value = isSmall ? value * factor : 0;
  };
  scale(of.start);
  for (auto &[number, times] : of.numbers)
    scale(times);
  for (Footprint::Range &range : of.ranges)
    scale(range.factor);
  return isSmall ? Found(of) : std::nullopt;
}

static Footprint joint(Footprint a, const Footprint &b) {
  a.start += b.start;
  for (auto [number, times] : b.numbers)
    a.numbers[number] += times;
  a.ranges.append(b.ranges);
  return a;
}

static Footprint unknownNumber(Value value) {
  Footprint result;
  result.numbers[value] = 1;
  return result;
}

namespace {

class FootprintFinder {
public:
  Found ofPointer(Value pointer) {
    if (auto argument = dyn_cast<BlockArgument>(pointer))
      return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? Found(Footprint()) : std::nullopt;
    Operation *op = pointer.getDefiningOp();
    if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
      Found base = ofPointer(add.getPtr()), more = base ? ofNumber(add.getOffset()) : std::nullopt;
      return more ? Found(joint(*base, *more)) : std::nullopt;
    }
    if (op->hasTrait<tile::View>() || isa<tile::HintOp>(op))
      return ofPointer(op->getOperand(0));
    return std::nullopt;
  }

private:
  Found ofNumber(Value value) {
    if (budget == 0)
      return std::nullopt;
    --budget;
    if (std::optional<int64_t> constant = smallConstant(value)) {
      Footprint result;
      result.start = *constant;
      return result;
    }
    auto argument = dyn_cast<BlockArgument>(value);
    Found found = wraps(value) ? std::nullopt : argument ? carried(argument) : computed(value.getDefiningOp());
    if (!found && !isa<RankedTensorType>(value.getType()))
      return unknownNumber(value); // whatever it is
    return found;
  }

  // Whether the value is computed in few bits, in which numbers wrap around: it is only itself.
  static bool wraps(Value value) {
    auto isNarrow = [](Value number) {
      auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(number.getType()));
      return integer && integer.getWidth() < 32;
    };
    Operation *op = value.getDefiningOp();
    return isNarrow(value) || (op && llvm::any_of(op->getOperands(), isNarrow));
  }

  // What a loop counts on by a known number in each iteration. The index stands for the number of the iteration.
  Found carried(BlockArgument argument) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return std::nullopt;
    Value start = loop.getLowerBound(), step = loop.getStep();
    if (argument != loop.getInductionVar()) {
      auto next = loop.getTiedLoopYieldedValue(argument)->get().getDefiningOp<arith::AddIOp>();
      if (!next || (next.getLhs() != argument && next.getRhs() != argument))
        return std::nullopt;
      start = loop.getTiedLoopInit(argument)->get(), step = next.getLhs() == argument ? next.getRhs() : next.getLhs();
    }
    std::optional<int64_t> stride = smallConstant(step);
    Found begin = stride ? ofNumber(start) : std::nullopt;
    return begin ? Found(joint(*begin, *multiplied(unknownNumber(loop.getInductionVar()), *stride))) : std::nullopt;
  }

  Found computed(Operation *op) {
    auto of = [&](unsigned index) { return ofNumber(op->getOperand(index)); };
    return llvm::TypeSwitch<Operation *, Found>(op)
        .Case<arith::AddIOp, arith::SubIOp>([&](auto) -> Found {
          Found a = of(0), b = a ? of(1) : std::nullopt;
          b = b ? multiplied(*b, isa<arith::SubIOp>(op) ? -1 : 1) : std::nullopt;
          return b ? Found(joint(*a, *b)) : std::nullopt;
        })
        .Case<arith::MulIOp>([&](auto) -> Found {
          for (unsigned index : {0u, 1u})
            if (std::optional<int64_t> factor = smallConstant(op->getOperand(index)))
              if (Found other = of(1 - index))
                return multiplied(*other, *factor);
          return std::nullopt;
        })
        .Case<arith::ExtSIOp, arith::ExtUIOp, tile::HintOp>([&](auto) { return of(0); })
        .Case<tile::ArangeOp>([&](auto arange) -> Found {
          Footprint result;
          result.start = int64_t(arange.getStart());
          result.ranges.push_back({1, int64_t(arange.getEnd()) - int64_t(arange.getStart())});
          return result;
        })
        .Default([&](Operation *) { return op->hasTrait<tile::View>() ? of(0) : std::nullopt; });
  }

  unsigned budget = 128; // values that are looked at
};

} // namespace

std::optional<Footprint> footprintOf(Value pointer) { return FootprintFinder().ofPointer(pointer); }

// ---- Whether two of them meet.

namespace {

// The distance of an element of one from an element of the other: low … high, plus any multiple of `any`, plus any
// multiple but 0 of `iterations`.
struct Distance {
  int64_t low = 0, high = 0, any = 0, iterations = 0;

  bool mayBeZero() const {
    if (iterations == 0 || any != 0) {
      int64_t unit = std::gcd(any, iterations);
      return unit == 0 ? low <= 0 && high >= 0 : floorTo(high, unit) >= low;
    }
    return high >= std::abs(iterations) || low <= -std::abs(iterations);
  }

private:
  static int64_t floorTo(int64_t value, int64_t unit) {
    int64_t rest = value % unit;
    return value - (rest < 0 ? rest + unit : rest);
  }
};

} // namespace

// Steps as long as `longest` and longer count as any multiple of them, shorter ones by how far they reach.
static void reachOver(Distance &distance, const Footprint &of, int64_t sign, int64_t longest) {
  distance.low += sign * of.start, distance.high += sign * of.start;
  for (Footprint::Range range : of.ranges) {
    int64_t reach = sign * range.factor * (range.count - 1);
    if (std::abs(range.factor) < longest)
      (reach < 0 ? distance.low : distance.high) += reach;
    else if (range.count > 1)
      distance.any = std::gcd(distance.any, range.factor);
  }
}

static void subtract(Distance &distance, const Footprint &a, const Footprint &b, Operation *loop) {
  llvm::SmallMapVector<Value, std::pair<int64_t, int64_t>, 4> both;
  for (auto [number, times] : a.numbers)
    both[number].first = times;
  for (auto [number, times] : b.numbers)
    both[number].second = times;
  for (auto [number, times] : both) {
    bool isOther = loop && loop->isAncestor(number.getParentBlock()->getParentOp());
    auto counted = dyn_cast_or_null<scf::ForOp>(loop);
    if (isOther && counted && number == counted.getInductionVar() && times.first == times.second)
      distance.iterations = times.first;
    else if (isOther)
      distance.any = std::gcd(distance.any, std::gcd(times.first, times.second));
    else
      distance.any = std::gcd(distance.any, times.first - times.second);
  }
}

bool mayMeet(const Footprint &a, const Footprint &b, Operation *loop) {
  // What lies between is excluded by bounds, by a common factor, or by bounds within a row and the distance of rows.
  llvm::SmallVector<int64_t> cuts{std::numeric_limits<int64_t>::max()};
  for (const Footprint *of : {&a, &b})
    for (Footprint::Range range : of->ranges)
      cuts.push_back(std::abs(range.factor));
  return llvm::all_of(cuts, [&](int64_t longest) {
    Distance distance;
    reachOver(distance, a, 1, longest);
    reachOver(distance, b, -1, longest);
    subtract(distance, a, b, loop);
    return distance.mayBeZero();
  });
}

} // namespace nereid::gpu
