// Classes.cpp: what classes are made with: dataclasses, enum, collections, typing, abc, copy; and the exceptions.
#include "lang/evaluate/library/Tables.h"

namespace nereid::lang {

namespace {

using enum LibraryFunction::Takes;

Value markDataclass(const Value &value, DictObject *options) {
  auto *cls = value.object<Class>();
  if (!cls || cls->kind != Class::Kind::Plain)
    return value;
  auto isOn = [&](const char *name, bool otherwise) {
    Value *option = options ? findItem(*options, Value(std::string(name))) : nullptr;
    return option && option->is<bool>() ? *option->get<bool>() : otherwise;
  };
  if (!isOn("init", true) || !isOn("eq", true))
    return makeOpaque(cls->name + " (a dataclass without `__init__` or `__eq__`)");
  cls->kind = Class::Kind::Dataclass;
  cls->isFrozen = isOn("frozen", false);
  cls->isHashable = cls->isFrozen || isOn("unsafe_hash", false);
  return value;
}
Value applyDataclass(LibraryCall &call) { return markDataclass(call[1], call[0].object<DictObject>()); }
const LibraryFunction dataclassWithOptions{"dataclasses.dataclass", "options cls", applyDataclass, Unknown};
Value dataclass(LibraryCall &call) {
  return call[0] ? markDataclass(call[0], call[1].object<DictObject>()) : makeMethod(call[1], &dataclassWithOptions);
}

Value makeField(LibraryCall &call) {
  auto field = makeInstance("field");
  if (call[0])
    field->fields["default"] = call[0];
  if (call[1])
    field->fields["default_factory"] = call[1];
  return field;
}

Value asDict(LibraryCall &call) {
  auto dict = std::make_shared<DictObject>();
  if (auto *instance = call[0].object<Instance>())
    for (const std::string &field : instance->cls->fields)
      if (auto found = instance->fields.find(field); found != instance->fields.end())
        setItem(*dict, Value(field), found->second);
  return dict;
}

Value replaced(LibraryCall &call) {
  auto *instance = call[0].object<Instance>();
  if (!instance)
    call.expected(0, "a dataclass or an aggregate");
  auto copy = std::make_shared<Instance>(*instance);
  for (auto &[name, value] : call[1].object<DictObject>()->items)
    copy->fields[toString(name)] = value;
  return copy;
}

Value fieldsOf(LibraryCall &call) {
  Values result;
  auto *instance = call[0].object<Instance>();
  Class *cls = instance ? instance->cls.get() : call[0].object<Class>();
  for (size_t i = 0; cls && i < cls->fields.size(); ++i) {
    auto field = makeInstance("field");
    field->fields["name"] = cls->fields[i];
    result.push_back(field);
  }
  return Value::tuple(std::move(result));
}

const LibraryFunction dataclassesFunctions[] = {
    {"dataclasses.dataclass", "cls? **options", dataclass, Unknown},
    {"dataclasses.field", "default? default_factory? **options", makeField, Unknown},
    {"dataclasses.asdict", "object", asDict},
    {"dataclasses.replace", "object **fields", replaced, Unknown},
    {"dataclasses.fields", "object", fieldsOf},
};

Value makeAuto(LibraryCall &) { return makeInstance("auto"); }
const LibraryFunction autoNew{"enum.auto", "", makeAuto};
const LibraryFunction enumFunctions[] = {{"enum.unique", "cls", firstArgument, Unknown}};

void addNames(Scope &globals, std::initializer_list<const char *> types) {
  for (const char *name : types)
    globals.names[name] = libraryClass(name);
}
void populateEnum(Scope &globals) { addNames(globals, {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "auto"}); }
void populateCollections(Scope &globals) { addNames(globals, {"OrderedDict", "defaultdict"}); }

Value namedTuple(LibraryCall &call) {
  auto cls = std::make_shared<Class>();
  cls->name = call.text(0);
  cls->kind = Class::Kind::NamedTuple;
  cls->bases.push_back(libraryClass("NamedTuple"));
  if (call[1].str()) {
    std::string word;
    for (char c : *call[1].str() + " ") {
      if (c != ' ' && c != ',' && c != '\n')
        word += c;
      else if (!word.empty())
        cls->fields.push_back(std::exchange(word, ""));
    }
  } else {
    for (const Value &field : call.eval.iterate(call[1])) // a name, or (name, type) of typing.NamedTuple
      cls->fields.push_back(
          toString(field.asTuple() && !field.asTuple()->items.empty() ? field.asTuple()->items[0] : field));
  }
  if (call[2]) {
    Values defaults = call.eval.iterate(call[2]);
    for (size_t i = 0; i < defaults.size() && i < cls->fields.size(); ++i)
      cls->attributes[cls->fields[cls->fields.size() - defaults.size() + i]] = defaults[i];
  }
  cls->module = call.eval.activation ? call.eval.activation->module : nullptr;
  return cls;
}
const LibraryFunction namedTupleFunction{"collections.namedtuple", "name fields defaults? **options", namedTuple,
                                         Unknown};
const LibraryFunction collectionsFunctions[] = {
    {"collections.namedtuple", "name fields defaults? **options", namedTuple, Unknown},
    {"collections.deque", "*arguments **options", unknownCall, Unknown},
    {"collections.Counter", "*arguments **options", unknownCall, Unknown}};

Value castTo(LibraryCall &call) { return call[1]; }
const LibraryFunction typingFunctions[] = {
    {"typing.cast", "type value", castTo, Anything},
    {"typing.overload", "function", firstArgument, Unknown},
    {"typing.final", "value", firstArgument, Unknown},
    {"typing.runtime_checkable", "value", firstArgument, Unknown},
    {"typing.no_type_check", "value", firstArgument, Unknown},
    {"typing.override", "value", firstArgument, Unknown},
    {"typing.TypeVar", "*arguments **options", unknownCall, Unknown},
    {"typing.NewType", "name type", castTo, Unknown},
};
void populateTyping(Scope &globals) {
  globals.names["TYPE_CHECKING"] = false;
  addNames(globals, {"NamedTuple"});
  for (const LibraryType &type : inertTypes())
    globals.names[std::string(type.name)] = libraryClass(type.name);
}

const LibraryFunction abcFunctions[] = {{"abc.abstractmethod", "function", firstArgument, Unknown}};
void populateAbc(Scope &globals) { addNames(globals, {"ABC", "ABCMeta"}); }

Value copyDeep(ConstEval &eval, const Value &value, int depth) {
  eval.session.step();
  if (depth > 50)
    return value;
  if (auto *list = value.object<ListObject>()) {
    Values items;
    for (const Value &item : list->items)
      items.push_back(copyDeep(eval, item, depth + 1));
    return makeList(std::move(items));
  }
  if (auto *dict = value.object<DictObject>()) {
    auto copy = std::make_shared<DictObject>(*dict);
    for (auto &item : copy->items)
      item.second = copyDeep(eval, item.second, depth + 1);
    return copy;
  }
  if (auto *set = value.object<SetObject>())
    return std::make_shared<SetObject>(*set);
  if (auto *instance = value.object<Instance>()) {
    auto copy = std::make_shared<Instance>(*instance);
    for (auto &field : copy->fields)
      field.second = copyDeep(eval, field.second, depth + 1);
    return copy;
  }
  return value;
}
Value deepCopy(LibraryCall &call) { return copyDeep(call.eval, call[0], 0); }
Value shallowCopy(LibraryCall &call) {
  if (auto *list = call[0].object<ListObject>())
    return makeList(list->items);
  if (auto *dict = call[0].object<DictObject>())
    return std::make_shared<DictObject>(*dict);
  if (auto *instance = call[0].object<Instance>())
    return std::make_shared<Instance>(*instance);
  return call[0];
}
const LibraryFunction copyFunctions[] = {{"copy.copy", "value", shallowCopy, Unknown},
                                         {"copy.deepcopy", "value memo?", deepCopy, Unknown}};

} // namespace

const LibraryFunction *const namedTupleConstructor = &namedTupleFunction; // NamedTuple("Point", [("x", int)])

const LibraryType enumType{"Enum", nullptr, {}, ""}, intEnumType{"IntEnum", nullptr, {}, "Enum"},
    strEnumType{"StrEnum", nullptr, {}, "Enum"}, flagType{"Flag", nullptr, {}, "Enum"},
    intFlagType{"IntFlag", nullptr, {}, "IntEnum"}, autoType{"auto", &autoNew, {}, ""},
    fieldType{"field", nullptr, {}, ""};

std::span<const LibraryType> exceptionTypes() {
  static const LibraryType types[] = {{"BaseException", nullptr, {}, "", true},
                                      {"Exception", nullptr, {}, "BaseException", true},
                                      {"ValueError", nullptr, {}, "Exception", true},
                                      {"TypeError", nullptr, {}, "Exception", true},
                                      {"LookupError", nullptr, {}, "Exception", true},
                                      {"KeyError", nullptr, {}, "LookupError", true},
                                      {"IndexError", nullptr, {}, "LookupError", true},
                                      {"AttributeError", nullptr, {}, "Exception", true},
                                      {"FrozenInstanceError", nullptr, {}, "AttributeError"},
                                      {"NameError", nullptr, {}, "Exception", true},
                                      {"ImportError", nullptr, {}, "Exception", true},
                                      {"ModuleNotFoundError", nullptr, {}, "ImportError", true},
                                      {"AssertionError", nullptr, {}, "Exception", true},
                                      {"RuntimeError", nullptr, {}, "Exception", true},
                                      {"NotImplementedError", nullptr, {}, "RuntimeError", true},
                                      {"RecursionError", nullptr, {}, "RuntimeError", true},
                                      {"ArithmeticError", nullptr, {}, "Exception", true},
                                      {"ZeroDivisionError", nullptr, {}, "ArithmeticError", true},
                                      {"OverflowError", nullptr, {}, "ArithmeticError", true},
                                      {"OSError", nullptr, {}, "Exception", true},
                                      {"FileNotFoundError", nullptr, {}, "OSError", true},
                                      {"PermissionError", nullptr, {}, "OSError", true},
                                      {"MemoryError", nullptr, {}, "Exception", true},
                                      {"StopIteration", nullptr, {}, "Exception", true},
                                      {"SyntaxError", nullptr, {}, "Exception", true},
                                      {"TimeoutError", nullptr, {}, "OSError", true},
                                      {"UnicodeDecodeError", nullptr, {}, "ValueError", true},
                                      {"Warning", nullptr, {}, "Exception", true},
                                      {"DeprecationWarning", nullptr, {}, "Warning", true},
                                      {"UserWarning", nullptr, {}, "Warning", true},
                                      {"FutureWarning", nullptr, {}, "Warning", true},
                                      {"RuntimeWarning", nullptr, {}, "Warning", true},
                                      {"KeyboardInterrupt", nullptr, {}, "BaseException", true},
                                      {"SystemExit", nullptr, {}, "BaseException", true}};
  return types;
}

std::span<const LibraryType> inertTypes() {
  static const LibraryType types[] = {
      {"ABC", nullptr, {}, ""},       {"ABCMeta", nullptr, {}, ""},    {"Generic", nullptr, {}, ""},
      {"Protocol", nullptr, {}, ""},  {"TypedDict", nullptr, {}, ""},  {"Any", nullptr, {}, ""},
      {"Optional", nullptr, {}, ""},  {"Union", nullptr, {}, ""},      {"List", nullptr, {}, "list"},
      {"Dict", nullptr, {}, "dict"},  {"Tuple", nullptr, {}, "tuple"}, {"Set", nullptr, {}, "set"},
      {"Callable", nullptr, {}, ""},  {"Sequence", nullptr, {}, ""},   {"Iterable", nullptr, {}, ""},
      {"Iterator", nullptr, {}, ""},  {"Mapping", nullptr, {}, ""},    {"Type", nullptr, {}, ""},
      {"Literal", nullptr, {}, ""},   {"Final", nullptr, {}, ""},      {"ClassVar", nullptr, {}, ""},
      {"Hashable", nullptr, {}, ""},  {"Self", nullptr, {}, ""},       {"Annotated", nullptr, {}, ""},
      {"Generator", nullptr, {}, ""}, {"Concatenate", nullptr, {}, ""}};
  return types;
}

const LibraryModule dataclassesModule{"dataclasses", dataclassesFunctions, nullptr, true},
    enumModule{"enum", enumFunctions, populateEnum, true},
    collectionsModule{"collections", collectionsFunctions, populateCollections, true},
    collectionsAbcModule{"collections.abc", {}, populateTyping, true},
    typingModule{"typing", typingFunctions, populateTyping, true},
    typingExtensionsModule{"typing_extensions", typingFunctions, populateTyping, true},
    abcModule{"abc", abcFunctions, populateAbc, true}, copyModule{"copy", copyFunctions};

} // namespace nereid::lang
