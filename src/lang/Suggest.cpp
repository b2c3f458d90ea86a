#include "lang/Suggest.h"

#include "lang/Builtin.h"
#include "lang/Function.h"
#include "lang/emit/KernelEmitter.h"

#include "support/Diagnostic.h"

#include <algorithm>
#include <array>

namespace nereid::lang {

std::vector<std::string> didYouMean(std::string_view name, const std::vector<std::string> &known) {
  std::string nearest = nearestName(name, known);
  if (nearest.empty() || nearest == name)
    return {};
  return {"did you mean `" + nearest + "`?"};
}

std::string originOf(const Opaque &opaque) {
  // `NAME (WHY)`: a statement of the module failed.
  size_t open = opaque.path.find(" ("), close = opaque.path.rfind(')');
  if (open == std::string::npos || close == std::string::npos)
    return "it comes from `" + opaque.path + "`";
  std::string why = opaque.path.substr(open + 2, close - open - 2);
  return why.starts_with("which ") ? "it comes from `" + opaque.path.substr(0, open) + "`, " + why : why;
}

std::string pathOf(const Opaque &opaque) {
  size_t open = opaque.path.find(" ("), close = opaque.path.rfind(')');
  if (open == std::string::npos || close == std::string::npos)
    return opaque.path;
  return opaque.path.substr(0, open) + opaque.path.substr(close + 1);
}

static void addRows(std::vector<std::string> &names, std::string_view space, bool onlyMembers) {
  for (const BuiltinTable &table : builtinTables())
    for (const Builtin &row : table.rows)
      if (onlyMembers ? row.isMember : table.space == space)
        names.emplace_back(row.name());
}

static void addClass(std::vector<std::string> &names, const Class &cls) {
  names.insert(names.end(), cls.fields.begin(), cls.fields.end());
  for (const auto &[name, value] : cls.attributes)
    names.push_back(name);
  for (const auto &base : cls.bases)
    addClass(names, *base);
}

std::vector<std::string> attributeNames(const Value &object) {
  std::vector<std::string> names;
  if (object.isTensor()) {
    names = {"dtype", "type", "shape", "numel", "T"};
    addRows(names, "", /*onlyMembers=*/true);
  } else if (object.constant<Descriptor>()) {
    names = {"dtype", "type", "shape", "strides", "block_shape"};
    addRows(names, "descriptor", /*onlyMembers=*/false);
  } else if (object.is<Type>()) {
    names = {"name", "scalar", "element_ty", "primitive_bitwidth", "itemsize", "int_bitwidth", "fp_mantissa_width"};
    addRows(names, "dtype", /*onlyMembers=*/false);
  } else if (Module *module = object.object<Module>()) {
    if (module->globals)
      for (const auto &[name, value] : module->globals->names)
        names.push_back(name);
  } else if (Instance *instance = object.object<Instance>()) {
    for (const auto &[name, value] : instance->fields)
      names.push_back(name);
    addClass(names, *instance->cls);
  } else if (Class *cls = object.object<Class>()) {
    addClass(names, *cls);
  } else if (const Tuple *tuple = object.asTuple(); tuple && tuple->cls) {
    names = tuple->cls->fields;
  }
  return names;
}

std::string missingAttribute(const Value &object, const std::string &name) {
  if (Module *module = object.object<Module>())
    return "`" + module->name + "` has no `" + name + "`";
  if (Class *cls = object.object<Class>())
    return "`" + cls->name + "` has no attribute `" + name + "`";
  if (auto *type = object.get<Type>())
    return "the type " + type->shortName() + " has no attribute `" + name + "`";
  return "a value of type " + describe(object) + " has no attribute `" + name + "`";
}

std::vector<std::string> attributeHelp(const Value &object, const std::string &name) {
  static constexpr std::array<std::string_view, 6> kExtents = {"dim", "ndim", "numel", "size", "stride", "strides"};
  if (auto *tensor = object.get<Tensor>(); tensor && tensor->type.isPointer() && !tensor->type.isBlock())
    if (std::ranges::find(kExtents, name) != kExtents.end())
      return {"a kernel gets the address of a tensor: pass its extents and strides as parameters"};
  if (std::string help = recipeFor(name); !help.empty() && (object.isTensor() || object.object<Module>()))
    return {std::move(help)};
  if (object.asTuple() && (name == "append" || name == "extend" || name == "insert"))
    return {"a list in a kernel is a tuple: in a `tl.static_range` loop write `items = items + (x, )`",
            "values that are counted at run time go into a tile, or to memory with `tl.store`"};
  if (object.isTensor() && isHostMethod(name))
    return {"leave it out: a tile is a value, which lies nowhere"};
  if (object.number() && findMember(name)) // a stride that is 1 in one launch and not in the next
    return {"it is a constant: what is annotated `tl.constexpr` is one, and an argument that is 1",
            name == "to" ? "write `tl.cast(x, tl.int64)`, or let `do_not_specialize` name the parameter"
                         : "write `tl." + name + "(…)`, or let `do_not_specialize` name the parameter"};
  if (object.is<Type>() && name == "element_ty")
    return {"only a pointer or a block has an element type"};
  return didYouMean(name, attributeNames(object));
}

} // namespace nereid::lang
