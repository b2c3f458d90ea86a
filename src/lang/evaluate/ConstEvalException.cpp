// ConstEvalException.cpp: raise and try in compile-time Python, and match.
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>

namespace nereid::lang {

using namespace syntax;

namespace {

constexpr uint64_t kExceptionCost = 200; // in steps: unwinding takes that long

bool isSubclassByName(const std::string &thrown, const Class &wanted) {
  if (thrown == wanted.name)
    return true;
  std::shared_ptr<Class> cls = libraryClass(thrown);
  return cls && cls->isSubclassOf(wanted);
}

} // namespace

void ConstEval::executeRaise(const Raise &raise) {
  if (!raise.exc)
    session.fail("the exception is raised again", {}, "RuntimeError");
  Value exception = evaluate(raise.exc, activation->scope);
  if (exception.object<Class>())
    exception = call(exception, Values{});
  auto *instance = exception.get<std::shared_ptr<Instance>>();
  raised = instance ? *instance : nullptr;
  std::string text = textOf(exception);
  std::string name = instance ? (*instance)->cls->name : "Exception";
  session.fail(text.empty() ? "`" + name + "` is raised" : text, {}, name);
}

bool ConstEval::catches(const ExceptHandler &handler, const CompileError &error) {
  if (!handler.type)
    return true;
  Value type = evaluate(handler.type, activation->scope);
  Values candidates = type.asTuple() ? type.asTuple()->items : Values{type};
  for (const Value &candidate : candidates) {
    auto *cls = candidate.object<Class>();
    if (!cls)
      continue;
    bool isOwn = raised && raised->cls->name == error.pythonType && raised->cls->isSubclassOf(*cls);
    if (isOwn || cls->name == "Exception" || cls->name == "BaseException" || isSubclassByName(error.pythonType, *cls))
      return true;
  }
  return false;
}

Flow ConstEval::executeTry(const Try &attempt) {
  bool wasLenient = activation->isLenient;
  Flow flow = Flow::Normal;
  bool isCaught = false;
  struct Restore {
    Activation &activation;
    bool saved;
    ~Restore() { activation.isLenient = saved; }
  };
  for (const Stmt *statement : attempt.body) {
    try {
      Restore restore{*activation, wasLenient};
      activation->isLenient = false;
      flow = execute(statement);
    } catch (const CompileError &error) {
      if (error.isFinal)
        throw;
      session.step(kExceptionCost);
      auto handler = std::ranges::find_if(attempt.handlers, [&](auto *h) { return catches(*h, error); });
      if (handler == attempt.handlers.end()) {
        if (!wasLenient)
          throw;
        bindOpaque(statement, error.diagnostic.message); // and the rest of the body goes on, as module code does
        continue;
      }
      isCaught = true;
      if (!(*handler)->name.empty()) {
        bool isOwn = raised && raised->cls->name == error.pythonType;
        auto exception = isOwn ? raised : makeInstance(libraryClass(error.pythonType) ? error.pythonType : "Exception");
        exception->fields.try_emplace("args", Value::tuple({Value(error.diagnostic.message)}));
        bind((*handler)->name, exception, activation->scope);
      }
      flow = execute((*handler)->body);
      if (!(*handler)->name.empty()) // the name ends with the handler
        unbind((*handler)->name);
    }
    if (flow != Flow::Normal || isCaught)
      break;
  }
  if (!isCaught && flow == Flow::Normal)
    flow = execute(attempt.orelse);
  if (Flow last = execute(attempt.finalbody); last != Flow::Normal)
    return last;
  return flow;
}

Flow ConstEval::executeMatch(const Match &match) {
  Value subject = evaluate(match.subject, activation->scope);
  for (const MatchCase *each : match.cases)
    if (matches(each->pattern, subject) && (!each->guard || truth(evaluate(each->guard, activation->scope))))
      return execute(each->body);
  return Flow::Normal;
}

bool ConstEval::matches(const Pattern *pattern, const Value &subject) {
  const std::shared_ptr<Scope> &scope = activation->scope;
  switch (pattern->kind) {
  case PatternKind::MatchValue:
    return truth(
        compare(CompareOperator::Eq, subject, evaluate(static_cast<const MatchValue *>(pattern)->value, scope)));
  case PatternKind::MatchSingleton:
    return identical(subject, constantOf(*static_cast<const MatchSingleton *>(pattern)->value));
  case PatternKind::MatchAs: {
    auto &as = *static_cast<const MatchAs *>(pattern);
    if (as.pattern && !matches(as.pattern, subject))
      return false;
    if (!as.name.empty())
      bind(as.name, subject, scope);
    return true;
  }
  case PatternKind::MatchOr:
    return std::ranges::any_of(static_cast<const MatchOr *>(pattern)->patterns,
                               [&](auto *each) { return matches(each, subject); });
  case PatternKind::MatchSequence: {
    auto patterns = static_cast<const MatchSequence *>(pattern)->patterns;
    if (!subject.asTuple() && !subject.object<ListObject>())
      return false;
    Values items = iterate(subject);
    if (items.size() != patterns.size())
      return false;
    for (size_t i = 0; i < items.size(); ++i)
      if (!matches(patterns[i], items[i]))
        return false;
    return true;
  }
  case PatternKind::MatchClass: {
    auto &form = *static_cast<const MatchClass *>(pattern);
    Value wanted = evaluate(form.cls, scope);
    if (!isInstance(subject, wanted))
      return false;
    // The one position of an int, a str … is the object itself; other classes name what stands there.
    auto *cls = wanted.object<Class>();
    bool isItself = cls && !cls->module;
    Value names = form.patterns.empty() || isItself ? Value() : attribute(wanted, "__match_args__");
    for (size_t i = 0; i < form.patterns.size(); ++i) {
      bool isNamed = names.asTuple() && i < names.asTuple()->items.size();
      if (!isNamed && !(isItself && i == 0))
        session.fail("a `" + typeName(subject) + "` has no position " + std::to_string(i) + " to match", {},
                     "TypeError");
      Value field = isNamed ? attribute(subject, toString(names.asTuple()->items[i])) : subject;
      if (!field || !matches(form.patterns[i], field))
        return false;
    }
    for (size_t i = 0; i < form.kwdAttrs.size(); ++i)
      if (Value field = attribute(subject, std::string(form.kwdAttrs[i]));
          !field || !matches(form.kwdPatterns[i], field))
        return false;
    return true;
  }
  case PatternKind::MatchMapping:
  case PatternKind::MatchStar: break;
  }
  session.fail("this pattern is not supported at compile time");
}

} // namespace nereid::lang
