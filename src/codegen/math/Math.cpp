// Math.cpp: the table of functions, by their names in MLIR's math dialect and in libdevice.
//
// Largest errors in units of the last place of the result, on any target (unittest/cpu/MathTest.cpp asserts them; with
// AVX-512 exp, exp2 and exp10 of f32 stay below 1):
//
//            f32   f64                 f32   f64                   f32    f64
//   exp      1.8   1        sin, cos   0.51* 1      tanh           2.3    1
//   exp2     1.8   1.3      tan        0.51  1      sinh, cosh     0.51   1
//   exp10    2     1        sinpi      0.51  1.3    asinh …        0.51   1
//   expm1    1.5   1.2      cospi      0.51  1      erf            1.6    1.2
//   log      1     1        asin …     0.51  1      erfc           0.51   3
//   log2     2     1        atan2      0.51  2      cbrt           0.51   1
//   log10    1.1   1        pow        3.2   1      rcbrt, rsqrt   1.5    1.5
//   log1p    1.1   1        hypot      0.51  1      sqrt, fma      0.5    0.5
//
// *: 1.6 on NVIDIA GPUs. An f32 error of 0.51 means f64 arithmetic inside. Zeros, infinities, NaN, subnormal numbers
// and huge angles are right.
#include "codegen/math/Math.h"
#include "codegen/math/Basic.h"
#include "codegen/math/Blocks.h"
#include "codegen/math/Functions.h"
#include "codegen/math/Integer.h"
#include "codegen/math/Outline.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::codegen {

using namespace terms;

