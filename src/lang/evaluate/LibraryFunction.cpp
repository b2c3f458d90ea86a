// LibraryFunction.cpp: arguments of library functions, and the classes that stand for Python's types.
#include "lang/evaluate/LibraryFunction.h"

#include "lang/DeferredDelete.h"
#include "lang/Foreign.h"

#include <algorithm>

namespace nereid::lang {

void LibraryCall::expected(size_t index, std::string_view what) const {
  eval.session.fail("`" + std::string(function.name) + "` expects " + std::string(what) + ", not `" +
                        typeName(arguments[index]) + "`",
                    {}, "TypeError");
}

Integer LibraryCall::integer(size_t index) const {
  if (auto whole = arguments[index].integer())
    return *whole;
  if (auto *instance = arguments[index].object<Instance>(); instance && instance->cls->kind == Class::Kind::Enum)
    if (auto value = instance->fields["value"].integer())
      return *value;
  expected(index, "an integer");
}

Integer LibraryCall::integer(size_t index, Integer whenAbsent) const {
  return arguments[index] ? integer(index) : whenAbsent;
}

Integer LibraryCall::size(size_t index, Integer whenAbsent) const {
  Integer value = integer(index, whenAbsent);
  if (value > INT64_MAX || value < INT64_MIN)
    eval.session.fail("`" + std::string(function.name) + "` cannot take a number as large as " + integerText(value), {},
                      "OverflowError");
  return value;
}

double LibraryCall::number(size_t index) const {
  if (auto real = arguments[index].number())
    return *real;
  expected(index, "a number");
}

const std::string &LibraryCall::text(size_t index) const {
  if (const std::string *text = arguments[index].str())
    return *text;
  expected(index, "a string");
}

bool LibraryCall::flag(size_t index, bool whenAbsent) const {
  return arguments[index] ? eval.truth(arguments[index]) : whenAbsent;
}

namespace {

using ClassMap = std::map<std::string, std::shared_ptr<Class>, std::less<>>;

// Made once, and shared by all sessions: nothing changes them later.
const ClassMap &libraryClasses() {
  static const ClassMap classes = [] {
    ClassMap made;
    for (const LibraryType *type : libraryTypes()) {
      auto cls = std::make_shared<Class>();
      cls->name = type->name;
      if (type->constructor)
        cls->attributes["__new__"] = type->constructor;
      for (const LibraryFunction &method : type->methods)
        cls->attributes[std::string(method.name.substr(method.name.rfind('.') + 1))] = &method;
      made[cls->name] = cls;
    }
    for (const LibraryType *type : libraryTypes())
      if (auto base = made.find(type->base); base != made.end())
        made.find(type->name)->second->bases.push_back(base->second);
    made["NamedTuple"]->kind = Class::Kind::NamedTuple;
    for (const char *name : {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
      made[name]->kind = Class::Kind::Enum;
    return made;
  }();
  return classes;
}

} // namespace

std::shared_ptr<Class> libraryClass(std::string_view name) {
  auto found = libraryClasses().find(name);
  return found == libraryClasses().end() ? nullptr : found->second;
}

std::shared_ptr<Class> classOf(const Value &value) {
  if (auto *instance = value.object<Instance>())
    return instance->cls;
  if (auto *tuple = value.asTuple(); tuple && tuple->cls)
    return std::const_pointer_cast<Class>(tuple->cls);
  if (value.isNone())
    return libraryClass("NoneType");
  if (value.is<bool>())
    return libraryClass("bool");
  if (value.is<Integer>())
    return libraryClass("int");
  if (value.is<double>())
    return libraryClass("float");
  if (value.str())
    return libraryClass("str");
  if (value.is<Type>()) {
    const Type &type = *value.get<Type>();
    return libraryClass(type.isBlock() ? "block_type" : type.isPointer() ? "pointer_type" : "dtype");
  }
  if (value.isTensor())
    return libraryClass("tensor");
  if (value.asTuple())
    return libraryClass("tuple");
  if (value.object<ListObject>())
    return libraryClass("list");
  if (value.object<DictObject>())
    return libraryClass("dict");
  if (auto *set = value.object<SetObject>())
    return libraryClass(set->isFrozen ? "frozenset" : "set");
  if (value.constant<RangeObject>())
    return libraryClass("range");
  if (value.constant<SliceObject>())
    return libraryClass("slice");
  if (value.constant<Descriptor>())
    return libraryClass("tensor_descriptor");
  if (value.object<Class>())
    return libraryClass("type");
  if (value.object<Module>())
    return libraryClass("module");
  if (auto *function = value.object<Function>(); function && function->kind == Function::Kind::Jit)
    return libraryClass("JITFunction");
  return libraryClass("function");
}

bool isInstance(const Value &value, const Value &classOrTuple) {
  if (auto *tuple = classOrTuple.asTuple()) // classes, or tuples of classes; Python allows more nesting, nobody uses it
    return std::ranges::any_of(tuple->items, [&](const Value &item) {
      auto *inner = item.asTuple();
      return inner
                 ? std::ranges::any_of(
                       inner->items, [&](const Value &each) { return each.object<Class>() && isInstance(value, each); })
                 : isInstance(value, item);
    });
  auto *wanted = classOrTuple.object<Class>();
  if (!wanted)
    return false;
  // In a kernel every constant is a constexpr.
  if (wanted == libraryClass("constexpr").get())
    return value.isConstexpr || value.is<bool>() || value.is<Integer>() || value.is<double>() || value.str();
  if (wanted == libraryClass("object").get())
    return true;
  std::shared_ptr<Class> cls = classOf(value);
  bool isSequence = cls && (cls->name == "tuple" || cls->kind == Class::Kind::NamedTuple);
  return cls && (cls->isSubclassOf(*wanted) || (isSequence && wanted == libraryClass("tuple").get()));
}

std::string_view libraryName(const Value &callee) {
  if (auto *function = callee.get<const LibraryFunction *>())
    return (*function)->name;
  if (auto *cls = callee.object<Class>(); cls && libraryClass(cls->name).get() == cls)
    return cls->name;
  return {};
}

Value makeOpaque(std::string path, bool isKnown) {
  constexpr size_t kMaxPath = 240;
  if (path.size() > kMaxPath)
    path = path.substr(0, kMaxPath) + "…";
  return std::make_shared<const Opaque>(Opaque{std::move(path), isKnown, nullptr});
}

Value makeForeign(std::shared_ptr<const Foreign> object, std::string path) {
  return std::make_shared<const Opaque>(Opaque{std::move(path), true, std::move(object)});
}

Value makeList(Values items) { return makeNested(ListObject{std::move(items)}); }

Value makeDict(std::vector<std::pair<Value, Value>> items) { return makeNested(DictObject{std::move(items), nullptr}); }

Value makeIterator(Values items) {
  auto iterator = makeInstance("iterator");
  iterator->fields["items"] = makeList(std::move(items));
  iterator->fields["position"] = 0;
  return iterator;
}

Value makeIterator(const std::function<void(Values &items)> &fill) {
  Values items;
  Value failure;
  try {
    fill(items);
  } catch (const CompileError &error) {
    if (error.isFinal)
      throw;
    failure = Value::tuple({error.diagnostic.message, error.pythonType});
  }
  Value iterator = makeIterator(std::move(items));
  if (failure)
    iterator.object<Instance>()->fields["failure"] = failure;
  return iterator;
}

Value makeView(std::string_view className, Value dict) {
  auto view = makeInstance(className);
  view->fields["mapping"] = std::move(dict);
  return view;
}

Value makeMethod(Value self, const LibraryFunction *function) {
  return std::make_shared<const BoundMethod>(BoundMethod{std::move(self), Value(function)});
}

std::shared_ptr<Instance> makeInstance(std::string_view className) {
  return makeNested(Instance{libraryClass(className), {}});
}

size_t sizeOf(const Value &value) {
  if (auto *text = value.str())
    return text->size() / 16;
  if (auto *tuple = value.asTuple())
    return tuple->items.size();
  if (auto *list = value.object<ListObject>())
    return list->items.size();
  if (auto *dict = value.object<DictObject>())
    return dict->items.size();
  if (auto *set = value.object<SetObject>())
    return set->items.size();
  return 0;
}

std::string briefly(const Value &value) { return sizeOf(value) > 8 ? "a " + typeName(value) : toString(value); }

} // namespace nereid::lang
