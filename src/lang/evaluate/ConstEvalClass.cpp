// ConstEvalClass.cpp: classes of compile-time Python: plain ones, named tuples, dataclasses, enums and aggregates.
#include "lang/DeferredDelete.h"
#include "lang/SyntaxWalk.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>

namespace nereid::lang {

using namespace syntax;

namespace {

void addBase(Class &cls, const Value &base) {
  auto *known = base.get<std::shared_ptr<Class>>();
  if (!known) {
    cls.isOpaque = true;
    return;
  }
  const std::shared_ptr<Class> &parent = *known;
  cls.bases.push_back(parent);
  cls.isOpaque = cls.isOpaque || parent->isOpaque;
  if (parent->kind != Class::Kind::Plain)
    cls.kind = parent->kind;
  Session::charge(parent->fields.size() * (1 + cls.fields.size()) / 16);
  for (const std::string &field : parent->fields)
    if (std::ranges::find(cls.fields, field) == cls.fields.end())
      cls.fields.push_back(field);
}

void addFields(Class &cls, Body body) {
  Session::charge(body.size() * (1 + cls.fields.size()) / 16);
  for (const Stmt *statement : body)
    if (auto *annotated = dynCast<AnnAssign>(statement))
      if (auto *name = dynCast<Name>(annotated->target))
        if (std::ranges::find(cls.fields, name->id) == cls.fields.end())
          cls.fields.emplace_back(name->id);
}

// A wrapped method (staticmethod, property) belongs to the class too.
void adopt(const std::shared_ptr<Class> &cls, const Value &member) {
  if (auto *wrapper = member.object<Instance>())
    for (const char *field : {"__func__", "fget", "fset"})
      if (auto found = wrapper->fields.find(field); found != wrapper->fields.end())
        if (auto *function = found->second.object<Function>())
          function->owner = cls;
  if (auto *function = member.object<Function>())
    function->owner = cls;
}

// How many classes a lookup through all bases may visit.
constexpr int kMaxAncestors = 500;
void countAncestors(Session &session, const Class &cls, int &count) {
  if (++count > kMaxAncestors)
    session.fail("a class has more than " + std::to_string(kMaxAncestors) + " classes above it", {}, "RecursionError");
  for (auto &base : cls.bases)
    countAncestors(session, *base, count);
}

bool isEnumMember(const std::string &name, const Value &value) {
  bool isSpecial = name.starts_with("_");
  return !isSpecial && !value.object<Function>() && !value.object<Class>() && !value.constant<BoundMethod>() &&
         !(value.object<Instance>() && value.object<Instance>()->fields.contains("__func__")) &&
         !(value.object<Instance>() && value.object<Instance>()->fields.contains("fget"));
}

// Methods that change what statements do with a class or its objects, which are not asked here.
constexpr std::string_view kUnasked[] = {
    "__setattr__", "__delattr__", "__getattribute__",  "__init_subclass__", "__set_name__", "__get__",
    "__set__",     "__delete__",  "__instancecheck__", "__subclasscheck__", "__new__",      "__del__"};

// Why nothing can be said of a class; no value of most.
std::optional<std::string> unknownBecause(ConstEval &eval, const ClassDef &definition, const Class &cls,
                                          const std::shared_ptr<Scope> &scope) {
  for (std::string_view method : kUnasked)
    if (auto found = cls.attributes.find(std::string(method)); found != cls.attributes.end())
      return "it defines `" + std::string(method) + "`";
  for (const Keyword *keyword : definition.keywords) {
    Value value = eval.evaluate(keyword->value, scope);
    auto *metaclass = keyword->arg == "metaclass" ? value.object<Class>() : nullptr;
    if (!metaclass || metaclass->module)
      return "of `" + std::string(keyword->arg) + "=`";
  }
  return std::nullopt;
}

} // namespace

Value ConstEval::defineClass(const ClassDef &definition, const std::shared_ptr<Scope> &scope) {
  session.step(50); // a class takes that long to make
  auto cls = std::make_shared<Class>();
  cls->name = definition.name;
  cls->module = activation ? activation->module : nullptr;
  for (const Expr *base : definition.bases)
    addBase(*cls, base->kind == ExprKind::Starred ? makeOpaque("bases") : evaluate(base, scope));
  int ancestors = 0;
  countAncestors(session, *cls, ancestors);
  Activation inner;
  inner.module = cls->module;
  inner.isLenient = activation && activation->isLenient;
  inner.scope = std::make_shared<Scope>();
  inner.scope->parent = scope;
  inner.scope->isClass = true;
  {
    Activation *outer = std::exchange(activation, &inner);
    struct Restore {
      Activation *&slot, *saved;
      ~Restore() { slot = saved; }
    } restore{activation, outer};
    execute(definition.body);
  }
  addFields(*cls, definition.body);
  for (auto &[name, value] : inner.scope->names) {
    cls->attributes[name] = value;
    adopt(cls, value);
  }
  if (cls->kind == Class::Kind::Enum)
    makeEnumMembers(cls, definition.body);
  Value result = cls;
  if (auto reason = unknownBecause(*this, definition, *cls, scope))
    result = makeOpaque(cls->name + " (a class of which little is known: " + *reason + ")");
  for (size_t i = definition.decorators.size(); i-- > 0;) {
    Value decorated = call(evaluate(definition.decorators[i], scope), Values{result});
    if (!decorated.constant<Opaque>())
      result = decorated;
  }
  return result;
}

void ConstEval::makeEnumMembers(const std::shared_ptr<Class> &cls, Body body) {
  std::vector<std::string_view> order;
  for (const Stmt *statement : body)
    boundNames(statement, order);
  auto members = std::make_shared<DictObject>();
  bool isInteger = cls->isSubclassOf(*libraryClass("IntEnum")) || cls->isSubclassOf(*libraryClass("int"));
  bool isText = cls->isSubclassOf(*libraryClass("StrEnum")) || cls->isSubclassOf(*libraryClass("str"));
  Integer next = 1;
  for (std::string_view each : order) {
    std::string name(each);
    Value value = cls->attributes[name];
    if (!isEnumMember(name, value))
      continue;
    if (value.object<Instance>() && value.object<Instance>()->cls == libraryClass("auto"))
      value = isText ? Value(name) : Value(next);
    next = *binary(BinaryOperator::Add, Value(value.integer().value_or(next)), 1).integer();
    Value member = value;
    if (!isInteger && !isText) {
      auto instance = std::make_shared<Instance>();
      instance->cls = cls;
      instance->fields["name"] = instance->fields["_name_"] = name;
      instance->fields["value"] = instance->fields["_value_"] = value;
      member = instance;
    }
    cls->attributes[name] = member;
    setItem(*members, Value(name), member);
  }
  cls->attributes["__members__"] = members;
}

Value ConstEval::enumMember(const std::shared_ptr<Class> &cls, const std::vector<CallArgument> &arguments) {
  Value members = cls->lookup("__members__");
  if (!members.object<DictObject>() || arguments.size() != 1)
    return makeOpaque(cls->name + "()");
  for (auto &[name, member] : members.object<DictObject>()->items)
    if (areEqual(member, arguments[0].value) ||
        (member.object<Instance>() && areEqual(member.object<Instance>()->fields["value"], arguments[0].value)))
      return member;
  session.fail(repr(arguments[0].value) + " is not a valid `" + cls->name + "`");
}

Value ConstEval::makeNamedTuple(const std::shared_ptr<Class> &cls, std::vector<CallArgument> arguments) {
  Values items(cls->fields.size());
  size_t next = 0;
  for (CallArgument &argument : arguments) {
    size_t index = next;
    if (!argument.keyword.empty())
      index = std::ranges::find(cls->fields, argument.keyword) - cls->fields.begin();
    else
      ++next;
    if (index >= items.size())
      session.failAt(argument.range,
                     argument.keyword.empty()
                         ? "`" + cls->name + "` has only " + std::to_string(items.size()) + " fields"
                         : "`" + cls->name + "` has no field `" + argument.keyword + "`",
                     {}, "TypeError");
    items[index] = std::move(argument.value);
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i] && !(items[i] = cls->lookup(cls->fields[i])))
      session.fail("`" + cls->name + "` needs a value for the field `" + cls->fields[i] + "`", {}, "TypeError");
  return Value::tuple(std::move(items), cls);
}

