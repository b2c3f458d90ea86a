#include "lang/SyntaxWalk.h"

namespace nereid::lang {

using namespace syntax;

namespace {

class Parts {
public:
  explicit Parts(const SyntaxVisitor &visitor) : visitor(visitor) {}

  void one(const Expr *e) const {
    if (e && visitor.expression)
      visitor.expression(e);
  }
  void all(ExprList list) const {
    for (const Expr *e : list)
      one(e);
  }
  void all(Body body) const {
    if (visitor.statement)
      for (const Stmt *s : body)
        visitor.statement(s);
  }
  void all(List<Keyword> keywords) const {
    for (const Keyword *k : keywords)
      one(k->value);
  }
  void all(List<Comprehension> generators) const {
    for (const Comprehension *g : generators) {
      one(g->iter);
      one(g->target);
      all(g->ifs);
    }
  }
  void arguments(const Arguments &a) const {
    for (List<Arg> group : {a.posonlyargs, a.args, a.kwonlyargs})
      for (const Arg *argument : group)
        one(argument->annotation);
    if (a.vararg)
      one(a.vararg->annotation);
    if (a.kwarg)
      one(a.kwarg->annotation);
    all(a.defaults);
    all(a.kwDefaults);
  }

private:
  const SyntaxVisitor &visitor;
};

void compoundParts(const Stmt *s, const Parts &parts) {
  switch (s->kind) {
  case StmtKind::FunctionDef:
  case StmtKind::AsyncFunctionDef: {
    auto &f = *static_cast<const FunctionDef *>(s);
    parts.all(f.decorators);
    parts.arguments(*f.args);
    parts.one(f.returns);
    parts.all(f.body);
    break;
  }
  case StmtKind::ClassDef: {
    auto &c = *static_cast<const ClassDef *>(s);
    parts.all(c.decorators);
    parts.all(c.bases);
    parts.all(c.keywords);
    parts.all(c.body);
    break;
  }
  case StmtKind::For:
  case StmtKind::AsyncFor: {
    auto &f = *static_cast<const For *>(s);
    parts.one(f.target);
    parts.one(f.iter);
    parts.all(f.body);
    parts.all(f.orelse);
    break;
  }
  case StmtKind::While: {
    auto &w = cast<While>(s);
    parts.one(w.test);
    parts.all(w.body);
    parts.all(w.orelse);
    break;
  }
  case StmtKind::If: {
    auto &i = cast<If>(s);
    parts.one(i.test);
    parts.all(i.body);
    parts.all(i.orelse);
    break;
  }
  case StmtKind::With:
  case StmtKind::AsyncWith: {
    auto &w = *static_cast<const With *>(s);
    for (const WithItem *item : w.items) {
      parts.one(item->contextExpr);
      parts.one(item->optionalVars);
    }
    parts.all(w.body);
    break;
  }
  case StmtKind::Match: {
    auto &m = cast<Match>(s);
    parts.one(m.subject);
    for (const MatchCase *c : m.cases) {
      parts.one(c->guard);
      parts.all(c->body);
    }
    break;
  }
  case StmtKind::Try:
  case StmtKind::TryStar: {
    auto &t = *static_cast<const Try *>(s);
    parts.all(t.body);
    for (const ExceptHandler *h : t.handlers) {
      parts.one(h->type);
      parts.all(h->body);
    }
    parts.all(t.orelse);
    parts.all(t.finalbody);
    break;
  }
  default: break;
  }
}

bool yields(const Expr *e) {
  if (e->kind == ExprKind::Yield || e->kind == ExprKind::YieldFrom)
    return true;
  if (e->kind == ExprKind::Lambda)
    return false;
  bool found = false;
  visitParts(e, {[&](const Expr *part) { found = found || yields(part); }, {}});
  return found;
}

bool yields(const Stmt *s) {
  if (s->kind == StmtKind::FunctionDef || s->kind == StmtKind::AsyncFunctionDef || s->kind == StmtKind::ClassDef)
    return false;
  bool found = false;
  visitParts(s, {[&](const Expr *part) { found = found || yields(part); },
                 [&](const Stmt *part) { found = found || yields(part); }});
  return found;
}

void targetNames(const Expr *target, std::vector<std::string_view> &names) {
  if (auto *name = dynCast<Name>(target))
    names.push_back(name->id);
  else if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List || target->kind == ExprKind::Starred)
    visitParts(target, {[&](const Expr *part) { targetNames(part, names); }, {}});
}

} // namespace

