// SplitTiles.cpp: a tile is one vector in our IR, and a thread has no vector registers: each vector becomes pieces of
// one register. Pairs of 16-bit floats and quadruples of bytes stay together, truth values do not.
//
//   before  %s = fadd <64 x float> %a, %b          after  %s.0 = fadd float %a.0, %b.0  …
//           %h = fmul <64 x half> %c, %d                  %h.0 = fmul <2 x half> %c.0, %d.0  …
//
// LLVM's scalarizer does the same in time that grows with the square of a tile's size: it was half of a compilation.
#include "gpu/nvidia/SplitTiles.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace nereid::gpu {

namespace {

using Parts = SmallVector<Value *, 8>;

unsigned countOf(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

// How many elements of a vector are one piece of it.
unsigned pieceOf(Type *type) {
  unsigned count = countOf(type), bits = type->getScalarSizeInBits();
  if (bits <= 1 || bits >= 32)
    return 1; // pointers have none
  unsigned piece = std::min(count, std::max(1u, 32 / bits));
  return count % piece ? 1 : piece;
}

Type *pieceType(Type *type) {
  unsigned piece = pieceOf(type);
  return piece == 1 ? type->getScalarType() : FixedVectorType::get(type->getScalarType(), piece);
}

bool isWide(Type *type) { return isa<FixedVectorType>(type) && pieceType(type) != type; }

class Splitter {
public:
  explicit Splitter(Function &function)
      : function(function), builder(function.getContext()), data(function.getParent()->getDataLayout()) {}

  bool run() {
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
      for (Instruction &instruction : make_early_inc_range(*block))
        visit(instruction);
    for (PHINode *phi : phis)
      fill(*phi);
    for (Instruction *old : replaced)
      old->replaceAllUsesWith(PoisonValue::get(old->getType()));
    for (Instruction *old : replaced)
      old->eraseFromParent();
    removeUnreadInserts();
    return !replaced.empty() || !inserts.empty();
  }

private:
  void visit(Instruction &instruction) {
    if (auto *extract = dyn_cast<ExtractElementInst>(&instruction))
      return visitExtract(*extract);
    if (auto *insert = dyn_cast<InsertElementInst>(&instruction); insert && isPlaced(insert->getOperand(2), *insert))
      return inserts.push_back(insert); // its elements are looked up by whoever reads them
    if (auto *phi = dyn_cast<PHINode>(&instruction); phi && isWide(phi->getType()))
      return visitPhi(*phi);
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction); shuffle && isWide(shuffle->getType()))
      return visitShuffle(*shuffle);
    if (isElementwise(instruction) && touchesWide(instruction) && split(instruction))
      return;
    for (Use &use : instruction.operands())
      if (isWide(use->getType()) && standsOnReplaced(use))
        use.set(whole(cast<Instruction>(use.get())));
  }

  // ---- What a vector is made of.

  static bool isPlaced(Value *index, Instruction &op) {
    auto *constant = dyn_cast<ConstantInt>(index);
    return constant && constant->getZExtValue() < countOf(op.getOperand(0)->getType());
  }

  // Something that goes away, or insertions into it.
  bool standsOnReplaced(Value *value) const {
    while (isa<InsertElementInst>(value))
      value = cast<Instruction>(value)->getOperand(0);
    return gone.contains(value);
  }

  void insertBehind(Value *value) {
    if (auto *instruction = dyn_cast<Instruction>(value))
      builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    else
      builder.SetInsertPoint(function.getEntryBlock().getFirstInsertionPt());
  }

  const Parts &elementsOf(Value *value) {
    if (pieceOf(value->getType()) == 1)
      return piecesOf(value);
    if (auto known = elements.find(value); known != elements.end())
      return known->second;
    Parts list;
    if (auto *constant = dyn_cast<Constant>(value))
      list = constants(constant);
    else if (isa<InsertElementInst>(value))
      list = inserted(value);
    else
      for (Value *piece : Parts(piecesOf(value))) {
        insertBehind(piece);
        for (unsigned i = 0; i < countOf(piece->getType()); ++i)
          list.push_back(builder.CreateExtractElement(piece, uint64_t(i)));
      }
    return elements[value] = std::move(list);
  }

  const Parts &piecesOf(Value *value) {
    if (auto known = pieces.find(value); known != pieces.end())
      return known->second;
    Parts list;
    unsigned piece = pieceOf(value->getType());
    if (!isWide(value->getType())) {
      list.push_back(value);
    } else if (auto *constant = dyn_cast<Constant>(value)) {
      list = packed(constants(constant), value->getType());
    } else if (isa<InsertElementInst>(value)) {
      if (piece == 1) {
        list = inserted(value);
      } else {
        Parts single = elementsOf(value);
        builder.SetInsertPoint(cast<Instruction>(value));
        list = packed(single, value->getType());
      }
    } else {
      list = cutOut(value, piece);
    }
    return pieces[value] = std::move(list);
  }

