// OperationCompiler.cpp: the text of an operation and the types of its arguments to a program of the interpreter.
#include "Operation.h"
#include "PatientLock.h"

#include "syntax/Parser.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <deque>

namespace nereid::python {

using lang::ArgumentSpec;
using lang::CompileError;
using lang::Shape;
using lang::Value;

namespace {

// The compiler of all operations of the process. It is never taken down: what it made may be in use when Python ends.
struct OperationSession {
  compiler::Compiler compiler{
      {.target = {.platform = lang::Platform::Cpu}, .loader = {}}}; // which has no rules for matrix units
  std::deque<Embedding> embeddings; // values of the compiler point into the one that made them
  std::recursive_mutex mutex; // one thread at a time compiles, though functions of compile time may let others run
};
OperationSession &operationSession() {
  static auto *session = new OperationSession;
  return *session;
}

Shape shapeOf(PyObject *sequence) {
  Shape shape;
  for (Py_ssize_t i = 0, count = PySequence_Size(sequence); i < count; ++i)
    shape.push_back(PyLong_AsLongLong(Reference::take(PySequence_GetItem(sequence, i)).get()));
  return shape;
}

Reference tupleOf(const Shape &shape) {
  Reference tuple = Reference::take(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; i < shape.size(); ++i)
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  return tuple;
}

// As `Type::parse` reads it.
std::string spelled(const lang::Type &type) {
  if (!type.isPointer())
    return type.scalar().name();
  return (type.isConstPointer() ? "*k" : "*") + spelled(type.pointee());
}

// One operation on its way through the compiler.
class Work {
public:
  Work(compiler::Compiler &compiler, Embedding &embedding) : compiler(compiler), embedding(embedding) {}

  ArgumentSpec specOf(PyObject *description) {
    auto item = [&](Py_ssize_t i) { return PyTuple_GetItem(description, i); };
    std::string form = textOf(item(0));
    ArgumentSpec spec;
    if (form == "constant") {
      spec.constant = embedding.toValue(item(1));
    } else if (form == "tuple") {
      spec.kind = ArgumentSpec::Kind::Tuple;
      spec.items = specsOf(item(2));
      if (item(1) != Py_None)
        if (auto *cls = embedding.toValue(item(1)).get<std::shared_ptr<lang::Class>>())
          spec.cls = *cls;
    } else if (form == "block_pointer") {
      spec.kind = ArgumentSpec::Kind::BlockPointer;
      spec.items = specsOf(item(1));
      spec.blockShape = shapeOf(item(2));
      for (int64_t axis : shapeOf(item(3)))
        spec.order.push_back(static_cast<int>(axis));
    } else {
      bool isTensor = form == "tensor";
      spec.kind = isTensor ? ArgumentSpec::Kind::Scalar : ArgumentSpec::Kind::Descriptor;
      spec.type = lang::Type::parse(textOf(item(1))).value_or(lang::Type()).withShape(shapeOf(item(2)));
      spec.nanPadding = !isTensor && item(3) == Py_True;
    }
    return spec;
  }

  std::vector<ArgumentSpec> specsOf(PyObject *list) {
    std::vector<ArgumentSpec> specs;
    for (Py_ssize_t i = 0, count = PySequence_Size(list); i < count; ++i)
      specs.push_back(specOf(Reference::take(PySequence_GetItem(list, i)).get()));
    return specs;
  }

  std::shared_ptr<lang::Function> define(const std::string &text) {
    std::shared_ptr<lang::Module> module = compiler.loader().openText("<operation>", text);
    module->state = lang::Module::State::Loaded;
    lang::ConstEval eval(compiler.session());
    lang::Activation activation{.module = module, .scope = module->globals};
    eval.activation = &activation;
    return eval.makeFunction(static_cast<const syntax::FunctionDef &>(*module->file->body.front()), module->globals);
  }

