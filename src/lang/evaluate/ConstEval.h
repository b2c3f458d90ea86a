// ConstEval.h: the compile-time Python: module-level code, constexpr functions, config lists, heuristics, grids.
// A small evaluator of expressions and statements with bounded steps and memory. It never runs host code: a call it
// does not know gives an Opaque value, and what is computed from one is opaque too. Only a kernel that uses one fails.
#pragma once

#include "lang/Builtin.h"
#include "lang/Function.h"
#include "lang/Session.h"

#include <functional>
#include <set>

namespace nereid::lang {

// How a statement ended.
enum class Flow { Normal, Break, Continue, Return };

// A module, class or function body being executed.
struct Activation {
  std::shared_ptr<Module> module;
  std::shared_ptr<Scope> scope;
  std::set<std::string_view> globals, nonlocals; // names declared so
  // Module-level code: a statement that fails makes the names it binds opaque, and the next one goes on; an `if` on an
  // unknown condition executes both branches.
  bool isLenient = false;
  Value result;              // of `return`
  Values *yielded = nullptr; // of a generator, which is run to its end at once
};

class ConstEval {
public:
  explicit ConstEval(Session &session) : session(session) {}
  Session &session;

  Value evaluate(const syntax::Expr *expression, const std::shared_ptr<Scope> &scope);
  // Calls a plain function, lambda, constexpr function, class, library function or bound method of constants.
  Value call(const Value &callee, std::vector<CallArgument> arguments);
  Value call(const Value &callee, Values arguments); // all positional

  // Python's operators on constants; they fail with Python's own words.
  Value binary(syntax::BinaryOperator op, const Value &lhs, const Value &rhs);
  Value augmented(syntax::BinaryOperator op, const Value &current, const Value &operand); // `+=`
  Value unary(syntax::UnaryOperator op, const Value &operand);
  Value compare(syntax::CompareOperator op, const Value &lhs, const Value &rhs);
  bool truth(const Value &value);
  // An attribute of anything but a Tensor: modules, classes, instances, dtypes, named tuples, str and dict methods …
  // No value when there is none.
  Value attribute(const Value &object, const std::string &name);
  void setAttribute(const Value &object, const std::string &name, const Value &value);
  void deleteAttribute(const Value &object, const std::string &name);
  Value subscript(const Value &object, const Value &index);
  Progression selected(const SliceObject &slice, Integer size); // the positions that a slice selects
  std::string format(const Value &value, char conversion, const std::string &spec); // one f-string field
  // The items of a tuple, list, range, dict … of constants.
  Values iterate(const Value &iterable);
  Progression progression(const RangeObject &range); // fails where progressionOf gives none
  // The same items one by one, for whoever may stop early or changes what it loops over.
  class Cursor {
  public:
    Cursor(ConstEval &eval, const Value &iterable);
    std::optional<Value> next();

  private:
    ConstEval &eval;
    Value iterable;
    Values items; // of what is neither a list, a tuple, a range nor an iterator
    std::optional<Progression> numbers;
    bool isIterator = false;
    DictObject *dict = nullptr; // which must not change its size
    size_t dictSize = 0, position = 0;
  };
  Value constantOf(const syntax::Constant &constant); // a literal

  // The text that str() and repr() give: a class may define __str__ and __repr__.
  std::string textOf(const Value &value);
  std::string reprOf(const Value &value);
  std::string asciiOf(const Value &value);
  bool isLess(const Value &a, const Value &b);
  bool areEqual(const Value &a, const Value &b);      // with a class's __eq__
  bool areEqualItems(const Value &a, const Value &b); // of containers: the same object is equal to itself

  // Statements, in the current activation.
  Flow execute(syntax::Body body);
  Flow execute(const syntax::Stmt *statement);
  // Executes a whole module body, statement by statement.
  void executeModule(const std::shared_ptr<Module> &module);
  void assign(const syntax::Expr *target, const Value &value, const std::shared_ptr<Scope> &scope);
  // A function of the source as a value, with its decorators applied or not.
  std::shared_ptr<Function> makeFunction(const syntax::FunctionDef &definition, const std::shared_ptr<Scope> &scope);
  Value define(const syntax::FunctionDef &definition, const std::shared_ptr<Scope> &scope);
  Value defineClass(const syntax::ClassDef &definition, const std::shared_ptr<Scope> &scope);

  // Counts the making of `count` items, or of `bytes` of text in a value of `size` bytes; fails above the limit for one
  // value.
  void allocate(size_t count);
  void allocateText(size_t bytes, size_t size);
  void allocateText(size_t bytes) { allocateText(bytes, bytes); }
  // Every name that a statement binds becomes opaque, with the reason.
  void bindOpaque(const syntax::Stmt *statement, const std::string &reason);

  Activation *activation = nullptr; // the innermost body

