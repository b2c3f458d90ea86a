// Ast.h: the syntax tree of a Python file. Nodes mirror CPython's `ast` (same names, same fields, same order), so
// that the tree prints as `ast.dump` does. Nodes, lists and strings live in an Arena and are plain data: they are
// never freed one by one and have no destructors. Downcast with `cast<>` / `dynCast<>`, or switch on `kind`.
#pragma once

#include "support/Source.h"

#include <span>
#include <string_view>

// clang-format off (tables)
namespace nereid::syntax {

enum class ExprKind : uint8_t {
  BoolOp,
  NamedExpr,
  BinOp,
  UnaryOp,
  Lambda,
  IfExp,
  Dict,
  Set,
  ListComp,
  SetComp,
  DictComp,
  GeneratorExp,
  Await,
  Yield,
  YieldFrom,
  Compare,
  Call,
  FormattedValue,
  JoinedStr,
  Constant,
  Attribute,
  Subscript,
  Starred,
  Name,
  List,
  Tuple,
  Slice
};
enum class StmtKind : uint8_t {
  FunctionDef,
  AsyncFunctionDef,
  ClassDef,
  Return,
  Delete,
  Assign,
  AugAssign,
  AnnAssign,
  TypeAlias,
  For,
  AsyncFor,
  While,
  If,
  With,
  AsyncWith,
  Match,
  Raise,
  Try,
  TryStar,
  Assert,
  Import,
  ImportFrom,
  Global,
  Nonlocal,
  Expr,
  Pass,
  Break,
  Continue
};
enum class PatternKind : uint8_t {
  MatchValue,
  MatchSingleton,
  MatchSequence,
  MatchMapping,
  MatchClass,
  MatchStar,
  MatchAs,
  MatchOr
};
enum class BinaryOperator : uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  Mod,
  Pow,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
  FloorDiv
};
enum class UnaryOperator : uint8_t { Invert, Not, UAdd, USub };
enum class BoolOperator : uint8_t { And, Or };
enum class CompareOperator : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };
enum class ExprContext : uint8_t { Load, Store, Del };
enum class ConstantKind : uint8_t { None, True, False, Ellipsis, Int, Float, Complex, Str, Bytes };

struct Expr {
  ExprKind kind;
  SourceRange range;
};
struct Stmt {
  StmtKind kind;
  SourceRange range;
};
struct Pattern {
  PatternKind kind;
  SourceRange range;
};

// A list of arena pointers. A null entry stands for CPython's None (a `**` key in a Dict, a missing kw_default).
template <class T> using List = std::span<T *const>;
using ExprList = List<Expr>;
using Body = List<Stmt>;
using Identifier = std::string_view;
using Identifiers = std::span<const Identifier>;

struct Keyword {
  Identifier arg;
  Expr *value;
  SourceRange range;
}; // empty arg: `**value`
struct Comprehension {
  Expr *target;
  Expr *iter;
  ExprList ifs;
  bool isAsync;
};
struct Arg {
  Identifier arg;
  Expr *annotation;
  SourceRange range;
};
struct Arguments {
  List<Arg> posonlyargs, args;
  Arg *vararg;
  List<Arg> kwonlyargs;
  ExprList kwDefaults;
  Arg *kwarg;
  ExprList defaults;
};
struct Alias {
  Identifier name, asname;
  SourceRange range;
}; // asname may be empty
struct WithItem {
  Expr *contextExpr;
  Expr *optionalVars;
};
struct ExceptHandler {
  Expr *type;
  Identifier name;
  Body body;
  SourceRange range;
};
struct MatchCase {
  Pattern *pattern;
  Expr *guard;
  Body body;
};
enum class TypeParamKind : uint8_t { TypeVar, ParamSpec, TypeVarTuple };
struct TypeParam {
  TypeParamKind kind;
  Identifier name;
  Expr *bound;
  SourceRange range;
};

