// ConstEvalAttribute.cpp: attributes of values in compile-time Python.
#include "lang/Foreign.h"
#include "lang/Modules.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"
#include "lang/semantic/Semantic.h"

namespace nereid::lang {

using namespace syntax;

namespace {

Value wrapperField(const Value &value, const char *className, const char *field) {
  auto *instance = value.object<Instance>();
  if (!instance || instance->cls != libraryClass(className))
    return {};
  auto found = instance->fields.find(field);
  return found == instance->fields.end() ? Value() : found->second;
}

bool isFunctionLike(const Value &value) {
  return value.object<Function>() || value.is<const LibraryFunction *>() || value.is<const Builtin *>();
}

Value bound(const Value &self, const Value &function) {
  return std::make_shared<const BoundMethod>(BoundMethod{self, function});
}

// What a lookup in a class gives for one of its instances.
Value bindMember(ConstEval &eval, const Value &self, const Value &cls, const Value &member) {
  if (Value getter = wrapperField(member, "property", "fget")) {
    Value value = eval.call(getter, Values{self});
    Value name = wrapperField(member, "property", "cachedAs");
    if (auto *instance = self.object<Instance>(); instance && name.str())
      instance->fields[*name.str()] = value;
    return value;
  }
  if (Value plain = wrapperField(member, "staticmethod", "__func__"))
    return plain;
  if (Value method = wrapperField(member, "classmethod", "__func__"))
    return bound(cls, method);
  return isFunctionLike(member) ? bound(self, member) : member;
}

Value functionAttribute(const Value &object, const Function &function, const std::string &name) {
  if (name == "__name__" || name == "__qualname__")
    return function.name;
  if (name == "fn" || name == "__wrapped__" || name == "__func__") // autotuner.fn, jit.fn
    return object;
  if (name == "arg_names") {
    Values names;
    for (const Parameter &parameter : function.parameters)
      names.push_back(parameter.name);
    return makeList(std::move(names));
  }
  if (name == "__module__" && function.module)
    return function.module->name;
  return makeOpaque(function.name + "." + name);
}

Value numberAttribute(const Value &object, const std::string &name) {
  auto whole = object.integer();
  if (name == "real" || (name == "numerator" && whole))
    return whole ? Value(*whole) : object;
  if (name == "imag")
    return whole ? Value(0) : Value(0.0);
  return name == "denominator" && whole ? Value(1) : Value();
}

// `Kind.A.size`: a member of an enum of texts or integers is its value here, which does not know the class that says what else it has.
Value ofMixedMember(ConstEval &eval, const Attribute &expression, const Value &member,
                    const std::shared_ptr<Scope> &scope) {
  auto *inner = dynCast<Attribute>(expression.value);
  if (!inner || (!member.str() && !member.integer()))
    return {};
  Value owner = eval.evaluate(inner->value, scope);
  auto *cls = owner.object<Class>();
  Value members = cls && cls->kind == Class::Kind::Enum ? cls->lookup("__members__") : Value();
  auto *known = members.object<DictObject>();
  std::string name(inner->attr);
  if (!known || !findItem(*known, Value(name)))
    return {};
  if (expression.attr == "name")
    return name;
  Value found = cls->lookup(std::string(expression.attr));
  return found ? bindMember(eval, member, owner, found) : Value();
}

} // namespace

Value ConstEval::evaluateAttribute(const Attribute &expression, const std::shared_ptr<Scope> &scope) {
  Value object = evaluate(expression.value, scope);
  std::string name(expression.attr);
  if (Value found = attribute(object, name))
    return found;
  if (Value found = ofMixedMember(*this, expression, object, scope))
    return found;
  if (auto *module = object.object<Module>())
    session.fail("module `" + module->name + "` has no attribute `" + name + "`", {}, "AttributeError");
  session.fail("`" + typeName(object) + "` has no attribute `" + name + "`", {}, "AttributeError");
}

Value ConstEval::attribute(const Value &object, const std::string &name) {
  session.step();
  if (auto *opaque = object.constant<Opaque>(); opaque && opaque->foreign)
    return opaque->foreign->attribute(*this, name);
  if (auto *opaque = object.constant<Opaque>())
    return makeOpaque(opaque->path + "." + name);
  if (auto *module = object.get<std::shared_ptr<Module>>())
    return moduleAttribute(*this, **module, name);
  if (auto *instance = object.get<std::shared_ptr<Instance>>())
    return instanceAttribute(*instance, name);
  if (auto *cls = object.get<std::shared_ptr<Class>>())
    return classAttribute(*cls, name);
  if (auto *tuple = object.asTuple())
    if (Value found = tupleAttribute(object, *tuple, name))
      return found;
  if (auto *type = object.get<Type>())
    if (Value found = typeAttribute(*type, name))
      return found;
  if (object.number())
    if (Value found = numberAttribute(object, name))
      return found;
  if (auto *function = object.object<Function>())
    return functionAttribute(object, *function, name);
  if (auto *range = object.constant<RangeObject>()) {
    if (name == "start")
      return range->start;
    if (name == "stop")
      return range->stop;
    if (name == "step")
      return range->step;
  }
  // The functions of the library trust the object that they are bound to: they are not handed out without it.
  if (auto *method = object.constant<BoundMethod>();
      method && method->function.object<Function>() && (name == "__func__" || name == "__self__"))
    return name == "__func__" ? method->function : method->self;
  if (name == "value" && object.isConstant()) // every constant is a constexpr in a kernel
    return object;
  if (name == "type" && object.isConstant()) {
    auto type = makeInstance("constexpr_type");
    type->fields["value"] = object;
    return type;
  }
  std::shared_ptr<Class> cls = classOf(object);
  if (name == "__class__")
    return cls;
  if (Value member = cls ? cls->lookup(name) : Value())
    return bindMember(*this, object, cls, member);
  bool isNamed = object.is<const LibraryFunction *>() || object.is<const Builtin *>();
  if (isNamed && (name == "__name__" || name == "__qualname__"))
    return std::string(object.is<const Builtin *>() ? (*object.get<const Builtin *>())->name() : libraryName(object));
  return {};
}

Value ConstEval::instanceAttribute(const std::shared_ptr<Instance> &instance, const std::string &name) {
  if (auto found = instance->fields.find(name); found != instance->fields.end())
    return found->second;
  if (name == "__class__")
    return instance->cls;
  if (instance->cls == libraryClass("super")) {
    Value self = instance->fields["self"];
    if (!self.object<Instance>())
      return {};
    for (const std::shared_ptr<Class> &base : self.object<Instance>()->cls->bases)
      if (Value member = base->lookup(name))
        return bindMember(*this, self, base, member);
    return makeOpaque("super()." + name);
  }
  if (Value member = instance->cls->lookup(name))
    return bindMember(*this, Value(instance), Value(instance->cls), member);
  if (Value fallback = instance->cls->lookup("__getattr__"); fallback.object<Function>())
    return call(bound(Value(instance), fallback), Values{Value(name)});
  if (instance->cls->isOpaque) // it has a base that is not known
    return makeOpaque(instance->cls->name + "()." + name);
  return {};
}

void ConstEval::setAttribute(const Value &object, const std::string &name, const Value &value) {
  session.step(name.size() / 4); // names are compared to find their place
  session.make(name.size());
  if (auto *instance = object.object<Instance>()) {
    if (instance->cls->isFrozen)
      session.fail("a `" + instance->cls->name + "` is frozen: `" + name + "` cannot be set", {},
                   "FrozenInstanceError");
    Value member = instance->cls->lookup(name);
    if (wrapperField(member, "property", "fget") && !wrapperField(member, "property", "cachedAs")) {
      Value setter = wrapperField(member, "property", "fset");
      if (!setter)
        session.fail("property `" + name + "` of `" + instance->cls->name + "` cannot be set", {}, "AttributeError");
      call(setter, Values{object, value});
      return;
    }
    instance->fields[name] = value;
  } else if (auto *cls = object.object<Class>(); cls && cls->module) { // the classes of the library are shared
    cls->attributes[name] = value;
  } else if (auto *module = object.object<Module>(); module && module->loader) {
    module->globals->names[name] = value;
  } else if (!object.constant<Opaque>() && !object.object<Function>() && !object.object<Module>()) {
    session.fail("`" + typeName(object) + "` has no attribute `" + name + "` that can be set", {}, "AttributeError");
  }
}

void ConstEval::deleteAttribute(const Value &object, const std::string &name) {
  auto *instance = object.object<Instance>();
  auto *cls = object.object<Class>();
  if (instance && instance->cls->isFrozen)
    session.fail("a `" + instance->cls->name + "` is frozen: `" + name + "` cannot be deleted", {},
                 "FrozenInstanceError");
  if (instance && wrapperField(instance->cls->lookup(name), "property", "fget"))
    session.fail("property `" + name + "` of `" + instance->cls->name + "` cannot be deleted", {}, "AttributeError");
  bool isGone = instance             ? instance->fields.erase(name)
                : cls && cls->module ? cls->attributes.erase(name)
                                     : bool(object.constant<Opaque>());
  if (!isGone)
    session.fail("`" + typeName(object) + "` has no attribute `" + name + "` that can be deleted", {},
                 "AttributeError");
}

Value ConstEval::classAttribute(const std::shared_ptr<Class> &cls, const std::string &name) {
  if (name == "__name__" || name == "__qualname__")
    return cls->name;
  if (name == "__module__")
    return cls->module ? cls->module->name : std::string("builtins");
  bool hasPositions = cls->kind != Class::Kind::Plain && !cls->lookup("__match_args__");
  if (name == "_fields" || (name == "__match_args__" && hasPositions)) {
    Values names(cls->fields.begin(), cls->fields.end());
    return Value::tuple(std::move(names));
  }
  Value member = cls->lookup(name);
  if (Value plain = wrapperField(member, "staticmethod", "__func__"))
    return plain;
  if (Value method = wrapperField(member, "classmethod", "__func__"))
    return bound(Value(cls), method);
  if (!member && cls->isOpaque)
    return makeOpaque(cls->name + "." + name);
  if (!member && cls->kind == Class::Kind::NamedTuple && name == "_make")
    return cls;
  return member;
}

Value ConstEval::tupleAttribute(const Value &object, const Tuple &tuple, const std::string &name) {
  if (!tuple.cls)
    return {};
  session.step(tuple.cls->fields.size() / 16);
  for (size_t i = 0; i < tuple.cls->fields.size() && i < tuple.items.size(); ++i)
    if (tuple.cls->fields[i] == name)
      return tuple.items[i];
  if (name == "_fields") {
    Values names(tuple.cls->fields.begin(), tuple.cls->fields.end());
    return Value::tuple(std::move(names));
  }
  auto cls = std::const_pointer_cast<Class>(tuple.cls);
  if (name == "__class__")
    return cls;
  if (Value member = cls->lookup(name))
    return bindMember(*this, object, Value(cls), member);
  return {};
}

} // namespace nereid::lang
