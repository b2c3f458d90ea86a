// Values.cpp: Python objects as values of the compiler, and back.
#include "Embedding.h"
#include "Memory.h"

#include "lang/Foreign.h"
#include "lang/Loader.h"
#include "lang/Modules.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>
#include <limits>

namespace nereid::python {

using lang::ConstEval;
using lang::Integer;
using lang::Value;

namespace {

bool isTorchType(PyObject *object) {
  return described(reinterpret_cast<PyObject *>(Py_TYPE(object))) == "<class 'torch.dtype'>";
}

// A Python object that the compiler knows only by what it answers.
class PythonObject final : public lang::Foreign {
public:
  PythonObject(Embedding &embedding, PyObject *object, Use use)
      : embedding(embedding), object(Reference::share(object)), use(use) {}

  Value attribute(ConstEval &, const std::string &name) const override {
    Reference found = attributeOf(object.get(), name.c_str());
    if (!found)
      return {};
    embedding.noteRead(object.get(), name.c_str(), found);
    if (reinterpret_cast<PyObject *>(Py_TYPE(found.get())) == pythonTypes().constexprType)
      embedding.noteRead(found.get(), "value", attributeOf(found.get(), "value"));
    Value value = embedding.toValue(found.get());
    if (auto *opaque = value.constant<lang::Opaque>(); opaque && opaque->foreign && PyModule_Check(object.get()))
      if (!static_cast<const PythonObject &>(*opaque->foreign).isCallable(false) && PyCallable_Check(found.get()))
        return embedding.ofCallable(found.get(), Use::Constant);
    return value;
  }
  bool isCallable(bool withConstants) const override {
    return use == Use::Function || use == Use::Builtin || (use == Use::Constant && withConstants);
  }
  bool isReadable() const override { return use != Use::Nobody && use != Use::Constant; }
  Value asFunction() const override {
    if (use != Use::Builtin)
      return {};
    Reference function = Reference::take(PyObject_CallMethod(pythonTypes().support, "as_jit", "O", object.get()));
    if (!function)
      embedding.failWithPython();
    return embedding.toValue(function.get());
  }
  bool isAlwaysTheSame() const override { return isTorchType(object.get()); }
  bool isPlainFunction() const override {
    return described(reinterpret_cast<PyObject *>(Py_TYPE(object.get()))) == "<class 'function'>";
  }

