// AxisInfo.cpp: the walk: every op's rule until nothing changes. Values start without facts and only lose some when two
// ways meet, so loops come to rest.
#include "analysis/AxisInfo.h"

#include "analysis/AxisRules.h"
#include "analysis/ControlFlow.h"
#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace nereid::analysis {

static unsigned rankOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? std::max<unsigned>(1, tensor.getRank()) : 1;
}

static int64_t extentOf(Type type, unsigned axis) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() ? tensor.getDimSize(axis) : 1;
}

static bool isTruth(Type type) { return getElementTypeOrSelf(type).isInteger(1); }

static AxisInfo constantInfo(Type type, int64_t number) {
  AxisInfo info = AxisInfo::unknown(rankOf(type));
  for (unsigned d = 0; d < info.rank(); ++d) {
    info.constancy[d] = extentOf(type, d);
    info.divisibility[d] = powerOfTwoIn(number);
  }
  info.constant = number;
  info.isNonNegative = number >= 0;
  return info;
}

static int64_t pointeeBytes(Type type) {
  auto pointer = dyn_cast<tile::PtrType>(getElementTypeOrSelf(type));
  if (!pointer)
    return 1;
  Type pointee = pointer.getPointee();
  return pointee.isIntOrFloat() ? std::max(1u, pointee.getIntOrFloatBitWidth() / 8) : 8;
}

const AxisInfo &AxisInfoAnalysis::of(Value value) const {
  static const AxisInfo kUnknown[] = {AxisInfo::unknown(1), AxisInfo::unknown(2), AxisInfo::unknown(3),
                                      AxisInfo::unknown(4), AxisInfo::unknown(5), AxisInfo::unknown(6),
                                      AxisInfo::unknown(7), AxisInfo::unknown(8)};
  auto found = infos.find(value);
  return found != infos.end() ? found->second : kUnknown[std::min(rankOf(value.getType()), 8u) - 1];
}

// Whether the program states that a number is 0 or more (`tl.assume(n >= 0)`).
static bool isStatedNonNegative(arith::CmpIOp compare, Value number) {
  APInt bound;
  bool isBelow = compare.getRhs() == number; // 0 <= n
  if (!matchPattern(isBelow ? compare.getLhs() : compare.getRhs(), m_ConstantInt(&bound)))
    return false;
  arith::CmpIPredicate above = isBelow ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge;
  arith::CmpIPredicate strictlyAbove = isBelow ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt;
  bool holds = (compare.getPredicate() == above && !bound.isNegative()) ||
               (compare.getPredicate() == strictlyAbove && bound.sge(-1));
  return holds && llvm::any_of(compare->getUsers(), [&](Operation *user) {
           return isa<tile::AssumeOp>(user) && user->getBlock() == compare->getBlock();
         });
}

// Where the statement and the number are always computed together. (A divisor may be below zero: what is divided by it says nothing.)
static bool isStatedNonNegative(Value number) {
  if (isa<RankedTensorType>(number.getType()) || !isa<IntegerType>(number.getType()))
    return false;
  return llvm::any_of(number.getUsers(), [&](Operation *user) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    return compare && user->getBlock() == number.getParentBlock() && isStatedNonNegative(compare, number);
  });
}

// (a / n) * n + a % n is a: how many blocks of n there are before a block's own place.
static Value undividedNumber(arith::AddIOp sum) {
  for (auto [first, second] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
    auto whole = first.getDefiningOp<arith::MulIOp>();
    auto rest = second.getDefiningOp<arith::RemSIOp>();
    if (!whole || !rest)
      continue;
    bool isSwapped = whole.getLhs() == rest.getRhs();
    auto quotient = (isSwapped ? whole.getRhs() : whole.getLhs()).getDefiningOp<arith::DivSIOp>();
    if (quotient && (isSwapped ? whole.getLhs() : whole.getRhs()) == rest.getRhs() &&
        quotient->getOperands() == rest->getOperands())
      return rest.getLhs();
  }
  return {};
}

// Facts only get weaker, so that the walk ends.
bool AxisInfoAnalysis::update(Value value, AxisInfo info) {
  auto [place, isNew] = infos.try_emplace(value, info);
  if (isNew)
    return true;
  AxisInfo joined = AxisInfo::join(place->second, info);
  if (joined == place->second)
    return false;
  place->second = joined;
  return true;
}

