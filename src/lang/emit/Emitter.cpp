// Emitter.cpp: source places of ops, and run-time values taken apart into SSA values and put together again.
#include "lang/emit/Emitter.h"

#include "mlir/IR/Location.h"

namespace nereid::lang {

SourceRange Emitter::placeOf(const Value &value) const {
  if (arguments)
    for (size_t i = 0; i < arguments->size(); ++i)
      if (&(*arguments)[i] == &value)
        return arguments->range(i);
  return session.place();
}

// The innermost place, wrapped in one call site for each function that led to it.
mlir::Location Emitter::location() {
  const auto &frames = session.stack();
  auto placeOf = [&](const Session::Frame &frame) -> mlir::Location {
    if (!frame.source)
      return mlir::UnknownLoc::get(context());
    LineColumn begin = frame.source->position(frame.place.begin),
               end = frame.source->position(std::max(frame.place.begin, frame.place.end));
    auto name = mlir::StringAttr::get(context(), frame.source->name());
    return mlir::FileLineColRange::get(name, begin.line, begin.column, end.line, end.column);
  };
  if (frames.empty())
    return mlir::UnknownLoc::get(context());
  currentPlace.clear();
  for (const Session::Frame &frame : frames)
    currentPlace.emplace_back(frame.source.get(), frame.place.begin, frame.place.end);
  if (lastLocation && currentPlace == lastPlace)
    return mlir::Location(lastLocation);
  mlir::Location location = placeOf(frames.front());
  for (size_t i = 1; i < frames.size(); ++i)
    location = mlir::CallSiteLoc::get(placeOf(frames[i]), location);
  lastLocation = location;
  lastPlace.swap(currentPlace);
  return location;
}

static void flattenAll(const std::vector<Tensor> &tensors, std::vector<mlir::Value> &out) {
  for (const Tensor &tensor : tensors)
    out.push_back(tensor.ir);
}

void flatten(const Value &value, std::vector<mlir::Value> &out) {
  Session::charge(1);
  if (auto *tensor = value.get<Tensor>()) {
    out.push_back(tensor->ir);
  } else if (auto *tuple = value.asTuple()) {
    for (const Value &item : tuple->items)
      flatten(item, out);
  } else if (auto *list = value.object<ListObject>()) {
    for (const Value &item : list->items)
      flatten(item, out);
  } else if (auto *instance = value.object<Instance>()) {
    for (const auto &[name, field] : instance->fields)
      flatten(field, out);
  } else if (auto *pointer = value.constant<BlockPointer>()) {
    out.push_back(pointer->base.ir);
    flattenAll(pointer->shape, out);
    flattenAll(pointer->strides, out);
    flattenAll(pointer->offsets, out);
  } else if (auto *descriptor = value.constant<Descriptor>()) {
    out.push_back(descriptor->ir);
    flattenAll(descriptor->shape, out);
    flattenAll(descriptor->strides, out);
  } else if (auto *method = value.constant<BoundMethod>()) {
    flatten(method->self, out);
  }
}

static mlir::Value takeFront(std::span<const mlir::Value> &in) {
  mlir::Value value = in.front();
  in = in.subspan(1);
  return value;
}

static void unflattenAll(std::vector<Tensor> &tensors, std::span<const mlir::Value> &in) {
  for (Tensor &tensor : tensors)
    tensor.ir = takeFront(in);
}

static Values unflattenItems(const Values &items, std::span<const mlir::Value> &in) {
  Values result;
  for (const Value &item : items)
    result.push_back(unflatten(item, in));
  return result;
}

Value unflatten(const Value &shape, std::span<const mlir::Value> &in) {
  Session::charge(1);
  if (auto *tensor = shape.get<Tensor>())
    return Tensor{takeFront(in), tensor->type};
  if (auto *tuple = shape.asTuple())
    return Value::tuple(unflattenItems(tuple->items, in), tuple->cls);
  if (auto *list = shape.object<ListObject>())
    return std::make_shared<ListObject>(ListObject{unflattenItems(list->items, in)});
  if (auto *instance = shape.object<Instance>()) {
    auto copy = std::make_shared<Instance>(*instance);
    for (auto &[name, field] : copy->fields)
      field = unflatten(field, in);
    return copy;
  }
  if (auto *pointer = shape.constant<BlockPointer>()) {
    auto copy = std::make_shared<BlockPointer>(*pointer);
    copy->base.ir = takeFront(in);
    unflattenAll(copy->shape, in);
    unflattenAll(copy->strides, in);
    unflattenAll(copy->offsets, in);
    return std::shared_ptr<const BlockPointer>(std::move(copy));
  }
  if (auto *descriptor = shape.constant<Descriptor>()) {
    auto copy = std::make_shared<Descriptor>(*descriptor);
    copy->ir = takeFront(in);
    unflattenAll(copy->shape, in);
    unflattenAll(copy->strides, in);
    return std::shared_ptr<const Descriptor>(std::move(copy));
  }
  if (auto *method = shape.constant<BoundMethod>())
    return std::make_shared<const BoundMethod>(BoundMethod{unflatten(method->self, in), method->function});
  return shape;
}

} // namespace nereid::lang
