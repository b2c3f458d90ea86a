// Evaluate.h: the compile-time evaluator as code outside of src/lang sees it: errors are reported, never thrown.
#pragma once

#include "lang/evaluate/ConstEval.h"

namespace nereid::lang {

// The value of a Python expression given as text (a grid, an argument of the command line); nothing after reporting.
// `what` names the text in messages. The syntax tree lives as long as the value's functions may be called: it is kept
// in `trees`.
std::optional<Value> evaluateText(Session &session, const std::string &what, const std::string &text,
                                  const std::shared_ptr<Scope> &scope,
                                  std::vector<std::shared_ptr<syntax::ParsedFile>> &trees);

// Calls a lambda or function of the source with constants; nothing after reporting.
std::optional<Value> callReporting(Session &session, const Value &callee, Values arguments);
// The same with arguments by name after those by position.
std::optional<Value> callReporting(Session &session, const Value &callee, std::vector<CallArgument> arguments);

// An attribute of a module or object (`triton.cdiv`); no value when there is none.
Value attributeOf(Session &session, const Value &object, const std::string &name);

} // namespace nereid::lang