AxisInfoAnalysis::AxisInfoAnalysis(func::FuncOp function, std::function<bool(Operation *)> passThrough)
    : passThrough(std::move(passThrough)) {
  for (BlockArgument argument : function.getArguments()) {
    AxisInfo info = AxisInfo::unknown(rankOf(argument.getType()));
    if (auto divisor = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tile.divisibility"))
      info.divisibility[0] = powerOfTwoIn(divisor.getInt());
    info.isNonNegative = isStatedNonNegative(argument);
    infos[argument] = info;
  }
  bool changed = true;
  while (changed) {
    changed = false;
    // Control flow before what it holds and behind it: what enters, and what leaves.
    function.walk([&](Operation *op, const WalkStage &stage) {
      if (stage.isBeforeAllRegions() || stage.isAfterAllRegions())
        changed |= visit(op);
    });
  }
}

bool AxisInfoAnalysis::visitControl(Operation *op) {
  bool changed = false;
  forEachFlow(op, [&](ValueRange from, ValueRange to) {
    for (auto [a, b] : llvm::zip(from, to))
      if (infos.count(a))
        changed |= update(b, infos[a]);
  });
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    AxisInfo index = AxisInfo::unknown(1);
    index.divisibility[0] = std::gcd(of(loop.getLowerBound()).divisibility[0], of(loop.getStep()).divisibility[0]);
    index.isNonNegative = !loop.getUnsignedCmp() && of(loop.getLowerBound()).isNonNegative;
    changed |= update(loop.getInductionVar(), index);
  }
  return changed;
}

bool AxisInfoAnalysis::visit(Operation *op) {
  bool changed = visitControl(op);
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, func::FuncOp>(op))
    return changed;
  for (Value result : op->getResults())
    if (std::optional<AxisInfo> info = infer(op, result)) {
      if (auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(result.getType())))
        info = narrowInfo(*info, integer.getWidth());
      info->isNonNegative |= isStatedNonNegative(result);
      changed |= update(result, *info);
    }
  return changed;
}

static AxisInfo expandInfo(const AxisInfo &source, unsigned axis) {
  AxisInfo info = source;
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.constancy.insert(info.constancy.begin() + axis, 1);
  info.falling.insert(info.falling.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis, source.commonDivisor());
  return info;
}

// Only unit axes come or go.
static std::optional<AxisInfo> reshapeInfo(const AxisInfo &source, RankedTensorType from, RankedTensorType to) {
  auto isMore = [](int64_t extent) { return extent != 1; };
  if (!llvm::equal(llvm::make_filter_range(from.getShape(), isMore), llvm::make_filter_range(to.getShape(), isMore)))
    return std::nullopt;
  AxisInfo info = AxisInfo::unknown(rankOf(to));
  unsigned next = 0;
  for (unsigned d = 0; d < to.getRank(); ++d) {
    info.divisibility[d] = source.commonDivisor();
    if (to.getDimSize(d) == 1)
      continue;
    while (from.getDimSize(next) == 1)
      ++next;
    info.contiguity[d] = source.contiguity[next];
    info.divisibility[d] = source.divisibility[next];
    info.falling[d] = source.falling[next];
    info.constancy[d] = source.constancy[next++];
  }
  info.constant = source.constant;
  info.isNonNegative = source.isNonNegative;
  return info;
}

static AxisInfo broadcastInfo(AxisInfo info, RankedTensorType from, RankedTensorType to) {
  for (unsigned d = 0; d < to.getRank(); ++d)
    if (from.getDimSize(d) != to.getDimSize(d))
      info.contiguity[d] = 1, info.constancy[d] = to.getDimSize(d);
  return info;
}

// A run ends where the tile does.
static AxisInfo hintInfo(AxisInfo info, tile::HintOp op) {
  auto raise = [&](llvm::SmallVector<int64_t, 4> &facts, std::optional<ArrayRef<int64_t>> stated, bool isLength) {
    for (unsigned d = 0; stated && d < std::min<size_t>(facts.size(), stated->size()); ++d) {
      int64_t fact = powerOfTwoIn((*stated)[d]);
      facts[d] = std::max(facts[d], isLength ? std::min(fact, powerOfTwoIn(extentOf(op.getType(), d))) : fact);
    }
  };
  raise(info.contiguity, op.getContiguity(), true);
  raise(info.divisibility, op.getDivisibility(), false);
  raise(info.constancy, op.getConstancy(), true);
  return info;
}