void visitParts(const Expr *e, const SyntaxVisitor &visitor) {
  Parts parts(visitor);
  switch (e->kind) {
  case ExprKind::BoolOp: parts.all(cast<BoolOp>(e).values); break;
  case ExprKind::NamedExpr:
    parts.one(cast<NamedExpr>(e).target);
    parts.one(cast<NamedExpr>(e).value);
    break;
  case ExprKind::BinOp:
    parts.one(cast<BinOp>(e).left);
    parts.one(cast<BinOp>(e).right);
    break;
  case ExprKind::UnaryOp: parts.one(cast<UnaryOp>(e).operand); break;
  case ExprKind::Lambda:
    parts.arguments(*cast<Lambda>(e).args);
    parts.one(cast<Lambda>(e).body);
    break;
  case ExprKind::IfExp:
    parts.one(cast<IfExp>(e).test);
    parts.one(cast<IfExp>(e).body);
    parts.one(cast<IfExp>(e).orelse);
    break;
  case ExprKind::Dict:
    parts.all(cast<Dict>(e).keys);
    parts.all(cast<Dict>(e).values);
    break;
  case ExprKind::Set: parts.all(cast<Set>(e).elts); break;
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::GeneratorExp:
    parts.all(cast<ListComp>(e).generators);
    parts.one(cast<ListComp>(e).elt);
    break;
  case ExprKind::DictComp:
    parts.all(cast<DictComp>(e).generators);
    parts.one(cast<DictComp>(e).key);
    parts.one(cast<DictComp>(e).value);
    break;
  case ExprKind::Await: parts.one(cast<Await>(e).value); break;
  case ExprKind::Yield: parts.one(cast<Yield>(e).value); break;
  case ExprKind::YieldFrom: parts.one(cast<YieldFrom>(e).value); break;
  case ExprKind::Compare:
    parts.one(cast<Compare>(e).left);
    parts.all(cast<Compare>(e).comparators);
    break;
  case ExprKind::Call:
    parts.one(cast<Call>(e).func);
    parts.all(cast<Call>(e).args);
    parts.all(cast<Call>(e).keywords);
    break;
  case ExprKind::FormattedValue:
    parts.one(cast<FormattedValue>(e).value);
    parts.one(cast<FormattedValue>(e).formatSpec);
    break;
  case ExprKind::JoinedStr: parts.all(cast<JoinedStr>(e).values); break;
  case ExprKind::Attribute: parts.one(cast<Attribute>(e).value); break;
  case ExprKind::Subscript:
    parts.one(cast<Subscript>(e).value);
    parts.one(cast<Subscript>(e).slice);
    break;
  case ExprKind::Starred: parts.one(cast<Starred>(e).value); break;
  case ExprKind::List: parts.all(cast<ListExpr>(e).elts); break;
  case ExprKind::Tuple: parts.all(cast<TupleExpr>(e).elts); break;
  case ExprKind::Slice:
    parts.one(cast<Slice>(e).lower);
    parts.one(cast<Slice>(e).upper);
    parts.one(cast<Slice>(e).step);
    break;
  case ExprKind::Constant:
  case ExprKind::Name: break;
  }
}

void visitParts(const Stmt *s, const SyntaxVisitor &visitor) {
  Parts parts(visitor);
  switch (s->kind) {
  case StmtKind::Return: parts.one(cast<Return>(s).value); break;
  case StmtKind::Delete: parts.all(cast<Delete>(s).targets); break;
  case StmtKind::Assign:
    parts.one(cast<Assign>(s).value);
    parts.all(cast<Assign>(s).targets);
    break;
  case StmtKind::AugAssign:
    parts.one(cast<AugAssign>(s).target);
    parts.one(cast<AugAssign>(s).value);
    break;
  case StmtKind::AnnAssign:
    parts.one(cast<AnnAssign>(s).target);
    parts.one(cast<AnnAssign>(s).annotation);
    parts.one(cast<AnnAssign>(s).value);
    break;
  case StmtKind::TypeAlias: parts.one(cast<TypeAlias>(s).value); break;
  case StmtKind::Raise:
    parts.one(cast<Raise>(s).exc);
    parts.one(cast<Raise>(s).cause);
    break;
  case StmtKind::Assert:
    parts.one(cast<Assert>(s).test);
    parts.one(cast<Assert>(s).msg);
    break;
  case StmtKind::Expr: parts.one(cast<ExprStmt>(s).value); break;
  case StmtKind::Import:
  case StmtKind::ImportFrom:
  case StmtKind::Global:
  case StmtKind::Nonlocal:
  case StmtKind::Pass:
  case StmtKind::Break:
  case StmtKind::Continue: break;
  default: compoundParts(s, parts);
  }
}

bool containsYield(Body body) {
  for (const Stmt *statement : body)
    if (yields(statement))
      return true;
  return false;
}

const Stmt *returnOfValue(Body body) {
  const Stmt *found = nullptr;
  SyntaxVisitor visitor;
  visitor.expression = [](const Expr *) {};
  visitor.statement = [&](const Stmt *statement) {
    auto *end = dynCast<Return>(statement);
    if (end && end->value && !found)
      found = statement;
    if (statement->kind != StmtKind::FunctionDef && statement->kind != StmtKind::ClassDef)
      visitParts(statement, visitor);
  };
  for (const Stmt *statement : body)
    visitor.statement(statement);
  return found;
}

void boundNames(const Stmt *s, std::vector<std::string_view> &names) {
  switch (s->kind) {
  case StmtKind::FunctionDef:
  case StmtKind::AsyncFunctionDef: names.push_back(static_cast<const FunctionDef *>(s)->name); return;
  case StmtKind::ClassDef: names.push_back(static_cast<const ClassDef *>(s)->name); return;
  case StmtKind::Assign:
    for (const Expr *target : cast<Assign>(s).targets)
      targetNames(target, names);
    return;
  case StmtKind::AugAssign: targetNames(cast<AugAssign>(s).target, names); return;
  case StmtKind::AnnAssign:
    if (cast<AnnAssign>(s).value)
      targetNames(cast<AnnAssign>(s).target, names);
    return;
  case StmtKind::Import:
    for (const Alias *alias : cast<Import>(s).names)
      names.push_back(alias->asname.empty() ? alias->name.substr(0, alias->name.find('.')) : alias->asname);
    return;
  case StmtKind::ImportFrom:
    for (const Alias *alias : cast<ImportFrom>(s).names)
      if (alias->name != "*")
        names.push_back(alias->asname.empty() ? alias->name : alias->asname);
    return;
  case StmtKind::For:
  case StmtKind::AsyncFor: targetNames(static_cast<const For *>(s)->target, names); break;
  case StmtKind::With:
  case StmtKind::AsyncWith:
    for (const WithItem *item : static_cast<const With *>(s)->items)
      if (item->optionalVars)
        targetNames(item->optionalVars, names);
    break;
  default: break;
  }
  visitParts(s, {{}, [&](const Stmt *part) { boundNames(part, names); }});
}

} // namespace nereid::lang