  Value call(ConstEval &eval, std::vector<lang::CallArgument> arguments) const override {
    Reference positional = Reference::take(PyList_New(0)), named = Reference::take(PyDict_New());
    for (const lang::CallArgument &argument : arguments) {
      Reference value = embedding.toPython(argument.value);
      if (argument.keyword.empty())
        PyList_Append(positional.get(), value.get());
      else
        PyDict_SetItemString(named.get(), argument.keyword.c_str(), value.get());
    }
    Reference tuple = Reference::take(PyList_AsTuple(positional.get()));
    Reference result = use == Use::Builtin
                           ? Reference::take(PyObject_CallMethod(pythonTypes().support, "call_builtin", "OOO",
                                                                 object.get(), tuple.get(), named.get()))
                           : Reference::take(PyObject_Call(object.get(), tuple.get(), named.get()));
    if (!result)
      embedding.failWithPython();
    if (use == Use::Builtin && result.get() == Py_NotImplemented)
      return {};
    Value value = embedding.toValue(result.get());
    value.isConstexpr = true;
    return value;
  }
  PyObject *python() const { return object.get(); }

private:
  Embedding &embedding;
  Reference object;
  Use use;
};

// As str() of a dtype writes it.
std::optional<lang::Type> typeNamed(const std::string &name) {
  constexpr std::string_view kPointer = "pointer<";
  if (!name.starts_with(kPointer))
    return lang::Type::parse(name);
  std::optional<lang::Type> pointee = typeNamed(name.substr(kPointer.size(), name.size() - kPointer.size() - 1));
  return pointee ? std::optional(lang::Type::pointer(*pointee)) : std::nullopt;
}

bool isTrue(PyObject *object, const char *attribute) {
  Reference found = attributeOf(object, attribute);
  return found && found.get() == Py_True;
}

// The value of an int, or of one of a derived class, whatever that class makes of it; nothing where the compiler has none of this size.
std::optional<Integer> wholeNumber(PyObject *object) {
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow)
    return Integer(small);
  Reference whole = Reference::take(PyNumber_Index(object)), width = Reference::take(PyLong_FromLong(64));
  Reference upper = Reference::take(PyNumber_Rshift(whole.get(), width.get()));
  Integer high = PyLong_AsLongLongAndOverflow(upper.get(), &overflow);
  if (overflow || high == std::numeric_limits<int64_t>::min()) // the least one has no negative
    return std::nullopt;
  return high << 64 | Integer(PyLong_AsUnsignedLongLongMask(whole.get()));
}

std::string pathOf(PyObject *object) {
  std::string module = textOf(attributeOf(object, "__module__").get());
  std::string name = textOf(attributeOf(object, "__qualname__").get());
  if (!name.empty() && name.find('<') == std::string::npos)
    return module.empty() ? name : module + "." + name;
  if (isTorchType(object))
    return described(object);
  char address[40];
  std::snprintf(address, sizeof address, " at %p", static_cast<void *>(object));
  return textOf(attributeOf(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__").get()) + address;
}

} // namespace

Embedding::Level::Level(Embedding &embedding) : embedding(embedding) {
  if (embedding.levels++ == 0)
    embedding.converted = 0;
  if (embedding.levels <= kDeepest && ++embedding.converted <= kMostObjects)
    return;
  --embedding.levels; // what is not made is not destroyed
  embedding.session.fail("a value that holds more than " + std::to_string(kMostObjects) +
                             " others, or is nested more than " + std::to_string(kDeepest) +
                             " deep, cannot be used at compile time",
                         {"does it hold itself?"}, "RecursionError");
}

Value Embedding::ofInteger(PyObject *object) {
  if (std::optional<Integer> number = wholeNumber(object))
    return *number;
  session.fail("an integer of this size cannot be used at compile time", {}, "OverflowError");
}

Value Embedding::ofText(PyObject *object) {
  Py_ssize_t size = 0;
  if (const char *text = PyUnicode_AsUTF8AndSize(object, &size))
    return std::string(text, static_cast<size_t>(size));
  failWithPython(); // half of a surrogate pair
}

Value Embedding::toValue(PyObject *object) {
  Level level(*this);
  if (object == Py_None)
    return lang::None{};
  if (PyBool_Check(object))
    return object == Py_True;
  if (PyLong_CheckExact(object))
    return ofInteger(object);
  if (PyFloat_CheckExact(object))
    return PyFloat_AsDouble(object);
  if (PyUnicode_Check(object))
    return ofText(object);
  if (Reference number = numberOf(object))
    return toValue(number.get());
  if (auto found = known.find(object); found != known.end())
    return found->second;
  bool isConstexpr = reinterpret_cast<PyObject *>(Py_TYPE(object)) == pythonTypes().constexprType;
  if (isConstexpr || PyTuple_Check(object) || PyList_Check(object) || PyDict_Check(object))
    return convert(object); // not kept: what is in it may change
  Value value = convert(object);
  if (known.emplace(object, value).second)
    alive.push_back(Reference::share(object));
  return value;
}

Value Embedding::convert(PyObject *object) {
  const PythonTypes &types = pythonTypes();
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  if (types.constexprType && PyObject_IsInstance(object, types.constexprType) == 1)
    return ofConstexpr(object);
  if (types.kernelType && PyObject_IsInstance(object, types.kernelType) == 1)
    return ofFunction(object);
  if (PyTuple_Check(object) && PyObject_HasAttrString(object, "_fields"))
    return ofNamedTuple(object);
  if (PyTuple_Check(object) || PyList_Check(object))
    return ofSequence(object);
  if (PyDict_Check(object))
    return ofDict(object);
  if (PyType_Check(object))
    return ofClass(object);
  if (textOf(attributeOf(type, "__name__").get()) == "module")
    return ofModule(object);
  if (types.dtypeType && PyObject_IsInstance(object, types.dtypeType) == 1)
    if (std::optional<lang::Type> parsed = typeNamed(described(object)))
      return *parsed;
  if (std::string path = textOf(attributeOf(object, "__nereid_path__").get()); !path.empty())
    if (Value found = ofLanguage(path))
      return found;
  if (PyObject_HasAttrString(type, "__members__"))
    return ofEnumMember(object);
  if (PyLong_Check(object))
    return ofInteger(object);
  if (PyFloat_Check(object))
    return PyFloat_AsDouble(object);
  return ofObject(object);
}

Value Embedding::ofLanguage(const std::string &path) {
  size_t dot = path.rfind('.');
  if (dot == std::string::npos)
    return {};
  std::shared_ptr<lang::Module> module = lang::builtinModule(path.substr(0, dot), session);
  return module ? ConstEval(session).attribute(module, path.substr(dot + 1)) : Value();
}

// A function in a constexpr (`@tl.constexpr`) is called while a kernel is compiled.
Value Embedding::ofConstexpr(PyObject *object) {
  Reference inner = attributeOf(object, "value");
  Value value = toValue(inner.get());
  if (auto *opaque = value.constant<lang::Opaque>(); opaque && opaque->foreign && PyCallable_Check(inner.get()))
    value = ofCallable(inner.get(), Use::Function);
  value.isConstexpr = true;
  return value;
}

Value Embedding::ofSequence(PyObject *object) {
  bool isTuple = PyTuple_Check(object);
  lang::Values items;
  // Not by what a derived class makes of its items. What they are asked for may change the list.
  for (Py_ssize_t i = 0; i < (isTuple ? PyTuple_Size(object) : PyList_Size(object)); ++i) {
    Reference item = Reference::share(isTuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i));
    items.push_back(toValue(item.get()));
  }
  return isTuple ? Value::tuple(std::move(items)) : lang::makeList(std::move(items));
}

Value Embedding::ofDict(PyObject *object) {
  std::vector<std::pair<Value, Value>> items;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(object, &position, &key, &value);) {
    Reference heldKey = Reference::share(key), held = Reference::share(value);
    items.emplace_back(toValue(key), toValue(value));
  }
  return lang::makeDict(std::move(items));
}