static AxisInfo compareInfo(arith::CmpIOp op, const AxisInfo &a, const AxisInfo &b) {
  using P = arith::CmpIPredicate;
  P p = op.getPredicate();
  bool leftStarts = p == P::slt || p == P::sge || p == P::ult || p == P::uge;
  bool rightStarts = p == P::sgt || p == P::sle || p == P::ugt || p == P::ule;
  AxisInfo info = comparisonInfo(a, b, leftStarts, rightStarts);
  if (p == P::slt || p == P::sle || p == P::ult || p == P::ule)
    info.falling = fallingRuns(a, b);
  if (p == P::sgt || p == P::sge || p == P::ugt || p == P::uge)
    info.falling = fallingRuns(b, a);
  return info;
}

// What is made of each element alone is equal wherever all operands are.
AxisInfo AxisInfoAnalysis::elementwiseInfo(ValueRange operands, unsigned rank) {
  AxisInfo info = AxisInfo::unknown(rank);
  llvm::SmallVector<int64_t, 4> shared(rank, 0);
  for (Value operand : operands)
    if (isa<RankedTensorType>(operand.getType()))
      for (unsigned d = 0; d < rank; ++d)
        shared[d] = std::gcd(shared[d], infos[operand].constancy[d]);
  if (!llvm::is_contained(shared, 0))
    info.constancy = shared;
  return info;
}

