// Semantic.h: the meaning of operators on run-time values: promotion, broadcasting, casts, arithmetic, comparison.
// The rules are Triton's; the oracles of test/builtins and the messages of test/errors hold them.
#pragma once

#include "lang/emit/Emitter.h"

namespace nereid::lang {

// A constant (bool, int, float) as a scalar tensor of the type that Triton gives it: i1; i32, u32, i64 or u64 by
// value; fp32, or fp64 when fp32 cannot hold its magnitude. A tensor stays as it is. Anything else fails.
Tensor toTensor(Emitter &emitter, const Value &value);
// The type that toTensor gives a number.
Type typeOfConstant(Emitter &emitter, const Value &number);
// A constant of a given type, with a shape when the type has one.
Tensor constant(Emitter &emitter, const Type &type, const Value &number);

Type promoteTypes(Emitter &emitter, const Type &a, bool aIsScalarConstant, const Type &b, bool bIsScalarConstant,
                  bool isDivision);

Tensor castTo(Emitter &emitter, const Tensor &source, const Type &scalar,
              const Value &rounding = {}); // value conversion
Tensor bitcastTo(Emitter &emitter, const Tensor &source, const Type &scalar);
Tensor broadcastTo(Emitter &emitter, const Tensor &source, const Shape &shape);
std::pair<Tensor, Tensor> broadcastTogether(Emitter &emitter, const Tensor &a, const Tensor &b);
// All to one shape.
void broadcastAll(Emitter &emitter, std::vector<Tensor> &tensors);
// Both operands (one may be a constant) brought to a common type and shape, as binary operators do.
std::pair<Tensor, Tensor> promoteOperands(Emitter &emitter, const Value &a, const Value &b, bool isDivision = false,
                                          bool allowPointers = false);

// At least one operand is a tensor.
// `sanitizeOverflow`: with the debug option, + - * of integers narrower than 64 bits assert that they do not overflow.
Value emitBinary(Emitter &emitter, syntax::BinaryOperator op, const Value &lhs, const Value &rhs,
                 bool sanitizeOverflow = true);
Value emitCompare(Emitter &emitter, syntax::CompareOperator op, const Value &lhs, const Value &rhs);
Value emitUnary(Emitter &emitter, syntax::UnaryOperator op, const Tensor &operand);
Value emitLogical(Emitter &emitter, syntax::BoolOperator op, const Value &lhs, const Value &rhs); // elementwise and/or
// A scalar i1 for `if`, `while` and ternaries (`!= 0`); fails for blocks of more than one element.
Tensor toCondition(Emitter &emitter, const Tensor &value);
// x[:, None] and friends.
Value emitSubscript(Emitter &emitter, const Tensor &tensor, const Value &index);

std::string shapeText(const Shape &shape); // [128, 64]

// Changes of shape. An axis may be negative; a scalar is a tensor without dimensions.
Tensor expandDims(Emitter &emitter, const Tensor &tensor, int64_t axis);
Tensor reshapeTo(Emitter &emitter, const Tensor &tensor, const Shape &shape, bool allowReorder = false);
Tensor permute(Emitter &emitter, const Tensor &tensor, const std::vector<int64_t> &order);
Tensor toScalar(Emitter &emitter, const Tensor &tensor); // the only element of a tile of one element
// An axis in 0 … rank-1 from one that may be negative.
int64_t toAxis(Emitter &emitter, const Value &value, size_t rank, std::string_view what = "`axis`");

Tensor select(Emitter &emitter, const Value &condition, const Value &x, const Value &y); // tl.where

// Attributes and methods of run-time values (`x.dtype`, `x.T`, `x.sum`, `desc.load`); no value when there is none. A
// method is a BoundMethod of a builtin: of any table with isMember for tensors, of "descriptor" or of "dtype".
Value tensorAttribute(Emitter &emitter, const Tensor &tensor, const std::string &name);
Value descriptorAttribute(Emitter &emitter, const Descriptor &descriptor, const std::string &name);
Value blockPointerAttribute(Emitter &emitter, const BlockPointer &pointer, const std::string &name);
Value typeAttribute(const Type &type, const std::string &name);
// What a method of a type gives: `is_fp8`, `kind` … take no arguments and need no emitter. No value when unknown.
Value callTypeMethod(const Type &type, std::string_view name);

// The items of a tuple or list, or null.
const Values *itemsOf(const Value &value);

// A compile-time shape from a tuple, list or single constant; checks the element limit, and where the options say it that
// extents are powers of two.
constexpr size_t kMaxRank = 32;                // of a block
void checkRank(Emitter &emitter, size_t rank); // of a block that is about to be made
Shape toShape(Emitter &emitter, const Value &value);
// What to do about an extent that must be a power of two.
std::vector<std::string> notesOnExtent(int64_t extent);
// How a value of run time that was computed from constants alone stays a constant; nothing for others.
std::vector<std::string> notesOnConstants(const Tensor &tensor);
int64_t toConstantInt(Emitter &emitter, const Value &value, std::string_view what);
bool toConstantBool(Emitter &emitter, const Value &value, std::string_view what);
std::string toConstantString(Emitter &emitter, const Value &value, std::string_view what);
Type toScalarType(Emitter &emitter, const Value &value, std::string_view what); // tl.float32, constexpr dtype

} // namespace nereid::lang