// Expressions.
struct BoolOp : Expr {
  static constexpr auto kKind = ExprKind::BoolOp;
  BoolOperator op;
  ExprList values;
};
struct NamedExpr : Expr {
  static constexpr auto kKind = ExprKind::NamedExpr;
  Expr *target, *value;
};
struct BinOp : Expr {
  static constexpr auto kKind = ExprKind::BinOp;
  Expr *left;
  BinaryOperator op;
  Expr *right;
};
struct UnaryOp : Expr {
  static constexpr auto kKind = ExprKind::UnaryOp;
  UnaryOperator op;
  Expr *operand;
};
struct Lambda : Expr {
  static constexpr auto kKind = ExprKind::Lambda;
  Arguments *args;
  Expr *body;
};
struct IfExp : Expr {
  static constexpr auto kKind = ExprKind::IfExp;
  Expr *test, *body, *orelse;
};
struct Dict : Expr {
  static constexpr auto kKind = ExprKind::Dict;
  ExprList keys, values;
};
struct Set : Expr {
  static constexpr auto kKind = ExprKind::Set;
  ExprList elts;
};
struct ListComp : Expr {
  static constexpr auto kKind = ExprKind::ListComp;
  Expr *elt;
  List<Comprehension> generators;
};
struct SetComp : Expr {
  static constexpr auto kKind = ExprKind::SetComp;
  Expr *elt;
  List<Comprehension> generators;
};
struct DictComp : Expr {
  static constexpr auto kKind = ExprKind::DictComp;
  Expr *key, *value;
  List<Comprehension> generators;
};
struct GeneratorExp : Expr {
  static constexpr auto kKind = ExprKind::GeneratorExp;
  Expr *elt;
  List<Comprehension> generators;
};
struct Await : Expr {
  static constexpr auto kKind = ExprKind::Await;
  Expr *value;
};
struct Yield : Expr {
  static constexpr auto kKind = ExprKind::Yield;
  Expr *value;
};
struct YieldFrom : Expr {
  static constexpr auto kKind = ExprKind::YieldFrom;
  Expr *value;
};
struct Compare : Expr {
  static constexpr auto kKind = ExprKind::Compare;
  Expr *left;
  std::span<const CompareOperator> ops;
  ExprList comparators;
};
struct Call : Expr {
  static constexpr auto kKind = ExprKind::Call;
  Expr *func;
  ExprList args;
  List<Keyword> keywords;
};
struct FormattedValue : Expr {
  static constexpr auto kKind = ExprKind::FormattedValue;
  Expr *value;
  int conversion;
  Expr *formatSpec;
}; // conversion: -1, 's', 'r', 'a'
struct JoinedStr : Expr {
  static constexpr auto kKind = ExprKind::JoinedStr;
  ExprList values;
};
struct Constant : Expr {
  static constexpr auto kKind = ExprKind::Constant;
  ConstantKind constantKind;
  bool unicodePrefix; // u"…": CPython's kind='u'
  std::string_view
      text; // Str: decoded, UTF-8 with lone surrogates in WTF-8. Bytes: raw bytes. Int: the digits without underscores, with their 0x/0o/0b prefix.
  double number; // Float; Complex: the imaginary part
};
struct Attribute : Expr {
  static constexpr auto kKind = ExprKind::Attribute;
  Expr *value;
  Identifier attr;
  ExprContext ctx;
  SourceRange attrRange;
};
struct Subscript : Expr {
  static constexpr auto kKind = ExprKind::Subscript;
  Expr *value, *slice;
  ExprContext ctx;
};
struct Starred : Expr {
  static constexpr auto kKind = ExprKind::Starred;
  Expr *value;
  ExprContext ctx;
};
struct Name : Expr {
  static constexpr auto kKind = ExprKind::Name;
  Identifier id;
  ExprContext ctx;
};
struct ListExpr : Expr {
  static constexpr auto kKind = ExprKind::List;
  ExprList elts;
  ExprContext ctx;
};
struct TupleExpr : Expr {
  static constexpr auto kKind = ExprKind::Tuple;
  ExprList elts;
  ExprContext ctx;
};
struct Slice : Expr {
  static constexpr auto kKind = ExprKind::Slice;
  Expr *lower, *upper, *step;
};