  // What the operation gives, as Python reads it.
  Reference describe(const Value &value) {
    auto text = [](const std::string &name) { return Reference::take(PyUnicode_FromString(name.c_str())); };
    if (value.isTensor()) {
      const lang::Type &type = value.tensor().type;
      return Reference::take(
          Py_BuildValue("(sNNn)", "tensor", text(spelled(type)).release(), tupleOf(type.shape()).release(), next++));
    }
    if (const lang::Tuple *tuple = value.asTuple()) {
      Reference items = Reference::take(PyList_New(0));
      for (const Value &item : tuple->items)
        PyList_Append(items.get(), describe(item).get());
      Reference cls =
          tuple->cls ? embedding.toPython(std::const_pointer_cast<lang::Class>(tuple->cls)) : Reference::share(Py_None);
      return Reference::take(Py_BuildValue("(sNN)", "tuple", cls.release(), items.release()));
    }
    if (auto *pointer = value.constant<lang::BlockPointer>()) {
      Reference parts = Reference::take(PyList_New(0));
      PyList_Append(parts.get(), describe(pointer->base).get());
      for (const auto *list : {&pointer->shape, &pointer->strides, &pointer->offsets})
        for (const lang::Tensor &part : *list)
          PyList_Append(parts.get(), describe(part).get());
      Shape order(pointer->order.begin(), pointer->order.end());
      return Reference::take(Py_BuildValue("(sNNN)", "block_pointer", parts.release(),
                                           tupleOf(pointer->blockShape).release(), tupleOf(order).release()));
    }
    if (auto *descriptor = value.constant<lang::Descriptor>()) {
      Py_ssize_t first = next++;
      Reference parts = Reference::take(PyList_New(0));
      for (const auto *list : {&descriptor->shape, &descriptor->strides})
        for (const lang::Tensor &part : *list)
          PyList_Append(parts.get(), describe(part).get());
      return Reference::take(Py_BuildValue("(sNNNNn)", "descriptor", text(spelled(descriptor->block)).release(),
                                           tupleOf(descriptor->block.shape()).release(),
                                           Reference::share(descriptor->nanPadding ? Py_True : Py_False).release(),
                                           parts.release(), first));
    }
    return Reference::take(Py_BuildValue("(sN)", "constant", embedding.toPython(value).release()));
  }

private:
  compiler::Compiler &compiler;
  Embedding &embedding;
  Py_ssize_t next = 0; // output array
};

// The first thing that is wrong, as the Python exception that it stands for.
void raiseFirst(const Diagnostics &diagnostics, const Reference &cause) {
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    std::string notes;
    for (const Diagnostic &note : diagnostic.notes)
      if (!note.source)
        notes += "\n" + note.message;
    Reference exception = Reference::take(PyObject_CallMethod(pythonTypes().support, "operation_error", "sssO",
                                                              diagnostic.pythonType.c_str(), diagnostic.message.c_str(),
                                                              notes.c_str(), cause ? cause.get() : Py_None));
    if (exception)
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())), exception.get());
    return;
  }
  PyErr_SetString(PyExc_RuntimeError, "the operation cannot be compiled");
}

} // namespace

std::optional<Operation> compileOperation(const std::string &text, PyObject *specs, const lang::EmitOptions &options,
                                          bool withSteps) {
  OperationSession &session = operationSession();
  PatientLock lock(session.mutex);
  Embedding &embedding = session.embeddings.emplace_back(session.compiler);
  (void)session.compiler.takeDiagnostics();
  try {
    Work work(session.compiler, embedding);
    std::shared_ptr<lang::Function> function = work.define(text);
    std::vector<ArgumentSpec> arguments = work.specsOf(specs);
    Value result;
    compiler::TileModule compiled = session.compiler.compileOperation(*function, arguments, options, result);
    if (!compiled.module) {
      raiseFirst(session.compiler.diagnostics(), embedding.pythonError);
      return std::nullopt;
    }
    runtime::Failure failure;
    Operation operation;
    operation.program = interp::translate(compiled.kernel(), failure);
    if (!operation.program) {
      PyErr_SetString(PyExc_NotImplementedError, failure.message.c_str());
      return std::nullopt;
    }
    operation.inputBytes = interp::parameterBytes(*operation.program);
    operation.outputBytes = interp::resultBytes(*operation.program);
    operation.result = work.describe(result);
    operation.steps = withSteps ? describeSteps(compiled.kernel()) : Reference::share(Py_None);
    if (PyErr_Occurred())
      return std::nullopt;
    return operation;
  } catch (CompileError &error) {
    Diagnostics diagnostics;
    diagnostics.add(std::move(error.diagnostic));
    raiseFirst(diagnostics, embedding.pythonError);
    return std::nullopt;
  }
}

} // namespace nereid::python