void ConstEval::bindFields(const std::shared_ptr<Instance> &instance, const std::vector<CallArgument> &arguments) {
  const Class &cls = *instance->cls;
  size_t next = 0;
  for (const CallArgument &argument : arguments) {
    if (argument.keyword.empty() && next >= cls.fields.size())
      session.failAt(argument.range, "`" + cls.name + "` has only " + std::to_string(cls.fields.size()) + " fields", {},
                     "TypeError");
    const std::string &field = argument.keyword.empty() ? cls.fields[next++] : argument.keyword;
    if (std::ranges::find(cls.fields, field) == cls.fields.end())
      session.failAt(argument.range, "`" + cls.name + "` has no field `" + field + "`", {}, "TypeError");
    instance->fields[field] = argument.value;
  }
  for (const std::string &field : cls.fields) {
    if (instance->fields.contains(field))
      continue;
    Value value = cls.lookup(field);
    if (auto *description = value.object<Instance>(); description && description->cls == libraryClass("field")) {
      Value factory = description->fields["default_factory"];
      value = factory ? call(factory, Values{}) : description->fields["default"];
    }
    if (!value)
      session.fail("`" + cls.name + "` needs a value for the field `" + field + "`", {}, "TypeError");
    instance->fields[field] = value;
  }
}