namespace {

using Emit = Term (*)(llvm::ArrayRef<Term>);

template <Term (*function)(Term)> Term one(llvm::ArrayRef<Term> a) { return function(a[0]); }
template <Term (*function)(Term, Term)> Term two(llvm::ArrayRef<Term> a) { return function(a[0], a[1]); }
template <Term (*function)(Term, Term, Term)> Term three(llvm::ArrayRef<Term> a) { return function(a[0], a[1], a[2]); }

// The tests of libdevice give an int32, those of the math dialect an i1.
template <Term (*function)(Term)> Term asInteger(llvm::ArrayRef<Term> a) { return resize(function(a[0]), 32); }

// Rounded to a whole number first.
template <Term (*round)(Term), unsigned bits> Term signedOf(llvm::ArrayRef<Term> a) {
  return toSigned(round(a[0]), bits);
}
template <Term (*round)(Term), unsigned bits> Term unsignedOf(llvm::ArrayRef<Term> a) {
  return toUnsigned(round(a[0]), bits);
}

Term add(Term a, Term b) { return a + b; }
Term subtract(Term a, Term b) { return a - b; }
Term multiply(Term a, Term b) { return a * b; }
Term divide(Term a, Term b) { return a / b; }
Term reciprocal(Term a) { return 1 / a; }

struct Row {
  llvm::StringRef names; // with spaces between them
  unsigned arity;
  Emit inlined;            // any type, at the place of use
  Emit fast = nullptr;     // f32, at the place of use
  Emit outlined = nullptr; // f64, and f32 where it has no form of its own: a function of the module
  Emit single = nullptr;   // the same with f64 arithmetic for the accuracy of f32
  Emit small = nullptr;    // on NVIDIA GPUs f32 up to kSmallAngle, at the place of use,
  Emit large = nullptr;    // and the others, of which one lane is a function of the module
};

constexpr Row inlineRow(llvm::StringRef names, unsigned arity, Emit emit) { return {names, arity, emit}; }
constexpr Row fastRow(llvm::StringRef names, Emit fast, Emit outlined) { return {names, 1, nullptr, fast, outlined}; }
constexpr Row outlinedRow(llvm::StringRef names, unsigned arity, Emit outlined, Emit single = nullptr) {
  return {names, arity, nullptr, nullptr, outlined, single};
}

// clang-format off: a table reads better with one row a line
const Row kRows[] = {
    fastRow("math.exp __nv_expf __nv_exp __nv_fast_expf", one<fastExp>, one<exp>),
    fastRow("math.exp2 __nv_exp2f __nv_exp2", one<fastExp2>, one<exp2>),
    fastRow("__nv_exp10f __nv_exp10 __nv_fast_exp10f", one<fastExp10>, one<exp10>),
    fastRow("math.expm1 __nv_expm1f __nv_expm1", one<fastExpm1>, one<expm1>),
    fastRow("math.log __nv_logf __nv_log __nv_fast_logf", one<fastLog>, one<log>),
    fastRow("math.log2 __nv_log2f __nv_log2 __nv_fast_log2f", one<fastLog2>, one<log2>),
    fastRow("math.log10 __nv_log10f __nv_log10 __nv_fast_log10f", one<fastLog10>, one<log10>),
    fastRow("math.log1p __nv_log1pf __nv_log1p", one<fastLog1p>, one<log1p>),

    {"math.sin __nv_sinf __nv_sin __nv_fast_sinf", 1, nullptr, nullptr, one<sin>, one<sinSingle>, one<sinSmall>, one<sinLarge>},
    {"math.cos __nv_cosf __nv_cos __nv_fast_cosf", 1, nullptr, nullptr, one<cos>, one<cosSingle>, one<cosSmall>, one<cosLarge>},
    {"math.tan __nv_tanf __nv_tan __nv_fast_tanf", 1, nullptr, nullptr, one<tan>, nullptr, one<tanSmall>, one<tanLarge>},
    outlinedRow("__nv_sinpif __nv_sinpi", 1, one<sinPi>),
    outlinedRow("__nv_cospif __nv_cospi", 1, one<cosPi>),
    fastRow("math.asin __nv_asinf __nv_asin", one<fastAsin>, one<asin>),
    fastRow("math.acos __nv_acosf __nv_acos", one<fastAcos>, one<acos>),
    fastRow("math.atan __nv_atanf __nv_atan", one<fastAtan>, one<atan>),
    {"math.atan2 __nv_atan2f __nv_atan2", 2, nullptr, two<fastAtan2>, two<atan2>},

    outlinedRow("math.sinh __nv_sinhf __nv_sinh", 1, one<sinh>),
    outlinedRow("math.cosh __nv_coshf __nv_cosh", 1, one<cosh>),
    fastRow("math.tanh __nv_tanhf __nv_tanh", one<fastTanh>, one<tanh>),
    outlinedRow("math.asinh __nv_asinhf __nv_asinh", 1, one<asinh>),
    outlinedRow("math.acosh __nv_acoshf __nv_acosh", 1, one<acosh>),
    outlinedRow("math.atanh __nv_atanhf __nv_atanh", 1, one<atanh>),

    fastRow("math.erf __nv_erff __nv_erf", one<fastErf>, one<erf>),
    outlinedRow("math.erfc __nv_erfcf __nv_erfc", 1, one<erfc>),
    outlinedRow("__nv_normcdff __nv_normcdf", 1, one<normalCdf>),

    {"math.powf math.fpowi __nv_powf __nv_pow __nv_powif __nv_powi __nv_fast_powf", 2, nullptr, two<fastPow>, two<pow>, two<powSingle>},
    inlineRow("math.sqrt tile.sqrt_rn __nv_sqrtf __nv_sqrt __nv_fsqrt_rn __nv_dsqrt_rn", 1, one<sqrt>),
    inlineRow("math.rsqrt __nv_rsqrtf __nv_rsqrt", 1, one<inverseSqrt>),
    outlinedRow("__nv_frsqrt_rn", 1, one<inverseSqrt>),
    outlinedRow("math.cbrt __nv_cbrtf __nv_cbrt", 1, one<cbrt>),
    outlinedRow("__nv_rcbrtf __nv_rcbrt", 1, one<inverseCbrt>),
    outlinedRow("__nv_hypotf __nv_hypot", 2, two<hypot>),
    outlinedRow("__nv_rhypotf __nv_rhypot", 2, two<inverseHypot>),
    outlinedRow("__nv_norm3df __nv_norm3d", 3, three<norm3>),
    outlinedRow("__nv_rnorm3df __nv_rnorm3d", 3, three<inverseNorm3>),

    {"__nv_ldexpf __nv_scalbnf", 2, nullptr, nullptr, nullptr, two<ldexpSingle>},
    outlinedRow("arith.remf __nv_fmodf __nv_fmod", 2, two<fmod>),
    outlinedRow("__nv_remainderf __nv_remainder", 2, two<remainder>),

    inlineRow("__nv_fadd_rn __nv_dadd_rn", 2, two<add>),
    inlineRow("__nv_fsub_rn __nv_dsub_rn", 2, two<subtract>),
    inlineRow("__nv_fmul_rn __nv_dmul_rn", 2, two<multiply>),
    inlineRow("tile.div_rn __nv_fdiv_rn __nv_ddiv_rn __nv_fast_fdividef", 2, two<divide>),
    inlineRow("__nv_frcp_rn __nv_drcp_rn", 1, one<reciprocal>),
    inlineRow("math.fma __nv_fmaf __nv_fma __nv_fmaf_rn __nv_fma_rn", 3, three<fusedMultiplyAdd>),

    inlineRow("math.absf __nv_fabsf __nv_fabs", 1, one<abs>),
    inlineRow("math.copysign __nv_copysignf __nv_copysign", 2, two<copySign>),
    inlineRow("math.floor __nv_floorf __nv_floor", 1, one<floor>),
    inlineRow("math.ceil __nv_ceilf __nv_ceil", 1, one<ceil>),
    inlineRow("math.trunc __nv_truncf __nv_trunc", 1, one<trunc>),
    inlineRow("math.round __nv_roundf __nv_round", 1, one<round>),
    inlineRow("math.roundeven __nv_rintf __nv_rint __nv_nearbyintf __nv_nearbyint", 1, one<roundEven>),
    inlineRow("arith.maxnumf __nv_fmaxf __nv_fmax", 2, two<maxNumber>),
    inlineRow("arith.minnumf __nv_fminf __nv_fmin", 2, two<minNumber>),
    inlineRow("arith.maximumf", 2, two<maximum>),
    inlineRow("arith.minimumf", 2, two<minimum>),
    inlineRow("math.clampf", 3, three<clamp>),
    inlineRow("__nv_fdimf __nv_fdim", 2, two<positiveDifference>),
    inlineRow("__nv_saturatef", 1, one<saturate>),
    inlineRow("__nv_nextafterf __nv_nextafter", 2, two<nextAfter>),
    inlineRow("__nv_logbf __nv_logb", 1, one<exponent>),

    inlineRow("math.isnan", 1, one<isNaN>),
    inlineRow("math.isinf", 1, one<isInfinite>),
    inlineRow("math.isfinite", 1, one<isFinite>),
    inlineRow("math.isnormal", 1, one<isNormal>),
    inlineRow("__nv_isnanf __nv_isnand", 1, asInteger<isNaN>),
    inlineRow("__nv_isinff __nv_isinfd", 1, asInteger<isInfinite>),
    inlineRow("__nv_finitef __nv_isfinited", 1, asInteger<isFinite>),
    inlineRow("__nv_signbitf __nv_signbitd", 1, asInteger<signBit>),

    inlineRow("__nv_float2int_rn __nv_double2int_rn", 1, signedOf<roundEven, 32>),
    inlineRow("__nv_float2ll_rn __nv_double2ll_rn __nv_llrintf __nv_llrint", 1, signedOf<roundEven, 64>),
    inlineRow("__nv_float2uint_rn __nv_double2uint_rn", 1, unsignedOf<roundEven, 32>),
    inlineRow("__nv_float2ull_rn __nv_double2ull_rn", 1, unsignedOf<roundEven, 64>),
    inlineRow("__nv_float2int_rz __nv_double2int_rz", 1, signedOf<trunc, 32>),
    inlineRow("__nv_float2ll_rz __nv_double2ll_rz", 1, signedOf<trunc, 64>),
    inlineRow("__nv_float2uint_rz __nv_double2uint_rz", 1, unsignedOf<trunc, 32>),
    inlineRow("__nv_float2ull_rz __nv_double2ull_rz", 1, unsignedOf<trunc, 64>),
    inlineRow("__nv_float2int_rd __nv_double2int_rd", 1, signedOf<floor, 32>),
    inlineRow("__nv_float2ll_rd __nv_double2ll_rd", 1, signedOf<floor, 64>),
    inlineRow("__nv_float2uint_rd __nv_double2uint_rd", 1, unsignedOf<floor, 32>),
    inlineRow("__nv_float2ull_rd __nv_double2ull_rd", 1, unsignedOf<floor, 64>),
    inlineRow("__nv_float2int_ru __nv_double2int_ru", 1, signedOf<ceil, 32>),
    inlineRow("__nv_float2ll_ru __nv_double2ll_ru", 1, signedOf<ceil, 64>),
    inlineRow("__nv_float2uint_ru __nv_double2uint_ru", 1, unsignedOf<ceil, 32>),
    inlineRow("__nv_float2ull_ru __nv_double2ull_ru", 1, unsignedOf<ceil, 64>),
    inlineRow("__nv_llroundf __nv_llround", 1, signedOf<round, 64>),
    inlineRow("__nv_ilogbf __nv_ilogb", 1, one<integerExponent>),

    inlineRow("__nv_ffs __nv_ffsll", 1, one<findFirstSet>),
    inlineRow("__nv_clz __nv_clzll", 1, one<countLeadingZeros>),
    inlineRow("__nv_popc __nv_popcll", 1, one<countOnes>),
    inlineRow("__nv_brev __nv_brevll", 1, one<reverseBits>),
    inlineRow("__nv_abs __nv_llabs", 1, one<absolute>),
    inlineRow("__nv_byte_perm", 3, three<permuteBytes>),
    inlineRow("__nv_mul24", 2, two<multiply24>),
    inlineRow("__nv_umul24", 2, two<unsignedMultiply24>),
    inlineRow("__nv_mulhi __nv_mul64hi", 2, two<multiplyHigh>),
    inlineRow("__nv_umulhi __nv_umul64hi", 2, two<unsignedMultiplyHigh>),
    inlineRow("__nv_sad", 3, three<sumOfDifference>),
    inlineRow("__nv_usad", 3, three<unsignedSumOfDifference>),
    inlineRow("__nv_hadd", 2, two<average>),
    inlineRow("__nv_rhadd", 2, two<averageUp>),
    inlineRow("__nv_uhadd", 2, two<unsignedAverage>),
    inlineRow("__nv_urhadd", 2, two<unsignedAverageUp>),
    inlineRow("__nv_int_as_float __nv_uint_as_float __nv_longlong_as_double", 1, one<asFloat>),
    inlineRow("__nv_float_as_int __nv_float_as_uint __nv_double_as_longlong", 1, one<bits>),
    inlineRow("__nv_double2loint", 1, one<lowHalf>),
    inlineRow("__nv_double2hiint", 1, one<highHalf>),
    inlineRow("__nv_hiloint2double", 2, two<joinHalves>),
};
// clang-format on

const Row *findRow(llvm::StringRef name) {
  static const auto kByName = [] {
    llvm::StringMap<const Row *> rows;
    for (const Row &row : kRows) {
      llvm::SmallVector<llvm::StringRef> names;
      row.names.split(names, ' ');
      for (llvm::StringRef each : names)
        rows[each] = &row;
    }
    return rows;
  }();
  return kByName.lookup(name);
}

// The name of the function in the module: the first of the row.
Term callRow(const Row &row, llvm::ArrayRef<Term> operands) {
  if (row.inlined)
    return row.inlined(operands);
  bool isDouble = operands[0].isDouble();
  if (row.fast && !isDouble && operands.back().isFloat()) // a whole exponent may have more digits than an f32
    return row.fast(operands);
  std::string name = row.names.split(' ').first.str();
  if (row.small && !isDouble && operands[0].code->target.isNvidia) {
    auto large = [&](Term lane) { return callOutlined(name + kRare.str(), row.large, lane); };
    return replaceWhere(~(abs(operands[0]) <= kSmallAngle), row.small(operands), operands[0], large);
  }
  if (row.single && !isDouble)
    return callOutlined(name + ".single", row.single, operands);
  return row.outlined ? callOutlined(name, row.outlined, operands) : operands[0].with(nullptr);
}

// x^y for the y that kernels write: products and a root, rounded as well as the function. Nothing: any other.
std::optional<Term> knownPower(Term x, llvm::Value *exponent) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(exponent);
  if (constant && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  double y = 0;
  if (auto *number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant))
    y = number->getValueAPF().convertToDouble();
  else if (auto *integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant))
    y = double(integer->getSExtValue());
  if (y == 1)
    return x;
  if (y == 2)
    return x * x;
  if (y == -1)
    return 1 / x;
  if (y == 0.5) // of -0 and of -infinity it is not the root
    return select(x == -kInfinity, kInfinity, select(x == 0, 0, sqrt(x)));
  return std::nullopt;
}

} // namespace

llvm::Value *emitMath(llvm::IRBuilderBase &builder, const MathTarget &target, llvm::StringRef name,
                      llvm::ArrayRef<llvm::Value *> operands) {
  const Row *row = findRow(name);
  if (!row || row->arity != operands.size())
    return nullptr;
  MathCode code{builder, target};
  llvm::SmallVector<Term> terms;
  for (llvm::Value *operand : operands)
    terms.push_back({code, operand});
  if (row->outlined == static_cast<Emit>(two<pow>))
    if (std::optional<Term> power = knownPower(terms[0], operands[1]))
      return power->value;
  return callRow(*row, terms).value;
}

} // namespace nereid::codegen
