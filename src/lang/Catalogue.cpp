#include "lang/Catalogue.h"

#include "lang/Builtin.h"
#include "lang/Function.h"
#include "lang/Modules.h"
#include "lang/evaluate/LibraryFunction.h"
#include "syntax/Ast.h"

#include <algorithm>

namespace nereid::lang {

namespace {

// Of the prelude: the docstring is the documentation, and a function without one is not for users.
std::string docstringOf(const Function &function) {
  if (!function.definition || function.definition->body.empty())
    return "";
  const auto *first = syntax::dynCast<syntax::ExprStmt>(function.definition->body.front());
  const auto *text = first ? syntax::dynCast<syntax::Constant>(first->value) : nullptr;
  return text && text->constantKind == syntax::ConstantKind::Str ? std::string(text->text) : "";
}

std::string signatureOf(const Function &function) {
  std::string text = function.name + "(";
  for (const Parameter &parameter : function.parameters) {
    text += (text.back() == '(' ? "" : ", ") + parameter.name;
    if (parameter.defaultValue)
      text += "=" + repr(parameter.defaultValue);
  }
  return text + ")";
}

struct PreludeSpace {
  std::string_view prelude, space;
};
constexpr PreludeSpace kPreludes[] = {
    {"core", "tl"}, {"standard", "tl"}, {"random", "tl"}, {"ragged_tma", "triton.tools.ragged_tma"}};

// Of the library: functions and constructors of types, whose rows are shared with all of Python and say nothing.
struct LibraryText {
  std::string_view name, row, documentation;
};
constexpr LibraryText kLibrary[] = {
    {"triton.jit", "triton.jit", "A kernel, or a function that kernels call."},
    {"triton.autotune", "triton.autotune",
     "Configurations to choose from by time, anew for other values of the `key` arguments."},
    {"triton.Config", "Config", "One configuration: values of constants, and how many warps and stages there are."},
    {"triton.heuristics", "triton.heuristics", "Values of constants, computed from the other arguments of a launch."},
    {"triton.constexpr_function", "triton.constexpr_function",
     "A function of constants that runs while the kernel is compiled."},
    {"triton.aggregate", "triton.aggregate", "A class whose objects are bundles of values in kernels."},
    {"triton.must_use_result", "triton.must_use_result", "A function whose result a caller must not drop."},
    {"triton.cdiv", "triton.cdiv", "Quotient of integers, rounded up; for hosts, grids and constants."},
    {"triton.next_power_of_2", "triton.next_power_of_2", "The smallest power of two that is not below `n`."},
    {"tl.aggregate_replace", "tl.aggregate_replace", "A copy of an aggregate with other values in some fields."},
    {"tl.core.extern", "tl.core.extern", "A function of the user around `extern_elementwise`."},
    {"tl.core.builtin", "tl.core.builtin", "A function of the user that is evaluated as Python, with dicts and lists."},
    {"tl.constexpr", "constexpr",
     "A constant that kernels may read, and the annotation of parameters that are constants."},
    {"tl.dtype", "dtype", "The element type of a name."},
    {"tl.pointer_type", "pointer_type", "The type of pointers to elements of a type."},
    {"tl.block_type", "block_type", "The type of tensors of a shape."},
    {"tl.target_info.is_cuda", "target_info.is_cuda", "Whether the target is an NVIDIA GPU."},
    {"tl.target_info.is_hip", "target_info.is_hip", "Whether the target is an AMD GPU."},
    {"tl.target_info.is_hip_cdna2", "target_info.is_hip_cdna2", "Whether it is of AMD's CDNA 2."},
    {"tl.target_info.is_hip_cdna3", "target_info.is_hip_cdna3", "Whether it is of AMD's CDNA 3."},
    {"tl.target_info.is_hip_cdna4", "target_info.is_hip_cdna4", "Whether it is of AMD's CDNA 4."},
    {"tl.target_info.is_hip_gfx1250", "target_info.is_hip_gfx1250", "Whether it is AMD's gfx1250."},
    {"tl.target_info.is_hip_rdna3", "target_info.is_hip_rdna3", "Whether it is of AMD's RDNA 3."},
    {"tl.target_info.is_hip_rdna4", "target_info.is_hip_rdna4", "Whether it is of AMD's RDNA 4."},
    {"tl.target_info.cuda_capability_geq", "target_info.cuda_capability_geq",
     "Whether it is an NVIDIA GPU of this compute capability or a later one."},
    {"tl.target_info.current_target", "target_info.current_target", "The target: `backend`, `arch` and `warp_size`."}};

const LibraryFunction *findRow(std::string_view name) {
  for (const LibraryModule *module : libraryModules())
    for (const LibraryFunction &function : module->functions)
      if (function.name == name)
        return &function;
  for (const LibraryType *type : libraryTypes())
    if (type->name == name && type->constructor)
      return type->constructor;
  return nullptr;
}

// `configs key? **more` as Python writes it.
std::string signatureOf(std::string_view name, const LibraryFunction &row) {
  std::string text = std::string(name.substr(name.rfind('.') + 1)) + "(";
  for (std::string_view rest = row.parameters; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    bool isOptional = word.ends_with('?');
    word.remove_suffix(isOptional);
    text += (text.back() == '(' ? "" : ", ") + std::string(word) + (isOptional ? "=None" : "");
  }
  return text + ")";
}

std::vector<CatalogueEntry> makeCatalogue() {
  std::vector<CatalogueEntry> entries;
  auto add = [&](CatalogueEntry entry) {
    // Where two tables of one space have a row of the same name, the first one counts.
    if (std::ranges::find(entries, entry.name, &CatalogueEntry::name) == entries.end())
      entries.push_back(std::move(entry));
  };
  for (const BuiltinTable &table : builtinTables())
    for (const Builtin &row : table.rows)
      add({std::string(table.space) + "." + std::string(row.name()), std::string(row.signature),
           std::string(row.documentation), row.isMember});
  for (const auto &[prelude, space] : kPreludes) {
    std::shared_ptr<Module> module = preludeModule(prelude);
    for (const auto &[name, value] : module->globals->names) {
      const auto *function = value.object<Function>();
      std::string text = function && !name.starts_with("_") ? docstringOf(*function) : "";
      if (!text.empty())
        add({std::string(space) + "." + name, signatureOf(*function), std::move(text), false});
    }
  }
  for (const LibraryText &text : kLibrary)
    if (const LibraryFunction *row = findRow(text.row))
      add({std::string(text.name), signatureOf(text.name, *row), std::string(text.documentation), false});
  return entries;
}

} // namespace

const std::vector<CatalogueEntry> &catalogue() {
  static const std::vector<CatalogueEntry> entries = makeCatalogue();
  return entries;
}

const CatalogueEntry *findCatalogueEntry(std::string_view asked) {
  std::string name(asked);
  constexpr std::string_view kLong = "triton.language.";
  if (name.starts_with(kLong))
    name = "tl." + name.substr(kLong.size());
  auto found = std::ranges::find(catalogue(), name, &CatalogueEntry::name);
  if (found != catalogue().end())
    return &*found;
  // `dot` is `tl.dot`; elsewhere a last part must be the only one of its kind.
  if (found = std::ranges::find(catalogue(), "tl." + name, &CatalogueEntry::name); found != catalogue().end())
    return &*found;
  const CatalogueEntry *only = nullptr;
  for (const CatalogueEntry &entry : catalogue())
    if (entry.name.ends_with("." + name)) {
      if (only)
        return nullptr;
      only = &entry;
    }
  return only;
}

} // namespace nereid::lang