  static constexpr size_t kMaxItems = 1 << 20;
  static constexpr size_t kMaxTextBytes = 1 << 24;
  static constexpr int kMaxNesting = 1000; // of expressions and statements, over all calls

private:
  Value evaluateKind(const syntax::Expr *expression, const std::shared_ptr<Scope> &scope);
  Value evaluateName(const syntax::Name &name, const std::shared_ptr<Scope> &scope);
  Value evaluateBool(const syntax::BoolOp &operation, const std::shared_ptr<Scope> &scope);
  Value evaluateCompare(const syntax::Compare &comparison, const std::shared_ptr<Scope> &scope);
  Value evaluateConditional(const syntax::IfExp &conditional, const std::shared_ptr<Scope> &scope);
  Value evaluateCall(const syntax::Call &call, const std::shared_ptr<Scope> &scope);
  Value evaluateSuper(const std::shared_ptr<Scope> &scope);
  Value evaluateAttribute(const syntax::Attribute &attribute, const std::shared_ptr<Scope> &scope);
  Value evaluateText(const syntax::JoinedStr &text, const std::shared_ptr<Scope> &scope);
  Value evaluateDict(const syntax::Dict &dict, const std::shared_ptr<Scope> &scope);
  Value evaluateLambda(const syntax::Lambda &lambda, const std::shared_ptr<Scope> &scope);
  Value evaluateComprehension(const syntax::Expr *expression, const std::shared_ptr<Scope> &scope);
  Value evaluateYield(const syntax::Expr *value, bool from, const std::shared_ptr<Scope> &scope);
  Values evaluateItems(syntax::ExprList items, const std::shared_ptr<Scope> &scope); // with `*items` spread out
  // The first thing to loop over belongs to `outer`. False when it could not be known.
  bool forEachItem(syntax::List<syntax::Comprehension> generators, const std::shared_ptr<Scope> &outer,
                   const std::shared_ptr<Scope> &scope, const std::function<void()> &visit);

  Value integerBinary(syntax::BinaryOperator op, Integer lhs, Integer rhs);
  Value floatBinary(syntax::BinaryOperator op, double lhs, double rhs);
  Value sequenceBinary(syntax::BinaryOperator op, const Value &lhs, const Value &rhs);
  Value setBinary(syntax::BinaryOperator op, const SetObject &lhs, const SetObject &rhs);
  Value viewBinary(syntax::BinaryOperator op, const Value &lhs, const Value &rhs);
  std::shared_ptr<SetObject> asSet(const Value &value); // a set, or the keys or items of a dict; null for all else
  Value repeat(const Value &sequence, Integer count);
  // What the class of `object` answers: no value where it has no such method or gives NotImplemented.
  Value askObject(const Value &object, const char *method, const Value &operand);
  Value compareObjects(syntax::CompareOperator op, const Value &lhs, const Value &rhs);
  Value userOperator(const char *forward, const char *reflected, const Value &lhs, const Value &rhs);
  bool order(syntax::CompareOperator op, const Value &lhs, const Value &rhs);
  bool contains(const Value &container, const Value &item);

  Value callFunction(const std::shared_ptr<Function> &function, std::vector<CallArgument> arguments);
  Value callLibrary(const LibraryFunction &function, std::vector<CallArgument> arguments);
  Value instantiate(const std::shared_ptr<Class> &cls, std::vector<CallArgument> arguments);
  Value makeNamedTuple(const std::shared_ptr<Class> &cls, std::vector<CallArgument> arguments);
  Value enumMember(const std::shared_ptr<Class> &cls, const std::vector<CallArgument> &arguments);
  void bindFields(const std::shared_ptr<Instance> &instance, const std::vector<CallArgument> &arguments);
  void makeEnumMembers(const std::shared_ptr<Class> &cls, syntax::Body body);
  std::vector<Parameter> makeParameters(const syntax::Arguments &arguments, const std::shared_ptr<Scope> &scope);

  void capture(Function &function, std::shared_ptr<Scope> scope);

  Value instanceAttribute(const std::shared_ptr<Instance> &instance, const std::string &name);
  Value classAttribute(const std::shared_ptr<Class> &cls, const std::string &name);
  Value tupleAttribute(const Value &object, const Tuple &tuple, const std::string &name);
  Value sliceOf(const Value &object, const SliceObject &slice);

  Flow executeKind(const syntax::Stmt *statement);
  Flow executeLeniently(const syntax::Stmt *statement);
  Flow executeIf(const syntax::If &conditional);
  Flow executeBoth(const syntax::If &conditional);
  Flow executeFor(const syntax::For &loop);
  Flow executeWhile(const syntax::While &loop);
  Flow executeTry(const syntax::Try &attempt);
  Flow executeWith(const syntax::With &with);
  Flow executeMatch(const syntax::Match &match);
  bool matches(const syntax::Pattern *pattern, const Value &subject);
  void executeAugmented(const syntax::AugAssign &statement);
  bool changeInPlace(syntax::BinaryOperator op, const Value &current, const Value &operand);
  void unbind(std::string_view name);
  void executeDelete(const syntax::Expr *target);
  [[noreturn]] void executeRaise(const syntax::Raise &raise);
  void executeImport(const syntax::Import &import);
  void executeImportFrom(const syntax::ImportFrom &import);
  void bind(std::string_view name, const Value &value, const std::shared_ptr<Scope> &scope);
  bool catches(const syntax::ExceptHandler &handler, const CompileError &error);

  int nesting = 0;
  size_t lenientFailures = 0;
  std::shared_ptr<Instance> raised; // the exception object of the latest `raise`
};

} // namespace nereid::lang
