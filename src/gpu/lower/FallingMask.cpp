// FallingMask.cpp: where a run's mask is one comparison under conditions for the whole run, `x < end` takes end - x elements. Else they
// are counted one by one.
#include "gpu/lower/FallingMask.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm::PatternMatch;

namespace nereid::gpu {

namespace {

// An element of a vector, as far as shuffles lead to it.
struct Element {
  llvm::Value *vector;
  unsigned lane;
  bool operator==(const Element &) const = default;

  Element origin() const {
    auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(vector);
    int from = shuffle ? shuffle->getMaskValue(lane) : -1;
    if (from < 0)
      return *this;
    auto lanes = int(llvm::cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements());
    return Element{shuffle->getOperand(from >= lanes), unsigned(from % lanes)}.origin();
  }
};

bool isEqual(Element a, Element b) {
  if (a.origin() == b.origin())
    return true;
  auto *constant = llvm::dyn_cast<llvm::Constant>(a.vector);
  return constant && a.vector == b.vector && constant->getSplatValue();
}

class Ends {
public:
  Ends(llvm::IRBuilder<> &builder) : builder(builder) {}

  // Finds the comparisons that the two elements of a mask do not share; false where there is anything else.
  bool find(Element first, Element last) {
    first = first.origin(), last = last.origin();
    if (isEqual(first, last))
      return true;
    llvm::Value *a, *b;
    if (first.vector != last.vector)
      return false;
    if (match(first.vector, m_And(m_Value(a), m_Value(b))))
      return find({a, first.lane}, {a, last.lane}) && find({b, first.lane}, {b, last.lane});
    auto *compare = llvm::dyn_cast<llvm::ICmpInst>(first.vector);
    if (!compare)
      return false;
    llvm::CmpInst::Predicate is = compare->getPredicate();
    bool isSwapped = is == llvm::CmpInst::ICMP_SGT || is == llvm::CmpInst::ICMP_UGT;
    llvm::Value *number = compare->getOperand(isSwapped), *end = compare->getOperand(!isSwapped);
    bool isBelow = isSwapped || is == llvm::CmpInst::ICMP_SLT || is == llvm::CmpInst::ICMP_ULT;
    if (!isBelow || !isEqual({end, first.lane}, {end, last.lane}))
      return false;
    differences.push_back({{number, first.lane}, {end, first.lane}});
    return true;
  }

  // The least of them, at most `width`, for a run whose first element is taken. Without a sign the difference is right even where it overflows.
  llvm::Value *least(unsigned width) {
    llvm::Value *count = builder.getInt32(width);
    for (auto &[number, end] : differences) {
      llvm::Value *left = builder.CreateSub(get(end), get(number));
      left = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, llvm::ConstantInt::get(left->getType(), width));
      left = builder.CreateZExtOrTrunc(left, builder.getInt32Ty());
      count = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, count, left);
    }
    return count;
  }

private:
  llvm::Value *get(Element element) {
    element = element.origin();
    return builder.CreateExtractElement(element.vector, element.lane);
  }

  llvm::IRBuilder<> &builder;
  llvm::SmallVector<std::pair<Element, Element>> differences;
};

} // namespace

llvm::Value *countOfFirst(Lowering &lowering, llvm::Value *mask, unsigned first, unsigned width) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *none = builder.getInt32(0);
  Ends ends(builder);
  if (ends.find({mask, first}, {mask, first + width - 1}))
    return builder.CreateSelect(lowering.extract(mask, first), ends.least(width), none);
  llvm::Value *count = none;
  for (unsigned i = 0; i < width; ++i)
    count = builder.CreateAdd(count, builder.CreateZExt(lowering.extract(mask, first + i), builder.getInt32Ty()));
  return count;
}

} // namespace nereid::gpu
