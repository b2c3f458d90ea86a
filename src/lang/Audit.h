// Audit.h: whether a jit function can be compiled, without arguments to compile it for: every construct, name, call and
// keyword in it is held against the tables and the resolver that the emitter uses.
#pragma once

#include "lang/Function.h"
#include "lang/Session.h"

namespace nereid::lang {

struct AuditProblem {
  SourceRange range; // in the source of the function's module
  std::string reason;
};

// What keeps the function from being compiled, in source order; empty when it is supported. Code that a compile-time
// `if` on module-level values leaves out is not looked at.
std::vector<AuditProblem> auditFunction(Session &session, const Function &function);

} // namespace nereid::lang
