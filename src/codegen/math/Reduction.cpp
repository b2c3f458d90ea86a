// Reduction.cpp: angles modulo a quarter turn.
//
// Up to a million turns, multiples of pi/2 in four parts are subtracted. Beyond that, x · 2/pi is summed up from exact
// partial products, each without its multiples of 4, in a loop over all the digits of 2/pi that a double can reach. The
// loop is skipped when no lane needs it. A single f32 takes 96 bits of 2/pi instead, from where on their products with
// it are below 4.
#include "codegen/math/Reduction.h"
#include "codegen/math/Blocks.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <array>
#include <limits>

namespace nereid::codegen::terms {

namespace {

constexpr double kAnchor = 0x1.8p52; // its last place is 1
constexpr double kLimit = 0x1p20;

// 2/pi in digits of 24 bits: 49 of them reach 2^-120 of a turn for the largest double.
constexpr std::array<uint32_t, 49> kDigits = {
    0xa2f983, 0x6e4e44, 0x1529fc, 0x2757d1, 0xf534dd, 0xc0db62, 0x95993c, 0x439041, 0xfe5163, 0xabdebb,
    0xc561b7, 0x246e3a, 0x424dd2, 0xe00649, 0x2eea09, 0xd1921c, 0xfe1deb, 0x1cb129, 0xa73ee8, 0x8235f5,
    0x2ebb44, 0x84e99c, 0x7026b4, 0x5f7e41, 0x3991d6, 0x398353, 0x39f49c, 0x845f8b, 0xbdf928, 0x3b1ff8,
    0x97ffde, 0x05980f, 0xef2f11, 0x8b5a0a, 0x6d1f6d, 0x367ecf, 0x27cb09, 0xb74f46, 0x3f669e, 0x5fea2d,
    0x7527ba, 0xc7ebe5, 0xf17b3d, 0x0739f7, 0x8a5292, 0xea6bfb, 0x5fb11f, 0x8d5d08, 0x560330,
};
// The digits are stored times 2^400 and x is divided by that, or the last of them would underflow.
constexpr double kDigitScale = 0x1p400;

Reduced reduceSmall(Term x) {
  Term anchored = fma(x, 0x1.45f306dc9c883p-1, kAnchor), n = anchored - kAnchor;
  // Three parts of 33 bits have exact products with n.
  Pair first = exactSum(fma(n, -0x1.921fb544p0, x), n * -0x1.0b4611a6p-34);
  Pair second = exactSum(first.high, n * -0x1.3198a2ep-69);
  Term low = fma(n, -0x1.b839a252049c1p-104, first.low + second.low);
  return {quickSum(second.high, low), bits(anchored)};
}

// Two parts: f32 is never nearer to a multiple of pi/2 than 2^-30 here, and 2^-67 is what this leaves.
Reduced reduceSmallSingle(Term x) {
  Term anchored = fma(x, 0x1.45f306dc9c883p-1, kAnchor), n = anchored - kAnchor;
  return {{fma(n, -0x1.0b4611a626331p-34, fma(n, -0x1.921fb544p0, x)), x.like(0)}, bits(anchored)};
}

// Without its multiples of 4, or some of them if it is large; exact.
Term modulo4(Term x) {
  constexpr double kAnchorOf4 = 0x1.8p54;
  return x - ((x + kAnchorOf4) - kAnchorOf4);
}

Pair addDigit(Pair sum, Term upper, Term lower, Term digit) {
  Pair first = exactSum(sum.high, modulo4(upper * digit)), second = exactSum(first.high, modulo4(lower * digit));
  Pair total = quickSum(second.high, sum.low + (first.low + second.low));
  return quickSum(modulo4(total.high), total.low);
}

// A table of the module, made where it is not there yet.
template <class Values> llvm::Constant *tableOf(MathCode &code, const char *name, const Values &values) {
  llvm::Module *module = code.builder.GetInsertBlock()->getModule();
  if (llvm::GlobalVariable *table = module->getNamedGlobal(name))
    return table;
  auto *content = llvm::ConstantDataArray::get(module->getContext(), values);
  return new llvm::GlobalVariable(*module, content->getType(), true, llvm::GlobalValue::PrivateLinkage, content, name);
}

llvm::Constant *digitTable(MathCode &code) {
  std::array<double, kDigits.size()> values;
  double unit = kDigitScale;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = kDigits[i] * (unit /= 0x1p24);
  return tableOf(code, "nereid.math.digits", values);
}

// The sum of all partial products.
Pair emitDigitLoop(Term x) {
  MathCode &code = *x.code;
  llvm::IRBuilderBase &builder = code.builder;
  Term scaled = x * (1 / kDigitScale), upper = asFloat(bits(scaled) & ~uint64_t(0x7ffffff)), lower = scaled - upper;
  llvm::Constant *table = digitTable(code);
  llvm::BasicBlock *before = builder.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(builder.getContext(), "digits", before->getParent());
  auto *after = llvm::BasicBlock::Create(builder.getContext(), "turns", before->getParent());
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2), *high = builder.CreatePHI(x.type(), 2),
                *low = builder.CreatePHI(x.type(), 2);
  llvm::Type *element = builder.getDoubleTy();
  llvm::Value *digit = builder.CreateLoad(element, builder.CreateGEP(element, table, index));
  if (x.type()->isVectorTy())
    digit = builder.CreateVectorSplat(x.lanes(), digit);
  Pair sum = addDigit({x.with(high), x.with(low)}, upper, lower, x.with(digit));
  llvm::Value *next = builder.CreateAdd(index, builder.getInt64(1));
  builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt64(kDigits.size())), loop, after);
  llvm::Constant *zero = llvm::Constant::getNullValue(x.type());
  for (auto [phi, start, step] :
       {std::tuple<llvm::PHINode *, llvm::Value *, llvm::Value *>{index, builder.getInt64(0), next},
        {high, zero, sum.high.value},
        {low, zero, sum.low.value}}) {
    phi->addIncoming(start, before);
    phi->addIncoming(step, loop);
  }
  builder.SetInsertPoint(after);
  return sum;
}

