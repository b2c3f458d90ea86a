#include "syntax/Parser.h"
#include "syntax/TreePrinter.h"

namespace nereid::syntax {

std::string dumpAst(const ParsedFile &file, bool withPositions) {
  std::string out;
  TreePrinter printer(out, withPositions ? file.source.get() : nullptr);
  TreePrinter::Node(printer, "Module").list("body", file.body).list("type_ignores", Body());
  return out;
}

void TreePrinter::print(const Stmt *s) {
  switch (s->kind) {
  case StmtKind::FunctionDef:
  case StmtKind::AsyncFunctionDef:
  case StmtKind::ClassDef:
  case StmtKind::TypeAlias: return printDefinition(s);
  case StmtKind::For:
  case StmtKind::AsyncFor:
  case StmtKind::While:
  case StmtKind::If:
  case StmtKind::With:
  case StmtKind::AsyncWith:
  case StmtKind::Match:
  case StmtKind::Try:
  case StmtKind::TryStar: return printBlockStatement(s);
  default: return printSimpleStatement(s);
  }
}

// CPython 3.11 has no type parameters; where there are some, they print as 3.12 does.
void TreePrinter::printDefinition(const Stmt *s) {
  if (s->kind == StmtKind::TypeAlias) {
    const auto &node = cast<TypeAlias>(s);
    Node(*this, "TypeAlias", s->range)
        .field("name", node.name)
        .list("type_params", node.typeParams)
        .field("value", node.value);
    return;
  }
  if (s->kind == StmtKind::ClassDef) {
    const auto &node = *static_cast<const ClassDef *>(s);
    Node out(*this, "ClassDef", s->range);
    out.string("name", node.name).list("bases", node.bases).list("keywords", node.keywords);
    out.list("body", node.body).list("decorator_list", node.decorators);
    if (!node.typeParams.empty())
      out.list("type_params", node.typeParams);
    return;
  }
  const auto &node = *static_cast<const FunctionDef *>(s);
  Node out(*this, s->kind == StmtKind::FunctionDef ? "FunctionDef" : "AsyncFunctionDef", s->range);
  out.string("name", node.name).field("args", node.args).list("body", node.body);
  out.list("decorator_list", node.decorators).optional("returns", node.returns);
  if (!node.typeParams.empty())
    out.list("type_params", node.typeParams);
}

void TreePrinter::printBlockStatement(const Stmt *s) {
  switch (s->kind) {
  case StmtKind::For:
  case StmtKind::AsyncFor: {
    const auto &node = *static_cast<const For *>(s);
    Node(*this, s->kind == StmtKind::For ? "For" : "AsyncFor", s->range)
        .field("target", node.target)
        .field("iter", node.iter)
        .list("body", node.body)
        .list("orelse", node.orelse);
    return;
  }
  case StmtKind::While: {
    const auto &node = cast<While>(s);
    Node(*this, "While", s->range).field("test", node.test).list("body", node.body).list("orelse", node.orelse);
    return;
  }
  case StmtKind::If: {
    const auto &node = cast<If>(s);
    Node(*this, "If", s->range).field("test", node.test).list("body", node.body).list("orelse", node.orelse);
    return;
  }
  case StmtKind::With:
  case StmtKind::AsyncWith: {
    const auto &node = *static_cast<const With *>(s);
    Node(*this, s->kind == StmtKind::With ? "With" : "AsyncWith", s->range)
        .list("items", node.items)
        .list("body", node.body);
    return;
  }
  case StmtKind::Match:
    Node(*this, "Match", s->range).field("subject", cast<Match>(s).subject).list("cases", cast<Match>(s).cases);
    return;
  default: {
    const auto &node = *static_cast<const Try *>(s);
    Node(*this, s->kind == StmtKind::Try ? "Try" : "TryStar", s->range)
        .list("body", node.body)
        .list("handlers", node.handlers)
        .list("orelse", node.orelse)
        .list("finalbody", node.finalbody);
    return;
  }
  }
}

void TreePrinter::printSimpleStatement(const Stmt *s) {
  switch (s->kind) {
  case StmtKind::Return: Node(*this, "Return", s->range).optional("value", cast<Return>(s).value); return;
  case StmtKind::Delete: Node(*this, "Delete", s->range).list("targets", cast<Delete>(s).targets); return;
  case StmtKind::Assign:
    Node(*this, "Assign", s->range).list("targets", cast<Assign>(s).targets).field("value", cast<Assign>(s).value);
    return;
  case StmtKind::AugAssign: {
    const auto &node = cast<AugAssign>(s);
    Node(*this, "AugAssign", s->range)
        .field("target", node.target)
        .symbol("op", name(node.op))
        .field("value", node.value);
    return;
  }
  case StmtKind::AnnAssign: {
    const auto &node = cast<AnnAssign>(s);
    Node out(*this, "AnnAssign", s->range);
    out.field("target", node.target).field("annotation", node.annotation).optional("value", node.value);
    out.number("simple", node.simple);
    return;
  }
  case StmtKind::Raise:
    Node(*this, "Raise", s->range).optional("exc", cast<Raise>(s).exc).optional("cause", cast<Raise>(s).cause);
    return;
  case StmtKind::Assert:
    Node(*this, "Assert", s->range).field("test", cast<Assert>(s).test).optional("msg", cast<Assert>(s).msg);
    return;
  case StmtKind::Import: Node(*this, "Import", s->range).list("names", cast<Import>(s).names); return;
  case StmtKind::ImportFrom: {
    const auto &node = cast<ImportFrom>(s);
    Node(*this, "ImportFrom", s->range)
        .optionalString("module", node.module)
        .list("names", node.names)
        .number("level", node.level);
    return;
  }
  case StmtKind::Global: Node(*this, "Global", s->range).names("names", cast<GlobalStmt>(s).names); return;
  case StmtKind::Nonlocal: Node(*this, "Nonlocal", s->range).names("names", cast<NonlocalStmt>(s).names); return;
  case StmtKind::Expr: Node(*this, "Expr", s->range).field("value", cast<ExprStmt>(s).value); return;
  case StmtKind::Pass: Node(*this, "Pass", s->range); return;
  case StmtKind::Break: Node(*this, "Break", s->range); return;
  default: Node(*this, "Continue", s->range); return;
  }
}

void TreePrinter::print(const Alias *alias) {
  Node(*this, "alias", alias->range).string("name", alias->name).optionalString("asname", alias->asname);
}

void TreePrinter::print(const WithItem *item) {
  Node(*this, "withitem").field("context_expr", item->contextExpr).optional("optional_vars", item->optionalVars);
}

void TreePrinter::print(const ExceptHandler *handler) {
  Node(*this, "ExceptHandler", handler->range)
      .optional("type", handler->type)
      .optionalString("name", handler->name)
      .list("body", handler->body);
}

void TreePrinter::print(const MatchCase *branch) {
  Node(*this, "match_case")
      .field("pattern", branch->pattern)
      .optional("guard", branch->guard)
      .list("body", branch->body);
}

void TreePrinter::print(const TypeParam *parameter) {
  static constexpr const char *kNames[] = {"TypeVar", "ParamSpec", "TypeVarTuple"};
  Node(*this, kNames[static_cast<size_t>(parameter->kind)], parameter->range)
      .string("name", parameter->name)
      .optional("bound", parameter->bound);
}

void TreePrinter::print(const Pattern *p) {
  switch (p->kind) {
  case PatternKind::MatchValue:
    Node(*this, "MatchValue", p->range).field("value", static_cast<const MatchValue *>(p)->value);
    return;
  case PatternKind::MatchSingleton:
    Node(*this, "MatchSingleton", p->range).constant("value", *static_cast<const MatchSingleton *>(p)->value);
    return;
  case PatternKind::MatchSequence:
    Node(*this, "MatchSequence", p->range).list("patterns", static_cast<const MatchSequence *>(p)->patterns);
    return;
  case PatternKind::MatchMapping: {
    const auto &node = *static_cast<const MatchMapping *>(p);
    Node(*this, "MatchMapping", p->range)
        .list("keys", node.keys)
        .list("patterns", node.patterns)
        .optionalString("rest", node.rest);
    return;
  }
  case PatternKind::MatchClass: {
    const auto &node = *static_cast<const MatchClass *>(p);
    Node out(*this, "MatchClass", p->range);
    out.field("cls", node.cls).list("patterns", node.patterns);
    out.names("kwd_attrs", node.kwdAttrs).list("kwd_patterns", node.kwdPatterns);
    return;
  }
  case PatternKind::MatchStar:
    Node(*this, "MatchStar", p->range).optionalString("name", static_cast<const MatchStar *>(p)->name);
    return;
  case PatternKind::MatchAs: {
    const auto &node = *static_cast<const MatchAs *>(p);
    Node(*this, "MatchAs", p->range).optional("pattern", node.pattern).optionalString("name", node.name);
    return;
  }
  case PatternKind::MatchOr:
    Node(*this, "MatchOr", p->range).list("patterns", static_cast<const MatchOr *>(p)->patterns);
    return;
  }
}

} // namespace nereid::syntax
