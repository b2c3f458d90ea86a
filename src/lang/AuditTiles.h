// AuditTiles.h: which names of a kernel certainly stand for tiles or numbers of the run time, before any type is known.
#pragma once

#include "lang/Function.h"
#include "syntax/Ast.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nereid::lang {

class AuditTiles {
public:
  // `builtinOf` gives the name of the function of the language that a callee is, or "".
  AuditTiles(const Function &function, std::function<std::string(const syntax::Expr *)> builtinOf);

  // Whether it is a value of the run time on every path.
  bool isTile(const syntax::Expr *expression) const;
  // Whether it is a parameter that the kernel loads from or stores to.
  bool isPointer(const syntax::Expr *expression) const;

private:
  void collect(const syntax::Stmt *statement);
  void collect(const syntax::Expr *expression);
  void collectAddress(const syntax::Expr *address);
  void bind(const syntax::Expr *target, const syntax::Expr *value);

  std::function<std::string(const syntax::Expr *)> builtinOf;
  std::map<std::string, std::vector<const syntax::Expr *>, std::less<>> assigned; // null: by something else than `=`
  std::set<std::string, std::less<>> parameters, pointers;
  mutable std::set<std::string, std::less<>> asked; // names that wait for an answer: `x = x + 1`
};

} // namespace nereid::lang