Reduced reduceLarge(Term x) {
  Pair sum = emitDigitLoop(x);
  Term anchored = sum.high + kAnchor;
  Pair fraction = quickSum(sum.high - (anchored - kAnchor), sum.low);
  return {fraction * Pair{x.like(0x1.921fb54442d18p0), x.like(0x1.1a62633145c07p-54)}, bits(anchored)};
}

} // namespace

// The small form, replaced in the lanes that are too large for it.
static Reduced replaceLarge(Term x, Reduced small) {
  Term isLarge = abs(x) > kLimit;
  auto result = replaceIf(anyLane(isLarge), {small.angle.high, small.angle.low, small.quadrant}, [&] {
    Reduced large = reduceLarge(x);
    auto choose = [&](Term quick, Term exact) { return select(isLarge, exact, quick); };
    Term high = choose(small.angle.high, large.angle.high), low = choose(small.angle.low, large.angle.low),
         quadrant = choose(small.quadrant, large.quadrant);
    return Terms{high, low, quadrant};
  });
  return {{result[0], result[1]}, result[2]};
}

Reduced reduceAngle(Term x) { return replaceLarge(x, reduceSmall(x)); }
Reduced reduceSingleAngle(Term x) { return replaceLarge(x, reduceSmallSingle(x)); }

// Words of 2/pi behind a word of zeros.
constexpr std::array<uint32_t, 8> kWords = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                            0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

SingleReduced reduceLargeSingle(Term x) {
  llvm::IRBuilderBase &builder = x.code->builder;
  llvm::Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  llvm::Constant *table = tableOf(*x.code, "nereid.math.words", kWords);
  Term word = bits(x), exponent = (word >> 23) & 255, one = word.with(builder.getInt64(1));
  Term mantissa = word.with(builder.CreateZExt(((word & 0x7fffff) | word.like(0x800000)).value, i64));
  // The first bit that counts has the weight 4 / 2^24 after the product; f32 has no exponent that leaves the table.
  Term place = exponent - 120, first = place >> 5;
  llvm::Value *shift = builder.CreateZExt((place & 31).value, i64);
  auto digit = [&](unsigned i) {
    llvm::Value *address = builder.CreateGEP(i32, table, (first + i).value);
    return word.with(builder.CreateZExt(builder.CreateLoad(i32, address), i64));
  };
  auto window = [&](unsigned i) {
    Term pair = (digit(i) << 32) | digit(i + 1);
    return word.with(builder.CreateShl(pair.value, shift)) >> 32;
  };
  Term low = mantissa * window(2), middle = mantissa * window(1) + (low >> 32);
  Term high = mantissa * window(0) + (middle >> 32);
  Term product = (high << 32) | (middle & 0xffffffff); // two bits of it are whole turns
  Term quadrant = word.with(builder.CreateTrunc(((product + (one << 61)) >> 62).value, i32));
  Term fraction = x.with(builder.CreateSIToFP((product << 2).value, builder.getDoubleTy()));
  Term angle = toSingle(fraction * (0x1.921fb54442d18p0 * 0x1p-64));
  Term isNegative = word < 0;
  angle = select(exponent == 255, std::numeric_limits<double>::quiet_NaN(), select(isNegative, -angle, angle));
  return {angle, select(isNegative, 0 - quadrant, quadrant)};
}

} // namespace nereid::codegen::terms
