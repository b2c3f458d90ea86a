#include "lang/evaluate/Evaluate.h"

#include "syntax/Parser.h"

namespace nereid::lang {

namespace {

// Runs `work`, which may throw a CompileError; reports it and gives nothing then.
template <class Work> std::optional<Value> reporting(Session &session, Work work) {
  try {
    return work();
  } catch (CompileError &error) {
    session.report(std::move(error));
    return std::nullopt;
  }
}

} // namespace

std::optional<Value> evaluateText(Session &session, const std::string &what, const std::string &text,
                                  const std::shared_ptr<Scope> &scope,
                                  std::vector<std::shared_ptr<syntax::ParsedFile>> &trees) {
  auto source = std::make_shared<const Source>(what, text);
  auto file = std::make_shared<syntax::ParsedFile>(syntax::parseFile(source, session.diagnostics));
  if (session.diagnostics.hasErrors())
    return std::nullopt;
  const auto *statement = file->body.size() == 1 ? syntax::dynCast<syntax::ExprStmt>(file->body.front()) : nullptr;
  if (!statement) {
    session.diagnostics.error(source, {0, static_cast<uint32_t>(text.size())}, "expected one Python expression");
    return std::nullopt;
  }
  trees.push_back(file);
  return reporting(session, [&] {
    Session::Enter enter(session, source, what, statement->range);
    return ConstEval(session).evaluate(statement->value, scope);
  });
}

std::optional<Value> callReporting(Session &session, const Value &callee, Values arguments) {
  std::vector<CallArgument> list;
  for (Value &argument : arguments)
    list.push_back({std::move(argument), "", {}});
  return callReporting(session, callee, std::move(list));
}

std::optional<Value> callReporting(Session &session, const Value &callee, std::vector<CallArgument> list) {
  return reporting(session, [&] {
    const Function *function = callee.object<Function>();
    SourceRef source = function && function->module ? function->module->source : nullptr;
    Session::Enter enter(session, source, function ? function->name : "call",
                         function ? function->nameRange() : SourceRange{});
    return ConstEval(session).call(callee, std::move(list));
  });
}

Value attributeOf(Session &session, const Value &object, const std::string &name) {
  return reporting(session, [&] { return ConstEval(session).attribute(object, name); }).value_or(Value());
}

} // namespace nereid::lang
