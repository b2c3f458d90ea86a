// KernelEmitter.h: walks the body of a kernel and emits tile IR. Calls of jit functions are emitted in place, and all
// control flow is structured: an early return puts the rest of the function into the other branch.
#pragma once

#include "lang/emit/Aliases.h"
#include "lang/emit/Emitter.h"

#include "mlir/IR/BuiltinOps.h"

#include <set>

namespace nereid::lang {

// A name that had a value on some path only; reading it is an error that says why.
struct LostName {
  std::string reason; // "is assigned only in one branch of this `if`"
  SourceRef source;
  SourceRange range;
};

class KernelEmitter final : public Emitter {
public:
  using Emitter::Emitter;

  mlir::ModuleOp module;   // where functions that are not inlined go; regions under construction have no parent
  bool takesNotes = false; // for those who watch the kernel run: EmitNotes.h

  // Emits the body of `function` with its parameters bound to `arguments`; gives what it returns (None without one).
  Value emitFunction(const Function &function, std::map<std::string, Value> arguments);
  Value call(const Value &callee, std::vector<CallArgument> arguments) override;

private:
  using Locals = std::map<std::string, Value, std::less<>>;

  // One function being emitted.
  struct Frame {
    const Function *function;
    Locals locals;
    std::map<std::string, LostName, std::less<>> lost;
    std::map<std::string, SourceRange, std::less<>> assignedAt;
    std::map<std::string, const syntax::Stmt *, std::less<>> constexprBy; // the statement that made a local a constexpr
    int loopDepth = 0;
    bool isQuiet = false; // no notes are taken
  };

  // Statements still to run after the current list: the rest of the enclosing lists, innermost first.
  struct Rest {
    syntax::Body body;
    const Rest *next = nullptr;
  };
  // What a list of statements led to: it ran through, or returned a value.
  struct Outcome {
    bool returned = false;
    Value result;
    SourceRange place; // of the `return`
  };
  // A region being filled: its block and the names as they are at its end.
  struct Branch {
    mlir::Block *block = nullptr;
    Locals locals;
    std::map<std::string, LostName, std::less<>> lost;
    Outcome outcome;
  };
  // The variables that a loop carries: their values before it, and those flattened to SSA values.
  struct Carried {
    std::vector<std::string> names;
    Values initial;
    std::vector<mlir::Value> flat;
  };

  // Statements (EmitStatements.cpp).
  Outcome emitStatements(syntax::Body body, const Rest *rest);
  Outcome emitStatement(const syntax::Stmt *statement, const Rest &rest, bool &consumedRest);
  Outcome emitWith(const syntax::With &with);
  void emitAssign(const syntax::Assign &assign);
  void emitAugAssign(const syntax::AugAssign &assign);
  void emitAnnAssign(const syntax::AnnAssign &assign);
  void emitAssert(const syntax::Assert &statement);
  void emitExpressionStatement(const syntax::ExprStmt &statement);
  void assignTarget(const syntax::Expr *target, const Value &value);
  void assignName(std::string_view name, Value value, SourceRange range);
  Value toAssigned(const Value &value); // numbers become tensors
  Value toAssigned(const syntax::Expr *target, const Value &value);

  // Notes (EmitNotes.cpp).
  bool takesNotesHere();
  void emitNote(std::string_view name, const std::string &text, llvm::ArrayRef<mlir::Value> values, bool isSigned);
  void noteStatement();
  void noteValue(const std::string &name, const Value &value);
  void noteArguments();

  // Branches (EmitBranches.cpp).
  Outcome emitIf(const syntax::If &statement, const Rest &rest, bool &consumedRest);
  Outcome emitReturningIf(const syntax::If &statement, const Tensor &condition, const Rest &rest);
  void emitMergingIf(const syntax::If &statement, const Tensor &condition);
  Value emitIfExpression(const syntax::IfExp &expression);
  template <class Fill> Branch fillBranch(mlir::Region &region, Fill fill);
  // Yields `values` of both branches from a new scf.if that takes over the branches' blocks.
  std::vector<mlir::Value> finishIf(mlir::Value condition, Branch &thenBranch, Branch &elseBranch,
                                    const std::vector<Value> &thenValues, const std::vector<Value> &elseValues);
  Value standingForBoth(const Value &thenValue, const Value &elseValue);
  bool mergeKinds(Value &a, mlir::Block *aBlock, Value &b, mlir::Block *bBlock);

  // Loops (EmitLoops.cpp).
  void emitFor(const syntax::For &loop);
  void emitUnrolledFor(const syntax::For &loop, const Values &items);
  void emitDynamicFor(const syntax::For &loop, const RangeObject &range);
  void emitWhile(const syntax::While &loop);
  void emitLoop(syntax::Body body, SourceRange place, llvm::function_ref<mlir::Operation *(const Carried &)> open);
  std::set<std::string> assignedBy(syntax::Body body);
  Carried gatherCarried(syntax::Body body, const std::set<std::string> &promoted);
  bool mustEmitAgain(const Carried &carried, Locals &before, SourceRange loop, std::set<std::string> &promoted);
  void bindCarried(const Carried &carried, mlir::ValueRange values);
  Values valuesAtEnd(const Carried &carried, SourceRange loop);
  std::vector<mlir::Value> carriedAtEnd(const Carried &carried, SourceRange loop);
  void requireSameAliases(const Carried &carried, const Values &ends, const Locals &before, SourceRange loop);
  void boundUnrolling(mlir::Operation *loop, SourceRange place);
  bool isReadOutsideOfLoops(std::string_view name);
  [[noreturn]] void failLoopType(const std::string &name, const Value &before, const Value &after, SourceRange loop);
  void dropInnerNames(const Locals &before, SourceRange loop, std::string_view what);