// Statements. `async` forms share the struct of the plain form and differ in `kind`.
struct FunctionDef : Stmt {
  Identifier name;
  Arguments *args;
  Body body;
  ExprList decorators;
  Expr *returns;
  List<TypeParam> typeParams;
  SourceRange nameRange;
};
struct ClassDef : Stmt {
  Identifier name;
  ExprList bases;
  List<Keyword> keywords;
  Body body;
  ExprList decorators;
  List<TypeParam> typeParams;
};
struct Return : Stmt {
  static constexpr auto kKind = StmtKind::Return;
  Expr *value;
};
struct Delete : Stmt {
  static constexpr auto kKind = StmtKind::Delete;
  ExprList targets;
};
struct Assign : Stmt {
  static constexpr auto kKind = StmtKind::Assign;
  ExprList targets;
  Expr *value;
};
struct AugAssign : Stmt {
  static constexpr auto kKind = StmtKind::AugAssign;
  Expr *target;
  BinaryOperator op;
  Expr *value;
};
struct AnnAssign : Stmt {
  static constexpr auto kKind = StmtKind::AnnAssign;
  Expr *target, *annotation, *value;
  bool simple;
};
struct TypeAlias : Stmt {
  static constexpr auto kKind = StmtKind::TypeAlias;
  Expr *name;
  List<TypeParam> typeParams;
  Expr *value;
};
struct For : Stmt {
  Expr *target, *iter;
  Body body, orelse;
};
struct While : Stmt {
  static constexpr auto kKind = StmtKind::While;
  Expr *test;
  Body body, orelse;
};
struct If : Stmt {
  static constexpr auto kKind = StmtKind::If;
  Expr *test;
  Body body, orelse;
};
struct With : Stmt {
  List<WithItem> items;
  Body body;
};
struct Match : Stmt {
  static constexpr auto kKind = StmtKind::Match;
  Expr *subject;
  List<MatchCase> cases;
};
struct Raise : Stmt {
  static constexpr auto kKind = StmtKind::Raise;
  Expr *exc, *cause;
};
struct Try : Stmt {
  Body body;
  List<ExceptHandler> handlers;
  Body orelse, finalbody;
};
struct Assert : Stmt {
  static constexpr auto kKind = StmtKind::Assert;
  Expr *test, *msg;
};
struct Import : Stmt {
  static constexpr auto kKind = StmtKind::Import;
  List<Alias> names;
};
struct ImportFrom : Stmt {
  static constexpr auto kKind = StmtKind::ImportFrom;
  Identifier module;
  List<Alias> names;
  int level;
};
struct GlobalStmt : Stmt {
  static constexpr auto kKind = StmtKind::Global;
  Identifiers names;
};
struct NonlocalStmt : Stmt {
  static constexpr auto kKind = StmtKind::Nonlocal;
  Identifiers names;
};
struct ExprStmt : Stmt {
  static constexpr auto kKind = StmtKind::Expr;
  Expr *value;
};

// Patterns of `match`.
struct MatchValue : Pattern {
  Expr *value;
};
struct MatchSingleton : Pattern {
  Constant *value;
};
struct MatchSequence : Pattern {
  List<Pattern> patterns;
};
struct MatchMapping : Pattern {
  ExprList keys;
  List<Pattern> patterns;
  Identifier rest;
};
struct MatchClass : Pattern {
  Expr *cls;
  List<Pattern> patterns;
  Identifiers kwdAttrs;
  List<Pattern> kwdPatterns;
};
struct MatchStar : Pattern {
  Identifier name;
};
struct MatchAs : Pattern {
  Pattern *pattern;
  Identifier name;
};
struct MatchOr : Pattern {
  List<Pattern> patterns;
};

// Downcasts for the kinds that have a struct of their own (kKind). FunctionDef, ClassDef, For, With and Try serve
// several kinds or need no check beyond `kind`: use static_cast after looking at it.
template <class T>
const T *dynCast(const Expr *e)
  requires std::is_base_of_v<Expr, T>
{
  return e && e->kind == T::kKind ? static_cast<const T *>(e) : nullptr;
}
template <class T>
const T *dynCast(const Stmt *s)
  requires std::is_base_of_v<Stmt, T>
{
  return s && s->kind == T::kKind ? static_cast<const T *>(s) : nullptr;
}
template <class T> const T &cast(const Expr *e) { return *static_cast<const T *>(e); }
template <class T> const T &cast(const Stmt *s) { return *static_cast<const T *>(s); }

} // namespace nereid::syntax
