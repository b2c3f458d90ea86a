// OperationSteps.cpp: the ops that an operation is made of, as Python reads them: for visualizers, which put code of their
// own between the steps of an operation.
#include "Operation.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nereid::python {

namespace {

template <class Printable> Reference printed(const Printable &value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return Reference::take(PyUnicode_FromString(text.c_str()));
}

// ("i32", (128,)): the element and the extents.
Reference describeType(mlir::Type type) {
  Reference extents = Reference::take(PyList_New(0));
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    for (int64_t extent : tensor.getShape())
      PyList_Append(extents.get(), Reference::take(PyLong_FromLongLong(extent)).get());
    type = tensor.getElementType();
  }
  std::string stars;
  while (auto pointer = mlir::dyn_cast<tile::PtrType>(type)) {
    stars += "*";
    type = pointer.getPointee();
  }
  Reference element = printed(type);
  return Reference::take(Py_BuildValue("(sN)", (stars + textOf(element.get())).c_str(), PyList_AsTuple(extents.get())));
}

Reference numberOf(const llvm::APInt &value) { // its bits; the sign is the reader's
  return Reference::take(
      PyLong_FromLongLong(value.getBitWidth() == 1 ? int64_t(value.getBoolValue()) : value.getSExtValue()));
}
Reference numberOf(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return Reference::take(PyFloat_FromDouble(value.convertToDouble()));
}

template <class Array> Reference listOf(const Array &array) {
  Reference list = Reference::take(PyList_New(0));
  for (auto value : array)
    PyList_Append(list.get(), Reference::take(PyLong_FromLongLong(value)).get());
  return list;
}

Reference describeAttribute(mlir::Attribute attribute) {
  if (mlir::isa<mlir::UnitAttr>(attribute))
    return Reference::share(Py_True);
  if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    return numberOf(number.getValue());
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(attribute))
    return numberOf(number.getValue());
  if (auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute); elements && elements.isSplat())
    return describeAttribute(elements.getSplatValue<mlir::Attribute>());
  if (auto list = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attribute))
    return listOf(list.asArrayRef());
  if (auto list = mlir::dyn_cast<mlir::DenseI32ArrayAttr>(attribute))
    return listOf(list.asArrayRef());
  return printed(attribute);
}

} // namespace

Reference describeSteps(mlir::func::FuncOp function) {
  llvm::DenseMap<mlir::Value, Py_ssize_t> numbers;
  for (mlir::Value argument : function.getArguments())
    numbers[argument] = static_cast<Py_ssize_t>(numbers.size());
  Reference steps = Reference::take(PyList_New(0));
  for (mlir::Operation &op : function.getBody().front()) {
    Reference operands = Reference::take(PyList_New(0)), results = Reference::take(PyList_New(0));
    for (mlir::Value operand : op.getOperands())
      PyList_Append(operands.get(), Reference::take(PyLong_FromSsize_t(numbers[operand])).get());
    for (mlir::Value result : op.getResults()) {
      numbers[result] = static_cast<Py_ssize_t>(numbers.size());
      PyList_Append(results.get(), describeType(result.getType()).get());
    }
    Reference attributes = Reference::take(PyDict_New());
    for (mlir::NamedAttribute attribute : op.getAttrDictionary())
      PyDict_SetItemString(attributes.get(), attribute.getName().str().c_str(),
                           describeAttribute(attribute.getValue()).get());
    Reference step =
        Reference::take(Py_BuildValue("(sNNNi)", op.getName().getStringRef().str().c_str(), operands.release(),
                                      attributes.release(), results.release(), int(op.getNumRegions())));
    PyList_Append(steps.get(), step.get());
  }
  return steps;
}

} // namespace nereid::python
