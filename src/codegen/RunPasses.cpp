#include "codegen/RunPasses.h"

#include "codegen/LineTable.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace nereid::codegen {

namespace {

// "kernel.py:12:5: remark: …"
std::string lineAt(Location location, const char *kind, const std::string &message) {
  std::string place;
  if (FileLineColRange range = innermost(location))
    place = range.getFilename().str() + ":" + std::to_string(range.getStartLine()) + ":" +
            std::to_string(range.getStartColumn()) + ": ";
  return place + kind + ": " + message + "\n";
}

// What is said while passes run, apart from what the verifier says.
struct Listener {
  std::string error, complaint, *remarks;
  bool isVerifying = false;

  LogicalResult hear(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark && remarks)
      *remarks += lineAt(diagnostic.getLocation(), "remark", diagnostic.str());
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    if (isVerifying && complaint.empty())
      complaint = diagnostic.str();
    else if (!isVerifying && error.empty())
      error = lineAt(diagnostic.getLocation(), "error", diagnostic.str());
    return success();
  }

  void check(Operation *op, StringRef pass) {
    if (!complaint.empty())
      return;
    isVerifying = true;
    if (failed(verify(op)))
      complaint = (pass.empty() ? "" : "after " + pass.str() + ": ") + complaint;
    isVerifying = false;
  }
};

thread_local PassTrace *currentTrace = nullptr;
PassFault passFault = nullptr;

std::string textOf(Operation *op) {
  if (auto module = op->getParentOfType<ModuleOp>())
    op = module;
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

struct VerifyAfterEach : PassInstrumentation {
  explicit VerifyAfterEach(Listener &listener) : listener(listener) {}
  void runBeforePass(Pass *pass, Operation *op) override {
    if (PassTrace *trace = currentTrace; trace && trace->pass.empty() && !pass->getArgument().empty())
      trace->ir = textOf(op);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (passFault) {
      passFault(pass->getArgument(), op);
      return check(pass, op);
    }
    if (PassTrace *trace = currentTrace; trace && trace->pass.empty() && !pass->getArgument().empty())
      trace->ir = textOf(op);
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override { check(pass, op); }

  void check(Pass *pass, Operation *op) {
    listener.check(op, pass->getArgument());
    if (PassTrace *trace = currentTrace; trace && trace->pass.empty() && !listener.complaint.empty())
      trace->pass = pass->getArgument();
  }
  Listener &listener;
};

} // namespace

PassTrace::PassTrace() { currentTrace = this; }
PassTrace::~PassTrace() { currentTrace = nullptr; }
PassTrace *PassTrace::current() { return currentTrace; }
void setPassFault(PassFault fault) { passFault = fault; }

Error bugIn(StringRef kernel, const std::string &problem) {
  return {Status::Internal,
          "error: internal error in Nereid: it made invalid code of `" + kernel.str() + "`: " + problem + "\n"};
}

Result<void> runPasses(PassManager &passes, func::FuncOp kernel, std::string *remarks) {
  Listener listener{.error = {}, .complaint = {}, .remarks = remarks};
  ScopedDiagnosticHandler handler(kernel->getContext(),
                                  [&](Diagnostic &diagnostic) { return listener.hear(diagnostic); });
  bool verifiesEach = kVerifiesPasses || currentTrace || passFault;
  passes.enableVerifier(verifiesEach);
  if (verifiesEach)
    passes.addInstrumentation(std::make_unique<VerifyAfterEach>(listener));
  bool isDone = succeeded(passes.run(kernel->getParentOfType<ModuleOp>()));
  if (!listener.complaint.empty())
    return bugIn(kernel.getName(), listener.complaint);
  if (!isDone)
    return Error{Status::BadInput, listener.error};
  return {};
}

Result<void> verified(Operation *op, StringRef kernel) {
  Listener listener{.error = {}, .complaint = {}, .remarks = nullptr};
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) { return listener.hear(diagnostic); });
  listener.check(op, "");
  if (!listener.complaint.empty())
    return bugIn(kernel, listener.complaint);
  return {};
}

} // namespace nereid::codegen