Value ConstEval::instantiate(const std::shared_ptr<Class> &cls, std::vector<CallArgument> arguments) {
  if (auto own = cls->attributes.find("__new__");
      own != cls->attributes.end() && own->second.is<const LibraryFunction *>())
    return callLibrary(**own->second.get<const LibraryFunction *>(), std::move(arguments));
  if (cls->kind == Class::Kind::Enum)
    return enumMember(cls, arguments);
  if (cls->kind == Class::Kind::NamedTuple)
    return makeNamedTuple(cls, std::move(arguments));
  std::shared_ptr<Instance> instance = makeNested(Instance{cls, {}});
  // An aggregate without one of its own takes all its fields, those that it inherits first.
  bool takesFields = cls->kind == Class::Kind::Aggregate && !cls->attributes.contains("__init__");
  Value initializer = takesFields ? Value() : cls->lookup("__init__");
  if (auto *function = initializer.get<std::shared_ptr<Function>>()) {
    arguments.insert(arguments.begin(), {Value(instance), "", session.place()});
    if ((*function)->kind != Function::Kind::Jit) {
      callFunction(*function, std::move(arguments));
      return instance;
    }
    // A jit initializer of an aggregate: its body only stores its arguments.
    auto plain = std::make_shared<Function>(**function);
    plain->kind = Function::Kind::Plain;
    callFunction(plain, std::move(arguments));
    return instance;
  }
  if (cls->kind == Class::Kind::Dataclass || cls->kind == Class::Kind::Aggregate) {
    bindFields(instance, arguments);
    if (Value hook = cls->lookup("__post_init__"))
      call(hook, Values{Value(instance)});
    return instance;
  }
  Values positional;
  for (CallArgument &argument : arguments)
    positional.push_back(std::move(argument.value));
  bool isException = cls->isSubclassOf(*libraryClass("BaseException"));
  if (!positional.empty() && !isException && !cls->isOpaque)
    session.fail("`" + cls->name + "` takes no arguments", {}, "TypeError");
  if (isException)
    instance->fields["args"] = Value::tuple(std::move(positional));
  return instance;
}

} // namespace nereid::lang
