// Libdevice.cpp: tl.extra.libdevice. A function with an exact equivalent in the IR becomes that op, so that every back
// end knows it; any other one becomes a call of its `__nv_` symbol. `exp`, `exp2` and `sqrt` stay calls: as ops they
// may be approximate on a GPU, as libdevice functions they are what libdevice has.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"
#include "lang/builtins/Extern.h"
#include "lang/builtins/LibdeviceTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <map>
#include <unordered_map>

namespace nereid::lang {
namespace {

using namespace mlir;

Type typeOf(char code) {
  switch (code) {
  case 'b': return Scalar::Int1;
  case 'i': return Scalar::Int32;
  case 'u': return Scalar::UInt32;
  case 'l': return Scalar::Int64;
  case 'w': return Scalar::UInt64;
  case 'f': return Scalar::Fp32;
  default: return Scalar::Fp64;
  }
}

// "fi>f powif, dd>d pow"
std::vector<ExternVariant> parseVariants(std::string_view text) {
  std::vector<ExternVariant> variants;
  while (!text.empty()) {
    std::string_view one = text.substr(0, text.find(", "));
    text.remove_prefix(std::min(text.size(), one.size() + 2));
    ExternVariant variant;
    size_t arrow = one.find('>');
    for (char code : one.substr(0, arrow))
      variant.arguments.push_back(typeOf(code));
    variant.result = typeOf(one[arrow + 1]);
    variant.symbol = one.substr(arrow + 3);
    variants.push_back(std::move(variant));
  }
  return variants;
}

using EmitOp = mlir::Value (*)(Emitter &, std::span<const Tensor>, mlir::Type result);

template <class Op> mlir::Value unary(Emitter &emitter, std::span<const Tensor> a, mlir::Type) {
  return emitter.create<Op>(a[0].ir);
}
template <class Op> mlir::Value binary(Emitter &emitter, std::span<const Tensor> a, mlir::Type) {
  return emitter.create<Op>(a[0].ir, a[1].ir);
}
template <class Op> mlir::Value convert(Emitter &emitter, std::span<const Tensor> a, mlir::Type result) {
  return emitter.create<Op>(result, a[0].ir);
}
template <class Op> mlir::Value highHalf(Emitter &emitter, std::span<const Tensor> a, mlir::Type) {
  return emitter.create<Op>(a[0].ir, a[1].ir).getHigh();
}
mlir::Value fma(Emitter &emitter, std::span<const Tensor> a, mlir::Type) {
  return emitter.create<math::FmaOp>(a[0].ir, a[1].ir, a[2].ir);
}

// Counts of 64-bit integers are int32 as well.
template <class Op> mlir::Value countBits(Emitter &emitter, std::span<const Tensor> a, mlir::Type result) {
  mlir::Value count = emitter.create<Op>(a[0].ir);
  return count.getType() == result ? count : emitter.create<arith::TruncIOp>(result, count).getResult();
}

// clang-format off: a table reads better filled than one row a line
const std::unordered_map<std::string_view, EmitOp> &exactOps() {
  static const std::unordered_map<std::string_view, EmitOp> ops = {
      {"fabsf", unary<math::AbsFOp>}, {"fabs", unary<math::AbsFOp>}, {"abs", unary<math::AbsIOp>}, {"llabs", unary<math::AbsIOp>},
      {"floorf", unary<math::FloorOp>}, {"floor", unary<math::FloorOp>}, {"ceilf", unary<math::CeilOp>}, {"ceil", unary<math::CeilOp>},
      {"truncf", unary<math::TruncOp>}, {"trunc", unary<math::TruncOp>}, {"roundf", unary<math::RoundOp>}, {"round", unary<math::RoundOp>},
      {"rintf", unary<math::RoundEvenOp>}, {"rint", unary<math::RoundEvenOp>}, {"nearbyintf", unary<math::RoundEvenOp>},
      {"nearbyint", unary<math::RoundEvenOp>}, {"sinf", unary<math::SinOp>}, {"sin", unary<math::SinOp>}, {"cosf", unary<math::CosOp>},
      {"cos", unary<math::CosOp>}, {"tanf", unary<math::TanOp>}, {"tan", unary<math::TanOp>}, {"asinf", unary<math::AsinOp>},
      {"asin", unary<math::AsinOp>}, {"acosf", unary<math::AcosOp>}, {"acos", unary<math::AcosOp>}, {"atanf", unary<math::AtanOp>},
      {"atan", unary<math::AtanOp>}, {"sinhf", unary<math::SinhOp>}, {"sinh", unary<math::SinhOp>}, {"coshf", unary<math::CoshOp>},
      {"cosh", unary<math::CoshOp>}, {"tanhf", unary<math::TanhOp>}, {"tanh", unary<math::TanhOp>}, {"asinhf", unary<math::AsinhOp>},
      {"asinh", unary<math::AsinhOp>}, {"acoshf", unary<math::AcoshOp>}, {"acosh", unary<math::AcoshOp>}, {"atanhf", unary<math::AtanhOp>},
      {"atanh", unary<math::AtanhOp>}, {"logf", unary<math::LogOp>}, {"log", unary<math::LogOp>}, {"log2f", unary<math::Log2Op>},
      {"log2", unary<math::Log2Op>}, {"log10f", unary<math::Log10Op>}, {"log10", unary<math::Log10Op>}, {"log1pf", unary<math::Log1pOp>},
      {"log1p", unary<math::Log1pOp>}, {"expm1f", unary<math::ExpM1Op>}, {"expm1", unary<math::ExpM1Op>}, {"erff", unary<math::ErfOp>},
      {"erf", unary<math::ErfOp>}, {"erfcf", unary<math::ErfcOp>}, {"erfc", unary<math::ErfcOp>}, {"cbrtf", unary<math::CbrtOp>},
      {"cbrt", unary<math::CbrtOp>}, {"rsqrtf", unary<math::RsqrtOp>}, {"rsqrt", unary<math::RsqrtOp>},
      {"fsqrt_rn", unary<tile::SqrtRnOp>}, {"dsqrt_rn", unary<tile::SqrtRnOp>},
      {"atan2f", binary<math::Atan2Op>}, {"atan2", binary<math::Atan2Op>}, {"powf", binary<math::PowFOp>}, {"pow", binary<math::PowFOp>},
      {"copysignf", binary<math::CopySignOp>}, {"copysign", binary<math::CopySignOp>}, {"fmodf", binary<arith::RemFOp>},
      {"fmod", binary<arith::RemFOp>}, {"fdiv_rn", binary<tile::DivRnOp>}, {"ddiv_rn", binary<tile::DivRnOp>},
      {"fmaf", fma}, {"fma", fma}, {"fmaf_rn", fma}, {"fma_rn", fma},
      {"mulhi", highHalf<arith::MulSIExtendedOp>}, {"mul64hi", highHalf<arith::MulSIExtendedOp>},
      {"umulhi", highHalf<arith::MulUIExtendedOp>}, {"umul64hi", highHalf<arith::MulUIExtendedOp>},
      {"isnanf", unary<math::IsNaNOp>}, {"isnand", unary<math::IsNaNOp>}, {"isinff", unary<math::IsInfOp>},
      {"isinfd", unary<math::IsInfOp>}, {"finitef", unary<math::IsFiniteOp>}, {"isfinited", unary<math::IsFiniteOp>},
      {"clz", countBits<math::CountLeadingZerosOp>}, {"clzll", countBits<math::CountLeadingZerosOp>}, {"popc", countBits<math::CtPopOp>},
      {"popcll", countBits<math::CtPopOp>}, {"int_as_float", convert<arith::BitcastOp>}, {"float_as_int", convert<arith::BitcastOp>},
      {"uint_as_float", convert<arith::BitcastOp>}, {"float_as_uint", convert<arith::BitcastOp>},
      {"longlong_as_double", convert<arith::BitcastOp>}, {"double_as_longlong", convert<arith::BitcastOp>},
      {"int2float_rn", convert<arith::SIToFPOp>}, {"int2double_rn", convert<arith::SIToFPOp>}, {"ll2float_rn", convert<arith::SIToFPOp>},
      {"ll2double_rn", convert<arith::SIToFPOp>}, {"uint2float_rn", convert<arith::UIToFPOp>}, {"uint2double_rn", convert<arith::UIToFPOp>},
      {"ull2float_rn", convert<arith::UIToFPOp>}, {"ull2double_rn", convert<arith::UIToFPOp>}, {"double2float_rn", convert<arith::TruncFOp>},
  };
  return ops;
}
// clang-format on

// The overloads of a name, taken apart on first use. One map for each thread: compilations run in parallel.
const std::vector<ExternVariant> &variantsOf(std::string_view name) {
  thread_local std::map<std::string_view, std::vector<ExternVariant>> known;
  auto [entry, isNew] = known.try_emplace(name);
  if (isNew)
    for (const LibdeviceFunction &function : libdeviceFunctions())
      if (function.name == name)
        entry->second = parseVariants(function.variants);
  return entry->second;
}

Value emitLibdevice(Emitter &emitter, const BoundArguments &args) {
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < args.size(); ++i)
    arguments.push_back(toTensor(emitter, args[i]));
  std::string name(args.builtin->name());
  const ExternVariant &variant =
      selectVariant(emitter, name, variantsOf(args.builtin->name()), arguments, args.range(0));
  lang::Type type = variant.result.withShape(arguments.front().type.shape());
  mlir::Type irType = type.ir(emitter.context());
  if (auto exact = exactOps().find(variant.symbol); exact != exactOps().end())
    return Tensor{exact->second(emitter, arguments, irType), type};
  std::vector<mlir::Value> handles;
  for (const Tensor &argument : arguments)
    handles.push_back(argument.ir);
  auto op = emitter.create<tile::ExternOp>(irType, emitter.builder.getStringAttr("__nv_" + variant.symbol), handles,
                                           mlir::StringAttr(), mlir::StringAttr(), emitter.builder.getUnitAttr());
  return Tensor{op.getResult(), type};
}

// One row for each function, made of its table entry: `sin(arg0)`.
struct LibdeviceRows {
  std::vector<std::string> texts;
  std::vector<Builtin> rows;

  LibdeviceRows() {
    std::span<const LibdeviceFunction> functions = libdeviceFunctions();
    texts.reserve(2 * functions.size()); // the rows point into it
    for (const LibdeviceFunction &function : functions) {
      std::string signature(function.name);
      size_t arity = function.variants.find('>');
      for (size_t i = 0; i < arity; ++i)
        signature += (i == 0 ? "(arg" : ", arg") + std::to_string(i);
      texts.push_back(signature + ")");
      std::string_view symbol = function.variants.substr(arity + 3);
      texts.push_back(libdeviceMeaning(function.name) + ": `__nv_" + std::string(symbol.substr(0, symbol.find(','))) +
                      "` of libdevice.");
      rows.push_back({texts[texts.size() - 2], texts.back(), emitLibdevice});
    }
  }
};

std::span<const Builtin> libdeviceRows() {
  static const LibdeviceRows table;
  return table.rows;
}

} // namespace

BuiltinTable libdeviceBuiltins() { return {"tl.extra.libdevice", libdeviceRows()}; }

} // namespace nereid::lang