  // An expression (the bits of bytes as halves) has no elements before it is folded.
  Parts constants(Constant *constant) {
    Constant *folded = ConstantFoldConstant(constant, data);
    Parts list;
    for (unsigned i = 0; i < countOf(folded->getType()); ++i) {
      Constant *element = folded->getAggregateElement(i);
      list.push_back(element ? element : ConstantExpr::getExtractElement(folded, builder.getInt32(i)));
    }
    return list;
  }

  // Up a chain of insertions.
  Parts inserted(Value *last) {
    unsigned count = countOf(last->getType());
    Parts list(count);
    unsigned missing = count;
    Value *at = last;
    for (; missing; at = cast<Instruction>(at)->getOperand(0)) {
      auto *insert = dyn_cast<InsertElementInst>(at);
      if (!insert || !isPlaced(insert->getOperand(2), *insert) || pieces.count(at) || elements.count(at))
        break;
      Value *&element = list[cast<ConstantInt>(insert->getOperand(2))->getZExtValue()];
      missing -= !element;
      element = element ? element : insert->getOperand(1);
    }
    if (missing) {
      // An insertion at a place that is not known is a vector like any other.
      Parts below = at == last ? cutOut(at, 1) : Parts(elementsOf(at));
      for (auto [element, old] : zip(list, below))
        element = element ? element : old;
    }
    return list;
  }

  // Of an instruction that stays, or an argument.
  Parts cutOut(Value *value, unsigned piece) {
    Parts list;
    insertBehind(value);
    for (unsigned i = 0; i < countOf(value->getType()); i += piece) {
      if (piece == 1) {
        list.push_back(builder.CreateExtractElement(value, uint64_t(i)));
        continue;
      }
      SmallVector<int> lanes;
      for (unsigned k = 0; k < piece; ++k)
        lanes.push_back(int(i + k));
      list.push_back(builder.CreateShuffleVector(value, lanes));
    }
    return list;
  }

  // Elements to pieces, at the place where the builder stands.
  Parts packed(ArrayRef<Value *> single, Type *type) {
    unsigned piece = pieceOf(type);
    if (piece == 1)
      return Parts(single);
    return grouped(single, piece);
  }

  Parts grouped(ArrayRef<Value *> single, unsigned size) {
    Parts list;
    for (unsigned i = 0; i < single.size(); i += size) {
      Value *group = PoisonValue::get(FixedVectorType::get(single[i]->getType(), size));
      for (unsigned k = 0; k < size; ++k)
        group = builder.CreateInsertElement(group, single[i + k], uint64_t(k));
      list.push_back(group);
    }
    return list;
  }

  // For users that are not taken apart.
  Value *whole(Instruction *old) {
    Value *&vector = joined[old];
    if (vector)
      return vector;
    Parts single = elementsOf(old);
    insertBehind(old);
    Value *made = PoisonValue::get(old->getType());
    for (auto [i, element] : enumerate(single))
      made = builder.CreateInsertElement(made, element, uint64_t(i));
    return joined[old] = made;
  }

  void replace(Instruction &old, Parts list) {
    replaced.push_back(&old);
    if (!isWide(old.getType())) // one piece, which all users can take
      return old.replaceAllUsesWith(list.front());
    pieces[&old] = std::move(list);
    gone.insert(&old);
  }

  // ---- Instructions.

  void visitExtract(ExtractElementInst &extract) {
    Value *vector = extract.getVectorOperand();
    bool isKnown = isWide(vector->getType()) && isPlaced(extract.getIndexOperand(), extract);
    if (!isKnown && standsOnReplaced(vector))
      extract.setOperand(0, whole(cast<Instruction>(vector)));
    if (!isKnown || (!gone.contains(vector) && !isa<InsertElementInst>(vector)))
      return;
    extract.replaceAllUsesWith(elementsOf(vector)[cast<ConstantInt>(extract.getIndexOperand())->getZExtValue()]);
    replaced.push_back(&extract);
  }

  void visitPhi(PHINode &phi) {
    builder.SetInsertPoint(&phi);
    Parts list;
    for (unsigned i = 0; i < countOf(phi.getType()) / pieceOf(phi.getType()); ++i)
      list.push_back(builder.CreatePHI(pieceType(phi.getType()), phi.getNumIncomingValues()));
    replace(phi, std::move(list));
    phis.push_back(&phi);
  }

  void fill(PHINode &phi) {
    for (auto [value, block] : zip(phi.incoming_values(), phi.blocks())) {
      Parts incoming = piecesOf(value);
      for (auto [piece, part] : zip(pieces[&phi], incoming))
        cast<PHINode>(piece)->addIncoming(part, block);
    }
  }

