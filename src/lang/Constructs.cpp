#include "lang/Constructs.h"

using namespace nereid::syntax;

namespace nereid::lang {

static const char *statementWord(StmtKind kind) {
  switch (kind) {
  case StmtKind::FunctionDef: return "a nested function";
  case StmtKind::AsyncFunctionDef: return "an async function";
  case StmtKind::ClassDef: return "a class";
  case StmtKind::Delete: return "`del`";
  case StmtKind::TypeAlias: return "a type alias";
  case StmtKind::AsyncFor: return "`async for`";
  case StmtKind::AsyncWith: return "`async with`";
  case StmtKind::Match: return "`match`";
  case StmtKind::Raise: return "`raise`";
  case StmtKind::Try:
  case StmtKind::TryStar: return "`try`";
  case StmtKind::Import:
  case StmtKind::ImportFrom: return "`import`";
  case StmtKind::Global: return "`global`";
  case StmtKind::Nonlocal: return "`nonlocal`";
  case StmtKind::Break: return "`break`";
  case StmtKind::Continue: return "`continue`";
  default: return nullptr;
  }
}

static const char *expressionWord(ExprKind kind) {
  switch (kind) {
  case ExprKind::Lambda: return "a lambda";
  case ExprKind::Dict: return "a dict";
  case ExprKind::Set: return "a set";
  case ExprKind::SetComp: return "a set comprehension";
  case ExprKind::DictComp: return "a dict comprehension";
  case ExprKind::GeneratorExp: return "a generator expression";
  case ExprKind::Await: return "`await`";
  case ExprKind::Yield:
  case ExprKind::YieldFrom: return "`yield`";
  case ExprKind::Starred: return "a starred expression outside a call";
  default: return nullptr;
  }
}

static std::string unsupported(const char *word) {
  return word ? std::string(word) + " is not supported in a kernel" : std::string();
}

std::string unsupportedStatement(StmtKind kind) { return unsupported(statementWord(kind)); }
std::string unsupportedExpression(ExprKind kind) { return unsupported(expressionWord(kind)); }

std::vector<std::string> helpForStatement(StmtKind kind) {
  switch (kind) {
  case StmtKind::FunctionDef: return {"move it out of the kernel and decorate it with `@triton.jit`"};
  case StmtKind::ClassDef: return {"move it out of the kernel and decorate it with `@triton.aggregate`"};
  case StmtKind::Import:
  case StmtKind::ImportFrom: return {"move it to the top of the file"};
  case StmtKind::Global:
  case StmtKind::Nonlocal: return {"pass values as parameters, and return what changes"};
  case StmtKind::Raise:
  case StmtKind::Try:
    return {"check conditions with `tl.static_assert` at compile time, or with `tl.device_assert` at run time"};
  case StmtKind::Match: return {"write `if`, `elif` and `else`"};
  case StmtKind::Break: return {"put the condition into a `while` loop, or mask the rest of the work"};
  case StmtKind::Continue: return {"put the rest of the body under an `if`"};
  case StmtKind::Delete: return {"leave it out: names need no end"};
  default: return {};
  }
}

std::vector<std::string> helpForExpression(ExprKind kind) {
  switch (kind) {
  case ExprKind::Lambda: return {"move it out of the kernel, as a function decorated with `@triton.jit`"};
  case ExprKind::Dict:
  case ExprKind::DictComp: return {"write a tuple, or a named tuple"};
  case ExprKind::Set:
  case ExprKind::SetComp: return {"write a tuple"};
  case ExprKind::GeneratorExp: return {"write a list: `[… for … in …]`"};
  default: return {};
  }
}

bool isConstexprAnnotation(const Expr *annotation) {
  if (!annotation)
    return false;
  if (auto *name = dynCast<Name>(annotation))
    return name->id == "constexpr";
  if (auto *attribute = dynCast<Attribute>(annotation))
    return attribute->attr == "constexpr";
  if (auto *constant = dynCast<Constant>(annotation))
    return constant->constantKind == ConstantKind::Str && constant->text.ends_with("constexpr");
  return false;
}

} // namespace nereid::lang