Value Embedding::ofModule(PyObject *object) {
  std::string name = textOf(attributeOf(object, "__name__").get());
  bool isLanguage = name == "triton" || name == "math" || name == "enum" || name.starts_with("triton.language") ||
                    name.starts_with("triton.tools");
  if (isLanguage)
    if (std::shared_ptr<lang::Module> module = lang::builtinModule(name, session))
      return module;
  return lang::makeForeign(std::make_shared<PythonObject>(*this, object, Use::Reader), name);
}

Value Embedding::ofObject(PyObject *object) {
  if (isTrue(object, "__triton_constexpr_function__"))
    return ofCallable(object, Use::Function);
  if (isTrue(object, "__triton_builtin__"))
    return ofCallable(object, Use::Builtin);
  return lang::makeForeign(std::make_shared<PythonObject>(*this, object, Use::Nobody), pathOf(object));
}

Value Embedding::ofCallable(PyObject *object, Use use) {
  auto made = std::make_shared<PythonObject>(*this, object, use);
  Reference text = Reference::take(PyObject_CallMethod(pythonTypes().support, "stable_text", "O", object));
  PyErr_Clear();
  if (text && PyUnicode_Check(text.get()))
    stableTexts[made.get()] = textOf(text.get());
  return lang::makeForeign(std::move(made), pathOf(object));
}