// Nothing: an operand has no facts yet.
std::optional<AxisInfo> AxisInfoAnalysis::infer(Operation *op, Value result) {
  unsigned rank = rankOf(result.getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    auto number = dyn_cast<IntegerAttr>(value);
    return number ? constantInfo(result.getType(), number.getValue().getSExtValue()) : AxisInfo::unknown(rank);
  }
  if (auto range = dyn_cast<tile::ArangeOp>(op)) {
    AxisInfo info = AxisInfo::unknown(1);
    int64_t extent = int64_t(range.getEnd()) - int64_t(range.getStart());
    info.contiguity[0] = powerOfTwoIn(extent);
    info.divisibility[0] = powerOfTwoIn(int32_t(range.getStart()));
    if (info.contiguity[0] < extent)
      info.divisibility[0] = std::gcd(info.divisibility[0], info.contiguity[0]);
    info.isNonNegative = int32_t(range.getStart()) >= 0;
    return info;
  }
  for (Value operand : op->getOperands())
    if (!infos.count(operand))
      return std::nullopt;
  auto at = [&](unsigned i) -> const AxisInfo & { return infos[op->getOperand(i)]; };
  if (passThrough(op))
    return at(0);
  return llvm::TypeSwitch<Operation *, std::optional<AxisInfo>>(op)
      .Case<tile::SplatOp>([&](auto) {
        AxisInfo info = AxisInfo::unknown(rank);
        for (unsigned d = 0; d < rank; ++d)
          info.constancy[d] = extentOf(result.getType(), d), info.divisibility[d] = at(0).divisibility[0];
        info.constant = at(0).constant;
        info.isNonNegative = at(0).isNonNegative;
        return info;
      })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>([&](auto) {
        AxisInfo info = AxisInfo::unknown(rank);
        info.isNonNegative = true;
        return info;
      })
      .Case<tile::ExpandDimsOp>([&](auto expand) { return expandInfo(at(0), expand.getAxis()); })
      .Case<tile::ReshapeOp>([&](auto reshape) -> std::optional<AxisInfo> {
        auto info = reshapeInfo(at(0), reshape.getSource().getType(), reshape.getResult().getType());
        return info ? *info : AxisInfo::unknown(rank);
      })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        return broadcastInfo(at(0), broadcast.getSource().getType(), broadcast.getResult().getType());
      })
      .Case<tile::TransOp>([&](auto trans) {
        AxisInfo info = at(0);
        for (auto [d, from] : llvm::enumerate(trans.getOrder())) {
          info.contiguity[d] = at(0).contiguity[from];
          info.divisibility[d] = at(0).divisibility[from];
          info.constancy[d] = at(0).constancy[from];
          info.falling[d] = at(0).falling[from];
        }
        return info;
      })
      .Case<tile::HintOp>([&](auto hint) { return hintInfo(at(0), hint); })
      .Case<tile::PtrCastOp>([&](auto cast) {
        // Runs of elements are runs of another length in bytes.
        AxisInfo info = at(0);
        if (pointeeBytes(cast.getSource().getType()) != pointeeBytes(result.getType()))
          for (unsigned d = 0; d < rank; ++d)
            info.divisibility[d] = std::min(info.divisibility[d], pointeeBytes(cast.getSource().getType())),
            info.contiguity[d] = 1;
        return info;
      })
      .Case<tile::IntToPtrOp, tile::PtrToIntOp>([&](auto) {
        AxisInfo info = AxisInfo::unknown(rank);
        info.constancy = at(0).constancy;
        info.divisibility.assign(rank, at(0).commonDivisor());
        return info;
      })
      .Case<arith::ExtSIOp>([&](auto) { return at(0); })
      .Case<arith::TruncIOp, arith::IndexCastOp>([&](auto) {
        AxisInfo info = at(0);
        info.isNonNegative = false; // the bit that is the highest now was any other
        return info;
      })
      .Case<arith::ExtUIOp>([&](auto) {
        AxisInfo info = at(0);
        info.isNonNegative = true;
        if (info.constant && *info.constant < 0)
          info.constant.reset();
        return info;
      })
      .Case<tile::AddPtrOp>([&](auto) { return sumInfo(at(0), at(1), pointeeBytes(result.getType()), false); })
      .Case<arith::AddIOp>([&](auto sum) {
        Value number = undividedNumber(sum);
        return number ? of(number) : sumInfo(at(0), at(1), 1, false);
      })
      .Case<arith::SubIOp>([&](auto) { return sumInfo(at(0), at(1), 1, true); })
      .Case<arith::MulIOp>([&](auto) { return productInfo(at(0), at(1)); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return quotientInfo(at(0), at(1), isa<arith::DivSIOp>(op)); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return remainderInfo(at(0), at(1), isa<arith::RemSIOp>(op)); })
      .Case<arith::ShLIOp>([&](auto) {
        if (!at(1).constant || *at(1).constant < 0 || *at(1).constant > 32) {
          AxisInfo info = bitwiseInfo(at(0), at(1));
          info.isNonNegative = false;
          return info;
        }
        return productInfo(at(0), constantInfo(result.getType(), int64_t(1) << *at(1).constant));
      })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) { return bitwiseInfo(at(0), at(1)); })
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto) { return choiceInfo(at(0), at(1), isa<arith::MaxSIOp>(op)); })
      .Case<arith::AndIOp>([&](auto) {
        AxisInfo info = bitwiseInfo(at(0), at(1));
        info.isNonNegative = at(0).isNonNegative || at(1).isNonNegative;
        for (unsigned d = 0; d < rank && isTruth(result.getType()); ++d)
          info.falling[d] = std::gcd(at(0).fallingRun(d), at(1).fallingRun(d));
        return info;
      })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) {
        AxisInfo info = bitwiseInfo(at(0), at(1));
        info.isNonNegative = at(0).isNonNegative;
        return info;
      })
      .Case<arith::CmpIOp>([&](auto compare) { return compareInfo(compare, at(0), at(1)); })
      .Case<arith::SelectOp>([&](auto) {
        AxisInfo info = AxisInfo::join(at(1), at(2));
        bool isWhole = at(0).rank() != info.rank() || !isa<RankedTensorType>(op->getOperand(0).getType());
        for (unsigned d = 0; d < rank && !isWhole; ++d) {
          int64_t length = std::gcd(info.contiguity[d], at(0).constancy[d]);
          info.divisibility[d] = info.divisorOfGroups(d, length);
          info.contiguity[d] = length;
          info.constancy[d] = std::gcd(info.constancy[d], at(0).constancy[d]);
          info.falling[d] = std::gcd(info.falling[d], at(0).constancy[d]);
        }
        return info;
      })
      .Case<tile::LoadOp>([&](auto load) {
        return load.getIsVolatile() ? AxisInfo::unknown(rank) : elementwiseInfo(op->getOperands(), rank);
      })
      .Default([&](Operation *) {
        return op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op) ? elementwiseInfo(op->getOperands(), rank)
                                                                              : AxisInfo::unknown(rank);
      });
}

} // namespace nereid::analysis
