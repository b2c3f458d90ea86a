// Type.h: the types of the language: scalars, pointers and blocks of them. The IR's integers are signless, so the
// sign lives here.
#pragma once

#include "mlir/IR/Types.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::lang {

enum class Scalar : uint8_t {
  Void,
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Fp8E5,
  Fp8E5B16,
  Fp8E4NV,
  Fp8E4B8,
  Fp8E4B15,
  Fp16,
  Bf16,
  Fp32,
  Fp64,
  Pointer
};

using Shape = std::vector<int64_t>;

// tl.dtype, tl.pointer_type and tl.block_type in one: a scalar kind, what a pointer points to, and a shape (empty for
// a scalar; a tile of one element has shape [1]).
class Type {
public:
  Type(Scalar scalar = Scalar::Void) : kind(scalar) {}
  static Type pointer(Type pointee, bool isConst = false, unsigned addressSpace = 1);
  // `name` as Triton writes it: fp32, f32, float32, i32, int32, u8, *fp32, *k fp16, i1, bool, void …
  static std::optional<Type> parse(std::string_view name);

  Scalar scalarKind() const { return kind; }
  const Shape &shape() const { return extents; }
  bool isBlock() const { return !extents.empty(); }
  int64_t elementCount() const;
  Type scalar() const;                // without the shape
  Type withShape(Shape shape) const;  // the same scalar in another shape
  Type withScalar(Type scalar) const; // the same shape with another scalar

  bool isPointer() const { return kind == Scalar::Pointer; }
  const Type &pointee() const { return *target; } // of the scalar; may itself be a block only in old spellings
  bool isConstPointer() const { return constPointer; }
  unsigned addressSpace() const { return space; }

  bool isVoid() const { return kind == Scalar::Void; }
  bool isBool() const { return kind == Scalar::Int1; }
  bool isInt() const { return kind >= Scalar::Int1 && kind <= Scalar::UInt64; } // bool included
  bool isSignedInt() const { return kind >= Scalar::Int8 && kind <= Scalar::Int64; }
  bool isUnsignedInt() const { return kind == Scalar::Int1 || (kind >= Scalar::UInt8 && kind <= Scalar::UInt64); }
  bool isFloat() const { return kind >= Scalar::Fp8E5 && kind <= Scalar::Fp64; }
  bool isFp8() const { return kind >= Scalar::Fp8E5 && kind <= Scalar::Fp8E4B15; }
  bool isStandardFloat() const { return kind >= Scalar::Fp16 && kind <= Scalar::Fp64; }
  unsigned bitWidth() const; // of the scalar; pointers 64; bool 1
  unsigned mantissaWidth() const;
  int exponentBias() const;

  std::string name() const;      // fp32, int32, pointer<fp32>, <[128], fp32>: as str(tl type) prints
  std::string shortName() const; // f32, i32, u8, *f32: for signatures and messages
  mlir::Type ir(mlir::MLIRContext *context) const;

  friend bool operator==(const Type &a, const Type &b);

private:
  Scalar kind;
  bool constPointer = false;
  unsigned space = 1;
  std::shared_ptr<const Type> target;
  Shape extents;
};

} // namespace nereid::lang
