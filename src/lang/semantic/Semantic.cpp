// Semantic.cpp: compile-time values as arguments: constants made into tensors, and shapes, numbers, flags, texts and
// types that builtins expect to be known.
#include "lang/semantic/Semantic.h"

#include "lang/Suggest.h"

#include "dialect/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

namespace nereid::lang {

namespace {

// The fp8e4b15 of a number, as SemanticCast.cpp converts at run time: through f16 toward zero, then half up, at
// most 1.75.
uint8_t fp8e4b15Bits(double number) {
  llvm::APFloat half(number);
  bool loses = false;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmTowardZero, &loses);
  uint32_t bits = half.bitcastToAPInt().getZExtValue(), magnitude = bits & 0x7fff;
  if (half.isNaN() || magnitude > 0x3f00)
    magnitude = 0x3f00;
  return ((bits & 0x8000) | (magnitude * 2 + 0x80)) >> 8;
}

// A float attribute; the fp8 types saturate, as the hardware's conversion does.
mlir::Attribute floatAttribute(const Type &type, double number, mlir::MLIRContext *context) {
  auto irType = mlir::cast<mlir::FloatType>(type.scalar().ir(context));
  if (type.isFp8() && !std::isnan(number)) {
    double largest = llvm::APFloat::getLargest(irType.getFloatSemantics()).convertToDouble();
    number = std::min(std::max(number, -largest), largest);
  }
  return mlir::FloatAttr::get(irType, number);
}

std::pair<Integer, Integer> integerLimits(const Type &type) {
  unsigned bits = type.bitWidth();
  if (type.isSignedInt())
    return {-(Integer(1) << (bits - 1)), (Integer(1) << (bits - 1)) - 1};
  return {0, (Integer(1) << bits) - 1};
}

mlir::Attribute integerAttribute(Emitter &emitter, const Type &type, const Value &number) {
  auto irType = type.scalar().ir(emitter.context());
  if (type.isBool())
    return mlir::IntegerAttr::get(irType, *number.number() != 0);
  auto integer = number.integer();
  if (double value = *number.number();
      !integer && std::isfinite(value) && value == std::trunc(value) && std::abs(value) < 0x1p100)
    integer = Integer(value);
  if (!integer)
    emitter.fail("`" + repr(number) + "` is not an integer, but its type is " + type.scalar().shortName(),
                 {"use an integer, or a floating-point type"}, "TypeError");
  auto [least, most] = integerLimits(type);
  bool isPattern =
      type.isSignedInt() && *integer > most && *integer <= most * 2 + 1; // 0x80000000 of int32, as in Triton
  if ((*integer < least || *integer > most) && !isPattern)
    emitter.fail("`" + repr(number) + "` does not fit " + type.scalar().shortName() + ", which holds " +
                 repr(Value(least)) + " to " + repr(Value(most)));
  llvm::APInt bits(type.bitWidth(), static_cast<uint64_t>(*integer), false, true);
  return mlir::IntegerAttr::get(irType, bits);
}

} // namespace

Tensor constant(Emitter &emitter, const Type &type, const Value &number) {
  if (!number.number())
    emitter.fail("expected a number, got " + typeName(number), {}, "TypeError");
  if (type.isPointer()) {
    Tensor address = constant(emitter, Type(Scalar::Int64).withShape(type.shape()), number);
    return {emitter.fold<tile::IntToPtrOp>(type.ir(emitter.context()), address.ir), type};
  }
  if (type.isVoid())
    emitter.fail("a number cannot have type void", {}, "TypeError");
  mlir::Attribute attribute;
  if (type.scalarKind() == Scalar::Fp8E4B15)
    attribute = mlir::IntegerAttr::get(type.scalar().ir(emitter.context()), fp8e4b15Bits(*number.number()));
  else if (type.isFloat())
    attribute = floatAttribute(type, *number.number(), emitter.context());
  else
    attribute = integerAttribute(emitter, type, number);
  if (type.isBlock())
    attribute = mlir::SplatElementsAttr::get(mlir::cast<mlir::ShapedType>(type.ir(emitter.context())), attribute);
  return {emitter.create<mlir::arith::ConstantOp>(mlir::cast<mlir::TypedAttr>(attribute)), type};
}

static Type typeOfInteger(Emitter &emitter, Integer integer) {
  constexpr Integer one = 1;
  if (integer >= -(one << 31) && integer < (one << 31))
    return Scalar::Int32;
  if (integer >= 0 && integer < (one << 32))
    return Scalar::UInt32;
  if (integer >= -(one << 63) && integer < (one << 63))
    return Scalar::Int64;
  if (integer >= 0 && integer < (one << 64))
    return Scalar::UInt64;
  emitter.fail("integer `" + repr(Value(integer)) + "` does not fit in 64 bits");
}

static Type typeOfFloat(double number) {
  double magnitude = std::abs(number);
  bool fits =
      std::isinf(number) || std::isnan(number) || number == 0 || (magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep127);
  return fits ? Scalar::Fp32 : Scalar::Fp64;
}

// The language's own word for a value of another library: torch.float16, np.inf.
static void addWordFor(const Value &value, std::vector<std::string> &notes) {
  auto *opaque = value.constant<Opaque>();
  std::string path = opaque ? pathOf(*opaque) : "";
  if (std::string ours = functionFor(path.substr(path.rfind('.') + 1)); !ours.empty())
    notes.push_back(std::move(ours));
}