// The jit functions among a class's members.
static std::vector<std::pair<std::string, Reference>> kernelsOf(PyObject *object) {
  std::vector<std::pair<std::string, Reference>> kernels;
  Reference members = attributeOf(object, "__dict__");
  Reference items = members ? Reference::take(PyMapping_Items(members.get())) : Reference();
  for (Py_ssize_t i = 0; items && i < PyList_Size(items.get()); ++i) {
    PyObject *pair = PyList_GetItem(items.get(), i), *member = PyTuple_GetItem(pair, 1);
    if (pythonTypes().kernelType && PyObject_IsInstance(member, pythonTypes().kernelType) == 1)
      kernels.emplace_back(textOf(PyTuple_GetItem(pair, 0)), Reference::share(member));
  }
  return kernels;
}

std::shared_ptr<lang::Class> Embedding::namedTupleClass(PyObject *object) {
  if (auto found = known.find(object); found != known.end())
    return *found->second.get<std::shared_ptr<lang::Class>>();
  auto cls = std::make_shared<lang::Class>();
  cls->name = textOf(attributeOf(object, "__name__").get());
  cls->kind = lang::Class::Kind::NamedTuple;
  cls->bases.push_back(lang::libraryClass("NamedTuple"));
  known[object] = cls;
  alive.push_back(Reference::share(object));
  origins[cls.get()] = object;
  Reference fields = attributeOf(object, "_fields"), defaults = attributeOf(object, "_field_defaults");
  for (Py_ssize_t i = 0; fields && i < PySequence_Size(fields.get()); ++i)
    cls->fields.push_back(textOf(Reference::take(PySequence_GetItem(fields.get(), i)).get()));
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t position = 0; defaults && PyDict_Next(defaults.get(), &position, &key, &value);)
    cls->attributes[textOf(key)] = toValue(value);
  for (auto &[name, function] : kernelsOf(object))
    cls->attributes[name] = toValue(function.get());
  return cls;
}

Value Embedding::ofNamedTuple(PyObject *object) {
  lang::Values items;
  for (Py_ssize_t i = 0; i < PyTuple_Size(object); ++i)
    items.push_back(toValue(PyTuple_GetItem(object, i)));
  return Value::tuple(std::move(items), namedTupleClass(reinterpret_cast<PyObject *>(Py_TYPE(object))));
}

// Aggregates and enums are made from their text, by the rules that kernel files follow.
std::shared_ptr<lang::Class> Embedding::classFromText(PyObject *object) {
  Reference source = Reference::take(PyObject_CallMethod(pythonTypes().support, "class_source", "O", object));
  if (!source)
    failWithPython();
  std::shared_ptr<lang::Module> module =
      openText(textOf(PyTuple_GetItem(source.get(), 0)), PyLong_AsLong(PyTuple_GetItem(source.get(), 1)),
               textOf(PyTuple_GetItem(source.get(), 2)));
  if (!module)
    session.fail("the source of the class `" + pathOf(object) + "` cannot be read", {}, "SyntaxError");
  building[object];
  resolveNames(*module, {Reference::share(PyTuple_GetItem(source.get(), 3)),
                         Reference::share(PyTuple_GetItem(source.get(), 4))});
  std::string name = textOf(attributeOf(object, "__name__").get());
  module->state = lang::Module::State::Fresh;
  compiler.loader().execute(*module);
  auto found = module->globals->names.find(name);
  auto *cls = found == module->globals->names.end() ? nullptr : found->second.get<std::shared_ptr<lang::Class>>();
  if (!cls)
    session.fail("the source of the class `" + pathOf(object) + "` does not make it", {}, "TypeError");
  for (auto &[user, mention] : building[object])
    user->globals->names[mention] = *cls;
  building.erase(object);
  return *cls;
}

// Decorators that are functions of the program have done in Python what they do.
static void asDecorated(lang::Class &cls, PyObject *object) {
  cls.kind = lang::Class::Kind::Aggregate;
  for (auto &[name, kernel] : kernelsOf(object)) {
    auto own = cls.attributes.find(name); // what it inherits is in its bases
    auto *member = own == cls.attributes.end() ? nullptr : own->second.object<lang::Function>();
    if (member && member->kind == lang::Function::Kind::Plain)
      member->kind = lang::Function::Kind::Jit;
  }
}