  // Expressions (EmitExpressions.cpp).
  Value evaluate(const syntax::Expr *expression);
  Value evaluateKind(const syntax::Expr *expression);
  Value evaluateDict(const syntax::Dict &dict);
  Value evaluateName(const syntax::Name &name);
  [[noreturn]] void failUndefined(std::string_view name);
  [[noreturn]] void failAttribute(const Value &object, const std::string &name, const syntax::Expr *written);
  Value evaluateGlobal(std::string_view name, const Value &value);
  Value evaluateAttribute(const syntax::Attribute &attribute);
  Value attributeOf(const Value &object, const std::string &name); // no value when there is none
  Value evaluateSubscript(const syntax::Subscript &subscript);
  Value evaluateBinary(syntax::BinaryOperator op, const Value &lhs, const Value &rhs);
  Value evaluateUnary(const syntax::UnaryOp &expression);
  Value evaluateCompare(const syntax::Compare &expression);
  Value evaluateBool(const syntax::BoolOp &expression);
  Value evaluateListComp(const syntax::ListComp &expression);
  Value evaluateNamed(const syntax::NamedExpr &expression);
  void refuseNamed(const syntax::Expr *expression, const std::string &where);
  Value evaluateJoinedStr(const syntax::JoinedStr &expression);
  Value evaluateItems(syntax::ExprList items);
  bool isPlainCondition(const Value &value);

  // Calls (EmitCalls.cpp).
  Value evaluateCall(const syntax::Call &expression);
  std::vector<CallArgument> evaluateArguments(const syntax::Call &expression);
  Value callFunction(const std::shared_ptr<Function> &function, std::vector<CallArgument> arguments);
  Value callOutOfLine(const std::shared_ptr<Function> &function, std::map<std::string, Value> bound);
  Value callClass(const std::shared_ptr<Class> &cls, std::vector<CallArgument> arguments);
  Value callChanging(const BoundMethod &method, std::vector<CallArgument> arguments, SourceRange at);
  void refuseOtherNames(const Instance *changed, SourceRange at);
  Value callPythonName(std::string_view name, const Value &callee, std::vector<CallArgument> &arguments);
  Value callExtremum(std::string_view name, const Value &callee, std::vector<CallArgument> &arguments);
  std::map<std::string, Value> bindParameters(const Function &function, std::vector<CallArgument> &arguments);

  Frame &frame() { return *current; }
  Frame *current = nullptr;
  const syntax::Expr *unusedCall = nullptr; // the call whose result the current statement drops
  unsigned outlinedCount = 0;
  Aliases aliases;
  unsigned changes = 0;    // calls of methods that changed their objects
  int64_t unrolledOps = 0; // what loops with a `loop_unroll_factor` become
  // The names of each function that are mentioned anywhere but in the loops that give them their values.
  std::map<const syntax::FunctionDef *, std::set<std::string_view>> readOutside;
  std::map<std::string, std::pair<std::string, Value>>
      outlined; // noinline instances: key -> function name, result shape
};

// Why a kernel may not read a global; an empty message when it may. The emitter and the audit share this rule.
struct GlobalProblem {
  std::string message, help;
};
GlobalProblem globalProblem(std::string_view name, const Value &value, bool allowPlainGlobals);
// One of Python's own names that a kernel may use (len, range, min, float, print …); no value otherwise.
Value pythonName(std::string_view name, Session &session);
// What to write in place of one of Python's names that kernels do not have.
std::vector<std::string> pythonNameHelp(std::string_view name);
// True when both have the same run-time structure (types, tuple shapes) and equal constants.
bool sameKind(const Value &a, const Value &b);
// True when both stand for the very same SSA values and constants.
bool sameValue(const Value &a, const Value &b);
// The type of a value for messages: f32[128, 64], i32, None, tuple(i32, f32).
std::string describe(const Value &value);
bool containsReturn(syntax::Body body);
// Whether a function of Python is written for the compiler of kernels: it may then call functions of the language.
bool takesSemantic(const Function &function);
// Whether a kernel may call a function that is not decorated: one that takes `_semantic`, or a member of an aggregate.
bool isCallableAsIs(const Function &function);
// Whether the call of a method may store to the fields of its object: a method of Python of an aggregate.
bool mayChange(const Value &self, const Value &method);
// Names that a list of statements assigns, nested statements included.
void collectAssigned(syntax::Body body, std::set<std::string> &names);

} // namespace nereid::lang
