// Avx512.cpp: the intrinsics come in register sizes; longer vectors are taken apart and put together again.
#include "codegen/math/Avx512.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsX86.h"

#include <array>

namespace nereid::codegen::terms {

using llvm::Value;

bool hasExponentInstructions(Term a) {
  unsigned lanes = a.lanes();
  return a.code->target.hasAvx512 && !a.isDouble() && (lanes == 4 || lanes == 8 || (lanes >= 16 && lanes % 16 == 0));
}

namespace {

// The forms of an instruction for 4, 8 and 16 lanes.
using Forms = std::array<llvm::Intrinsic::ID, 3>;

constexpr int kNoImmediate = -1;
constexpr unsigned kCurrentRounding = 4;

// Operands in order: sources, immediate, pass-through, mask, and for the widest form the rounding.
Value *callPiece(Term a, llvm::ArrayRef<Value *> sources, const Forms &forms, int immediate, unsigned lanes) {
  llvm::IRBuilderBase &builder = a.code->builder;
  llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
  builder.clearFastMathFlags();
  llvm::SmallVector<Value *> arguments(sources);
  if (immediate != kNoImmediate)
    arguments.push_back(builder.getInt32(unsigned(immediate)));
  arguments.push_back(llvm::PoisonValue::get(sources[0]->getType()));
  arguments.push_back(lanes == 16 ? static_cast<Value *>(builder.getInt16(0xffff)) : builder.getInt8(0xff));
  if (lanes == 16)
    arguments.push_back(builder.getInt32(kCurrentRounding));
  return builder.CreateIntrinsic(forms[lanes == 4 ? 0 : lanes == 8 ? 1 : 2], {}, arguments);
}

Value *piece(Term a, unsigned start) {
  llvm::SmallVector<int> mask(16);
  for (unsigned i = 0; i < 16; ++i)
    mask[i] = int(start + i);
  return a.code->builder.CreateShuffleVector(a.value, mask);
}

Value *join(llvm::IRBuilderBase &builder, llvm::ArrayRef<Value *> pieces) {
  Value *joined = pieces[0];
  for (size_t count = 1; count < pieces.size(); ++count) {
    // Both sides of a shuffle have one type: the next piece is first made as long as what is there.
    llvm::SmallVector<int> widened(16 * count, -1), both(16 * (count + 1));
    for (int i = 0; i < 16; ++i)
      widened[i] = i;
    for (int i = 0; i < int(both.size()); ++i)
      both[i] = i;
    joined = builder.CreateShuffleVector(joined, builder.CreateShuffleVector(pieces[count], widened), both);
  }
  return joined;
}

Term call(llvm::ArrayRef<Term> sources, const Forms &forms, int immediate) {
  Term a = sources[0];
  unsigned lanes = a.lanes();
  llvm::SmallVector<Value *> pieces;
  for (unsigned start = 0; start < lanes; start += 16) {
    llvm::SmallVector<Value *> parts;
    for (Term source : sources)
      parts.push_back(lanes > 16 ? piece(source, start) : source.value);
    pieces.push_back(callPiece(a, parts, forms, immediate, lanes < 16 ? lanes : 16));
  }
  return a.with(join(a.code->builder, pieces));
}

} // namespace

using namespace llvm::Intrinsic;

Term scaleByPower(Term a, Term b) {
  return call({a, b}, {x86_avx512_mask_scalef_ps_128, x86_avx512_mask_scalef_ps_256, x86_avx512_mask_scalef_ps_512},
              kNoImmediate);
}

Term limitMagnitude(Term a, double bound) {
  constexpr int kSmallerMagnitude = 0b0010; // and the sign of the first operand
  return call({a, a.like(bound)},
              {x86_avx512_mask_range_ps_128, x86_avx512_mask_range_ps_256, x86_avx512_mask_range_ps_512},
              kSmallerMagnitude);
}

Term exponentOf(Term a) {
  return call({a}, {x86_avx512_mask_getexp_ps_128, x86_avx512_mask_getexp_ps_256, x86_avx512_mask_getexp_ps_512},
              kNoImmediate);
}

Term mantissaOf(Term a) {
  constexpr int kAroundOne = 0b1011; // NaN if negative, [0.75, 1.5)
  return call({a}, {x86_avx512_mask_getmant_ps_128, x86_avx512_mask_getmant_ps_256, x86_avx512_mask_getmant_ps_512},
              kAroundOne);
}

} // namespace nereid::codegen::terms