  void visitShuffle(ShuffleVectorInst &shuffle) {
    unsigned width = countOf(shuffle.getOperand(0)->getType());
    Parts single;
    for (int lane : shuffle.getShuffleMask()) {
      Value *poison = PoisonValue::get(shuffle.getType()->getElementType());
      single.push_back(lane < 0 ? poison
                                : elementsOf(shuffle.getOperand(unsigned(lane) >= width))[unsigned(lane) % width]);
    }
    builder.SetInsertPoint(&shuffle);
    replace(shuffle, packed(single, shuffle.getType()));
  }

  static bool isElementwise(Instruction &instruction) {
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      return !call->getType()->isStructTy() && isTriviallyVectorizable(call->getIntrinsicID());
    return isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, SelectInst, FreezeInst, GetElementPtrInst>(
        instruction);
  }

  static bool touchesWide(Instruction &instruction) {
    return isWide(instruction.getType()) ||
           any_of(instruction.operands(), [](Use &use) { return isWide(use->getType()); });
  }

  // Piece by piece where all vectors are cut alike, else element by element. Two numbers are rounded to a pair at once.
  bool split(Instruction &old) {
    if (isa<BitCastInst>(old))
      return splitBitcast(old);
    unsigned count = countOf(old.getType()), piece = pieceOf(old.getType());
    if (isa<FPTruncInst>(old) && piece > 1)
      return splitRounding(old);
    for (Use &use : old.operands())
      if (isa<FixedVectorType>(use->getType()) && pieceOf(use->getType()) != piece)
        piece = 1;
    SmallVector<Parts> held; // as the maps may move what they hold
    for (Use &use : old.operands())
      held.push_back(!isa<FixedVectorType>(use->getType()) ? Parts{} : piece == 1 ? elementsOf(use) : piecesOf(use));
    Type *type = piece == 1 ? old.getType()->getScalarType() : pieceType(old.getType());
    builder.SetInsertPoint(&old);
    Parts made;
    for (unsigned i = 0; i < count / piece; ++i) {
      Parts operands;
      for (auto [use, list] : zip(old.operands(), held))
        operands.push_back(list.empty() ? use.get() : list[i]);
      made.push_back(again(old, operands, type));
    }
    bool isPiecewise = piece == pieceOf(old.getType());
    replace(old, isPiecewise ? std::move(made) : packed(made, old.getType()));
    return true;
  }

  Value *again(Instruction &old, ArrayRef<Value *> operands, Type *type) {
    if (auto *call = dyn_cast<IntrinsicInst>(&old)) {
      FastMathFlags flags = isa<FPMathOperator>(old) ? old.getFastMathFlags() : FastMathFlags();
      return builder.CreateIntrinsic(type, call->getIntrinsicID(), operands.take_front(call->arg_size()), flags);
    }
    Instruction *copy = old.clone();
    for (auto [i, operand] : enumerate(operands))
      copy->setOperand(unsigned(i), operand);
    copy->mutateType(type);
    if (all_of(operands, IsaPred<Constant>))
      if (Constant *known = ConstantFoldInstruction(copy, data)) {
        copy->deleteValue();
        return known;
      }
    return builder.Insert(copy);
  }

  bool splitRounding(Instruction &old) {
    Parts single = elementsOf(old.getOperand(0)), made;
    builder.SetInsertPoint(&old);
    for (Value *group : grouped(single, pieceOf(old.getType())))
      made.push_back(again(old, {group}, pieceType(old.getType())));
    replace(old, std::move(made));
    return true;
  }

  bool splitBitcast(Instruction &old) {
    Type *from = old.getOperand(0)->getType(), *to = old.getType();
    auto bits = [](Type *type) { return pieceOf(type) * type->getScalarSizeInBits(); };
    if (!isa<FixedVectorType>(from) || !isa<FixedVectorType>(to) || bits(from) != bits(to))
      return false;
    Parts operands = piecesOf(old.getOperand(0)), made;
    builder.SetInsertPoint(&old);
    for (Value *piece : operands)
      made.push_back(builder.CreateBitCast(piece, pieceType(to)));
    replace(old, std::move(made));
    return true;
  }

  void removeUnreadInserts() {
    for (Instruction *insert : reverse(inserts))
      if (insert->use_empty())
        insert->eraseFromParent();
  }

  Function &function;
  IRBuilder<> builder;
  const DataLayout &data;
  DenseMap<Value *, Parts> pieces, elements; // of vectors; equal where a piece is one element
  DenseMap<Value *, Value *> joined;
  DenseSet<Value *> gone;
  SmallVector<PHINode *> phis;
  SmallVector<Instruction *> replaced, inserts;
};

} // namespace

PreservedAnalyses SplitTilesPass::run(Function &function, FunctionAnalysisManager &) {
  if (!Splitter(function).run())
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace nereid::gpu
