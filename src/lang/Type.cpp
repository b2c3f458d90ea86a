// Type.cpp: names, sizes and IR of the language's types. One table row per scalar.
#include "lang/Type.h"

#include "dialect/Tile.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nereid::lang {

namespace {

struct ScalarRow {
  std::string_view name;      // as Triton's str() prints
  std::string_view shortName; // in signatures and messages
  std::string_view longName;  // the attribute of `tl`
  uint8_t bits, mantissa;
  int16_t bias;
};

// In the order of `Scalar`.
constexpr std::array<ScalarRow, 20> kScalars = {{
    {"void", "void", "void", 0, 0, 0},
    {"int1", "i1", "int1", 1, 0, 0},
    {"int8", "i8", "int8", 8, 0, 0},
    {"int16", "i16", "int16", 16, 0, 0},
    {"int32", "i32", "int32", 32, 0, 0},
    {"int64", "i64", "int64", 64, 0, 0},
    {"uint8", "u8", "uint8", 8, 0, 0},
    {"uint16", "u16", "uint16", 16, 0, 0},
    {"uint32", "u32", "uint32", 32, 0, 0},
    {"uint64", "u64", "uint64", 64, 0, 0},
    {"fp8e5", "fp8e5", "float8e5", 8, 2, 15},
    {"fp8e5b16", "fp8e5b16", "float8e5b16", 8, 2, 16},
    {"fp8e4nv", "fp8e4nv", "float8e4nv", 8, 3, 7},
    {"fp8e4b8", "fp8e4b8", "float8e4b8", 8, 3, 8},
    {"fp8e4b15", "fp8e4b15", "float8e4b15", 8, 3, 15},
    {"fp16", "f16", "float16", 16, 10, 15},
    {"bf16", "bf16", "bfloat16", 16, 7, 127},
    {"fp32", "f32", "float32", 32, 23, 127},
    {"fp64", "f64", "float64", 64, 52, 1023},
    {"pointer", "*", "pointer", 64, 0, 0},
}};

const ScalarRow &row(Scalar scalar) { return kScalars[static_cast<size_t>(scalar)]; }

std::string join(const Shape &shape, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? std::string(separator) : "") + std::to_string(shape[i]);
  return text;
}

std::string_view skipSpaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  return text;
}

mlir::Type scalarIr(Scalar scalar, mlir::MLIRContext *context) {
  switch (scalar) {
  case Scalar::Void: return mlir::NoneType::get(context);
  case Scalar::Fp8E5: return mlir::Float8E5M2Type::get(context);
  case Scalar::Fp8E5B16: return mlir::Float8E5M2FNUZType::get(context);
  case Scalar::Fp8E4NV: return mlir::Float8E4M3FNType::get(context);
  case Scalar::Fp8E4B8: return mlir::Float8E4M3FNUZType::get(context);
  case Scalar::Fp16: return mlir::Float16Type::get(context);
  case Scalar::Bf16: return mlir::BFloat16Type::get(context);
  case Scalar::Fp32: return mlir::Float32Type::get(context);
  case Scalar::Fp64: return mlir::Float64Type::get(context);
  default: break;
  }
  // Integers are signless, and no float type of the IR has the values of fp8e4b15: its bits travel as an integer.
  return mlir::IntegerType::get(context, row(scalar).bits);
}

} // namespace

Type Type::pointer(Type pointee, bool isConst, unsigned addressSpace) {
  Type type(Scalar::Pointer);
  type.constPointer = isConst;
  type.space = addressSpace;
  type.target = std::make_shared<const Type>(std::move(pointee));
  return type;
}

std::optional<Type> Type::parse(std::string_view name) {
  constexpr ptrdiff_t kMaxPointers = 16; // pointers to pointers: each is a level of the stack
  name = skipSpaces(name);
  if (std::ranges::count(name, '*') > kMaxPointers)
    return std::nullopt;
  if (name.starts_with('*')) {
    name = skipSpaces(name.substr(1));
    bool isConst = name.starts_with('k');
    auto pointee = parse(isConst ? name.substr(1) : name);
    return pointee ? std::optional(pointer(*pointee, isConst)) : std::nullopt;
  }
  if (name == "bool" || name == "u1" || name == "B")
    return Type(Scalar::Int1);
  if (name == "f8E5M2")
    return Type(Scalar::Fp8E5);
  if (name == "f8E4M3FN")
    return Type(Scalar::Fp8E4NV);
  for (size_t i = 0; i < kScalars.size() - 1; ++i)
    if (name == kScalars[i].name || name == kScalars[i].shortName || name == kScalars[i].longName)
      return Type(static_cast<Scalar>(i));
  return std::nullopt;
}

int64_t Type::elementCount() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

Type Type::scalar() const { return withShape({}); }

Type Type::withShape(Shape shape) const {
  Type type = *this;
  type.extents = std::move(shape);
  return type;
}

Type Type::withScalar(Type scalar) const {
  scalar.extents = extents;
  return scalar;
}

unsigned Type::bitWidth() const { return row(kind).bits; }
unsigned Type::mantissaWidth() const { return row(kind).mantissa; }
int Type::exponentBias() const { return row(kind).bias; }

std::string Type::name() const {
  if (isBlock())
    return "<[" + join(extents, ", ") + "], " + scalar().name() + ">";
  if (isPointer())
    return (constPointer ? "const_pointer<" : "pointer<") + target->name() + ">";
  return std::string(row(kind).name);
}

std::string Type::shortName() const {
  if (isBlock())
    return scalar().shortName() + "[" + join(extents, ", ") + "]";
  if (isPointer())
    return (constPointer ? "*k" : "*") + target->shortName();
  return std::string(row(kind).shortName);
}

mlir::Type Type::ir(mlir::MLIRContext *context) const {
  mlir::Type element =
      isPointer() ? mlir::Type(tile::PtrType::get(context, target->ir(context), space)) : scalarIr(kind, context);
  return isBlock() ? mlir::RankedTensorType::get(extents, element) : element;
}

bool operator==(const Type &a, const Type &b) {
  if (a.kind != b.kind || a.extents != b.extents)
    return false;
  return !a.isPointer() || (a.constPointer == b.constPointer && a.space == b.space && *a.target == *b.target);
}

} // namespace nereid::lang
