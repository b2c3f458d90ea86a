#include "lang/AuditTiles.h"

#include "lang/SyntaxWalk.h"

#include <algorithm>

using namespace nereid::syntax;

namespace nereid::lang {

AuditTiles::AuditTiles(const Function &function, std::function<std::string(const Expr *)> builtinOf)
    : builtinOf(std::move(builtinOf)) {
  for (const Parameter &parameter : function.parameters)
    parameters.insert(parameter.name);
  for (const Stmt *statement : function.definition->body)
    collect(statement);
}

void AuditTiles::bind(const Expr *target, const Expr *value) {
  if (auto *name = dynCast<Name>(target))
    assigned[std::string(name->id)].push_back(value);
  else
    visitParts(target, {[&](const Expr *part) { bind(part, nullptr); }, [](const Stmt *) {}});
}

void AuditTiles::collect(const Stmt *statement) {
  SyntaxVisitor inner{[this](const Expr *e) { collect(e); }, [this](const Stmt *s) { collect(s); }};
  switch (statement->kind) {
  case StmtKind::Assign: {
    auto *assign = dynCast<Assign>(statement);
    for (const Expr *target : assign->targets)
      bind(target, assign->targets.size() == 1 ? assign->value : nullptr);
    break;
  }
  case StmtKind::AnnAssign: bind(dynCast<AnnAssign>(statement)->target, nullptr); break;
  case StmtKind::AugAssign: break; // keeps the kind of value that the name has
  case StmtKind::For: bind(static_cast<const For *>(statement)->target, nullptr); break;
  case StmtKind::With:
    for (const WithItem *item : static_cast<const With *>(statement)->items)
      if (item->optionalVars)
        bind(item->optionalVars, nullptr);
    break;
  default: break;
  }
  visitParts(statement, inner);
}

void AuditTiles::collect(const Expr *expression) {
  if (auto *named = dynCast<NamedExpr>(expression))
    bind(named->target, nullptr);
  if (auto *comprehension = dynCast<ListComp>(expression))
    for (const Comprehension *generator : comprehension->generators)
      bind(generator->target, nullptr);
  if (auto *call = dynCast<Call>(expression); call && !call->args.empty())
    if (std::string name = builtinOf(call->func); name == "load" || name == "store" || name.starts_with("atomic_"))
      collectAddress(call->args[0]);
  visitParts(expression, {[this](const Expr *e) { collect(e); }, [this](const Stmt *s) { collect(s); }});
}

// In `p + a + b` the pointer comes first, as people write it.
void AuditTiles::collectAddress(const Expr *address) {
  while (auto *sum = dynCast<BinOp>(address)) {
    if (sum->op != BinaryOperator::Add && sum->op != BinaryOperator::Sub)
      return;
    address = sum->left;
  }
  if (auto *name = dynCast<Name>(address); name && parameters.contains(name->id))
    pointers.insert(std::string(name->id));
}

bool AuditTiles::isPointer(const Expr *expression) const {
  auto *name = dynCast<Name>(expression);
  return name && pointers.contains(name->id) && !assigned.contains(name->id);
}

bool AuditTiles::isTile(const Expr *expression) const {
  if (auto *name = dynCast<Name>(expression)) {
    auto found = assigned.find(name->id);
    if (found == assigned.end() || parameters.contains(name->id))
      return false;
    if (!asked.insert(std::string(name->id)).second)
      return true; // decided by its other values
    bool areTiles = std::ranges::all_of(found->second, [&](const Expr *value) { return value && isTile(value); });
    asked.erase(std::string(name->id));
    return areTiles;
  }
  if (auto *binary = dynCast<BinOp>(expression))
    return isTile(binary->left) || isTile(binary->right);
  if (auto *call = dynCast<Call>(expression)) {
    static constexpr std::string_view kMakers[] = {"arange", "full",  "load", "program_id", "num_programs",
                                                   "zeros",  "where", "dot",  "zeros_like"};
    return std::ranges::find(kMakers, builtinOf(call->func)) != std::end(kMakers);
  }
  return false;
}

} // namespace nereid::lang