Type typeOfConstant(Emitter &emitter, const Value &number) {
  if (number.is<bool>())
    return Scalar::Int1;
  if (auto integer = number.integer())
    return typeOfInteger(emitter, *integer);
  if (auto *value = number.get<double>())
    return typeOfFloat(*value);
  std::vector<std::string> notes;
  if (number.isNone())
    notes.push_back("`None` is not a value at run time; was an argument left out?");
  if (number.asTuple())
    notes.push_back("a tuple has no arithmetic; work on its items");
  if (number.is<const Builtin *>() || number.object<Function>())
    notes.push_back("a function has to be called: write `f(…)`");
  addWordFor(number, notes);
  emitter.fail("expected a tensor or a number, got " + typeName(number), notes, "TypeError");
}

Tensor toTensor(Emitter &emitter, const Value &value) {
  if (value.isTensor())
    return value.tensor();
  Session::At at(emitter.session, emitter.placeOf(value));
  return constant(emitter, typeOfConstant(emitter, value), value);
}

const Values *itemsOf(const Value &value) {
  if (auto *tuple = value.asTuple())
    return &tuple->items;
  if (auto *list = value.object<ListObject>())
    return &list->items;
  return nullptr;
}

void checkRank(Emitter &emitter, size_t rank) {
  if (rank > kMaxRank)
    emitter.fail("a tensor has at most " + std::to_string(kMaxRank) + " axes, not " + std::to_string(rank));
}

std::vector<std::string> notesOnExtent(int64_t extent) {
  return {"it is " + std::to_string(extent), "round up with `triton.next_power_of_2` and mask what is too much",
          "or allow every extent, which Triton does not: `any_extent=True` of a launch, no `--strict-triton`"};
}

Shape toShape(Emitter &emitter, const Value &value) {
  Session::At at(emitter.session, emitter.placeOf(value));
  Shape shape;
  Values single{value};
  const Values *items = itemsOf(value);
  checkRank(emitter, items ? items->size() : 1);
  int64_t count = 1;
  for (const Value &item : items ? *items : single) {
    int64_t extent = toConstantInt(emitter, item, "an extent of a shape");
    if (extent < 1)
      emitter.fail("an extent of a shape must be at least 1, got " + std::to_string(extent),
                   extent == -1 ? std::vector<std::string>{"write the extent itself; `tl.ravel(x)` has one axis"}
                                : std::vector<std::string>{});
    if (emitter.options.strictExtents && (extent & (extent - 1)))
      emitter.fail("shape element " + std::to_string(shape.size()) + " must be a power of 2", notesOnExtent(extent));
    if (extent > tile::kMaxTileElements || count * extent > tile::kMaxTileElements)
      emitter.fail("a tensor holds at most " + std::to_string(tile::kMaxTileElements) + " elements");
    count *= extent;
    shape.push_back(extent);
  }
  return shape;
}

// Why a value that must be known at compile time is not usable.
std::vector<std::string> notesOnConstants(const Tensor &tensor) {
  if (mlir::matchPattern(tensor.ir, mlir::m_Constant()))
    return {
        "what is assigned to a name is a value of run time: annotate a new name, `half: tl.constexpr = BLOCK // 2`"};
  return {};
}

static void failNotConstant(Emitter &emitter, const Value &value, std::string_view what, std::string_view expected) {
  std::vector<std::string> notes;
  if (auto *tensor = value.get<Tensor>())
    notes = notesOnConstants(*tensor);
  if (value.isTensor() && notes.empty())
    notes.push_back("it must be known at compile time: a literal, or a parameter annotated `tl.constexpr`");
  if (const double *number = value.get<double>(); number && *number == std::floor(*number))
    notes.push_back("`" + repr(value) + "` is a float: divide with `//`, or convert it with `int(…)`");
  std::string given = typeName(value);
  // An object of the process that calls, such as a tensor passed for a block size.
  if (auto *opaque = value.constant<Opaque>(); opaque && opaque->foreign) {
    given = "`" + opaque->path.substr(0, opaque->path.find(" at 0x")) + "`";
    notes.push_back("a `tl.constexpr` is a number, a text, a type or a function, no tensor: were arguments swapped?");
  }
  emitter.fail(std::string(what) + " must be " + std::string(expected) + ", got " + given, notes, "TypeError");
}

int64_t toConstantInt(Emitter &emitter, const Value &value, std::string_view what) {
  Session::At at(emitter.session, emitter.placeOf(value));
  auto integer = value.integer();
  if (!integer)
    failNotConstant(emitter, value, what, "a constant integer");
  if (*integer < INT64_MIN || *integer > INT64_MAX)
    emitter.fail(std::string(what) + " is too large: `" + repr(value) + "`");
  return static_cast<int64_t>(*integer);
}

bool toConstantBool(Emitter &emitter, const Value &value, std::string_view what) {
  if (value.isNone())
    return false;
  Session::At at(emitter.session, emitter.placeOf(value));
  if (!value.number())
    failNotConstant(emitter, value, what, "a constant `True` or `False`");
  return *value.number() != 0;
}

std::string toConstantString(Emitter &emitter, const Value &value, std::string_view what) {
  if (value.isNone())
    return {};
  Session::At at(emitter.session, emitter.placeOf(value));
  if (!value.str())
    failNotConstant(emitter, value, what, "a string");
  return *value.str();
}

Type toScalarType(Emitter &emitter, const Value &value, std::string_view what) {
  if (auto *type = value.get<Type>())
    return type->scalar();
  if (auto *text = value.str())
    if (auto type = Type::parse(*text))
      return type->scalar();
  Session::At at(emitter.session, emitter.placeOf(value));
  std::vector<std::string> notes;
  if (value.isTensor())
    notes.push_back("the type of a tensor is its `.dtype`");
  addWordFor(value, notes);
  emitter.fail(std::string(what) + " must be a type such as `tl.float32`, got " + typeName(value), notes, "TypeError");
}

} // namespace nereid::lang