Value Embedding::ofClass(PyObject *object) {
  if (std::string path = textOf(attributeOf(object, "__nereid_path__").get()); !path.empty())
    if (Value found = ofLanguage(path))
      return found;
  std::string name = textOf(attributeOf(object, "__name__").get()),
              home = textOf(attributeOf(object, "__module__").get());
  if (home.starts_with("triton.language"))
    if (Value found = ofLanguage("triton.language." + name))
      return found;
  if (home == "builtins" || home == "enum")
    if (std::shared_ptr<lang::Class> cls = lang::libraryClass(name))
      return cls;
  if (PyObject_HasAttrString(object, "_fields") &&
      PyObject_IsSubclass(object, reinterpret_cast<PyObject *>(&PyTuple_Type)) == 1)
    return namedTupleClass(object);
  if (isTrue(object, "__triton_aggregate__") || PyObject_HasAttrString(object, "__members__")) {
    std::shared_ptr<lang::Class> cls = classFromText(object);
    if (isTrue(object, "__triton_aggregate__"))
      asDecorated(*cls, object);
    origins[cls.get()] = object;
    return cls;
  }
  return lang::makeForeign(std::make_shared<PythonObject>(*this, object, Use::Reader), pathOf(object));
}

Value Embedding::ofEnumMember(PyObject *object) {
  Value cls = toValue(reinterpret_cast<PyObject *>(Py_TYPE(object)));
  if (auto *found = cls.object<lang::Class>())
    if (Value member = found->lookup(textOf(attributeOf(object, "name").get())))
      return member;
  if (Reference value = attributeOf(object, "value"); value && (PyLong_Check(object) || PyUnicode_Check(object)))
    return toValue(value.get());
  return ofObject(object);
}

Reference Embedding::toPython(const Value &value) {
  if (value.isNone())
    return Reference::share(Py_None);
  if (const bool *flag = value.get<bool>())
    return Reference::share(*flag ? Py_True : Py_False);
  if (const Integer *number = value.get<Integer>())
    return Reference::take(PyLong_FromString(lang::integerText(*number).c_str(), nullptr, 10));
  if (const double *number = value.get<double>())
    return Reference::take(PyFloat_FromDouble(*number));
  if (const std::string *text = value.str())
    return Reference::take(PyUnicode_FromStringAndSize(text->data(), static_cast<Py_ssize_t>(text->size())));
  if (auto *opaque = value.constant<lang::Opaque>(); opaque && opaque->foreign)
    return Reference::share(static_cast<const PythonObject &>(*opaque->foreign).python());
  const void *object = value.object<lang::Function>() ? static_cast<const void *>(value.object<lang::Function>())
                                                      : value.object<lang::Class>();
  if (auto found = origins.find(object); object && found != origins.end())
    return Reference::share(found->second);
  if (const lang::Type *type = value.get<lang::Type>())
    return Reference::take(PyObject_CallMethod(pythonTypes().support, "type_named", "s", type->name().c_str()));
  const lang::Tuple *tuple = value.asTuple();
  auto *list = value.object<lang::ListObject>();
  if (!tuple && !list)
    session.fail("`" + lang::typeName(value) + "` cannot be passed to a function of compile time", {}, "TypeError");
  Reference items = Reference::take(PyList_New(0));
  for (const Value &item : tuple ? tuple->items : list->items)
    PyList_Append(items.get(), toPython(item).get());
  if (list)
    return items;
  Reference plain = Reference::take(PyList_AsTuple(items.get()));
  auto origin = tuple->cls ? origins.find(tuple->cls.get()) : origins.end();
  return origin == origins.end() ? plain : Reference::take(PyObject_Call(origin->second, plain.get(), nullptr));
}

} // namespace nereid::python
