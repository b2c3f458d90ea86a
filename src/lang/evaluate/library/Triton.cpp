// Triton.cpp: the host side of Triton as module-level code uses it: decorators that make kernels, configs, and the
// small functions of launch code.
#include "lang/Constructs.h"
#include "lang/evaluate/library/Tables.h"

#include <algorithm>

namespace nereid::lang {

namespace {

using enum LibraryFunction::Takes;

std::shared_ptr<Function> copyOf(const Value &value) {
  auto *function = value.get<std::shared_ptr<Function>>();
  return function ? std::make_shared<Function>(**function) : nullptr;
}

// The functions of a module as they come into being, so that all kernels are found, wherever they stand.
void record(const std::shared_ptr<Function> &function) {
  if (function->module && function->module->loader)
    function->module->jitFunctions.push_back(function);
}

// What an annotation says of a parameter: `tl.constexpr`, a dtype, `tl.const`, or text like "fp16" and "*fp32".
void applyAnnotation(LibraryCall &call, const Function &function, Parameter &parameter) {
  if (!parameter.annotation)
    return;
  if ((parameter.isConstexpr = isConstexprAnnotation(parameter.annotation)))
    return;
  Value annotation;
  try {
    auto scope = function.closure ? function.closure : function.module ? function.module->globals : nullptr;
    annotation = scope ? call.eval.evaluate(parameter.annotation, scope) : Value();
  } catch (const CompileError &error) { // other annotations have no meaning for a kernel
    if (error.isFinal)
      throw;
    return;
  }
  if (auto *type = annotation.get<Type>())
    parameter.type = *type;
  else if (annotation.str())
    parameter.type = Type::parse(*annotation.str());
  auto *cls = annotation.object<Class>();
  parameter.isConstexpr = cls && cls == libraryClass("constexpr").get();
  parameter.isConst = cls && cls == libraryClass("const").get();
}

bool isListed(ConstEval &eval, const Value &list, size_t index, const std::string &name) {
  if (!list || list.isNone() || list.constant<Opaque>())
    return false;
  for (const Value &item : eval.iterate(list))
    if ((item.str() && *item.str() == name) || (item.integer() && *item.integer() == Integer(index)))
      return true;
  return false;
}

Value makeJit(LibraryCall &call, const Value &target, DictObject &options) {
  auto function = copyOf(target);
  if (!function || !function->definition)
    return target;
  auto option = [&](const char *name) {
    Value *found = findItem(options, Value(name));
    return found ? *found : Value();
  };
  function->kind = Function::Kind::Jit;
  for (size_t i = 0; i < function->parameters.size(); ++i) {
    Parameter &parameter = function->parameters[i];
    applyAnnotation(call, *function, parameter);
    parameter.doNotSpecialize = isListed(call.eval, option("do_not_specialize"), i, parameter.name);
    parameter.doNotSpecializeOnAlignment =
        isListed(call.eval, option("do_not_specialize_on_alignment"), i, parameter.name);
  }
  if (Value noinline = option("noinline"); noinline && !noinline.constant<Opaque>())
    function->noinline = call.eval.truth(noinline);
  record(function);
  return function;
}

Value applyJit(LibraryCall &call) { return makeJit(call, call[1], *call[0].object<DictObject>()); }
const LibraryFunction jitWithOptions{"triton.jit", "options function", applyJit, Unknown};
Value jit(LibraryCall &call) {
  return call[0] && !call[0].isNone() ? makeJit(call, call[0], *call[1].object<DictObject>())
                                      : makeMethod(call[1], &jitWithOptions);
}

// Configs.
Value configWith(const Values &given) {
  auto config = makeInstance("Config");
  static const char *const names[] = {"kwargs",  "num_warps", "num_stages", "num_ctas",
                                      "maxnreg", "pre_hook",  "ir_override"};
  const Value defaults[] = {makeDict(), 4, 3, 1, None{}, None{}, None{}};
  for (size_t i = 0; i < std::size(names); ++i)
    config->fields[names[i]] = i < given.size() && given[i] ? given[i] : defaults[i];
  return config;
}
Value makeConfig(LibraryCall &call) { return configWith(call.arguments); }
const LibraryFunction configNew{"triton.Config",
                                "kwargs num_warps? num_stages? num_ctas? maxnreg? pre_hook? ir_override? **old",
                                makeConfig, Unknown};

Value allOptions(LibraryCall &call) {
  auto *config = call[0].object<Instance>();
  if (!config || config->cls != libraryClass("Config"))
    call.expected(0, "a `triton.Config`");
  auto all = std::make_shared<DictObject>();
  if (auto *values = config->fields["kwargs"].object<DictObject>())
    all->items = values->items;
  for (const char *name : {"num_warps", "num_ctas", "num_stages", "maxnreg"})
    if (Value value = config->fields[name]; !value.isNone())
      setItem(*all, Value(name), value);
  return all;
}
const LibraryFunction configMethods[] = {{"Config.all_kwargs", "self", allOptions}};

int smallNumber(LibraryCall &call, const Value &value, const char *name) {
  auto number = value.integer();
  if (!number || *number < 0 || *number > 1 << 20)
    call.session().fail("`" + std::string(name) + "` of a config is " + repr(value) + ", not a small integer");
  return int(*number);
}

Config toConfig(LibraryCall &call, const Value &value) {
  auto *instance = value.object<Instance>();
  if (!instance || instance->cls != libraryClass("Config"))
    call.session().fail("expected a `triton.Config`, not `" + typeName(value) + "`", {}, "TypeError");
  Config config;
  auto *values = instance->fields["kwargs"].object<DictObject>();
  if (!values)
    call.session().fail("the values of a config are not a dict but `" + typeName(instance->fields["kwargs"]) + "`", {},
                        "TypeError");
  for (auto &[name, item] : values->items)
    config.values.emplace_back(toString(name), item);
  config.shape.numWarps = smallNumber(call, instance->fields["num_warps"], "num_warps");
  config.shape.numStages = smallNumber(call, instance->fields["num_stages"], "num_stages");
  config.shape.numCtas = smallNumber(call, instance->fields["num_ctas"], "num_ctas");
  if (!instance->fields["maxnreg"].isNone())
    config.maxRegisters = smallNumber(call, instance->fields["maxnreg"], "maxnreg");
  config.preHook = instance->fields["pre_hook"];
  config.object = value;
  return config;
}

std::vector<std::string> toNames(LibraryCall &call, const Value &list) {
  std::vector<std::string> names;
  if (list && !list.isNone() && !list.constant<Opaque>())
    for (const Value &name : call.eval.iterate(list))
      names.push_back(toString(name));
  return names;
}

// autotune(…)(kernel): `self` holds the arguments of the first call.
Value applyAutotune(LibraryCall &call) {
  auto function = copyOf(call[1]);
  if (!function)
    return call[1];
  const Values &options = call[0].asTuple()->items;
  Autotune tuning;
  try {
    if (options[0].constant<Opaque>()) {
      tuning.problem = "the configs are not known at compile time: they depend on `" + toString(options[0]) + "`";
    } else {
      for (const Value &config : call.eval.iterate(options[0]))
        tuning.configs.push_back(toConfig(call, config));
      if (tuning.configs.empty()) // as in Triton: the usual number of warps and stages
        tuning.configs.push_back(toConfig(call, configWith({})));
    }
    tuning.key = toNames(call, options[1]);
    tuning.resetToZero = toNames(call, options[3]);
    tuning.restoreValue = toNames(call, options[4]);
  } catch (const CompileError &error) {
    if (error.isFinal)
      throw;
    tuning.problem = error.diagnostic.message;
  }
  tuning.pruneConfigsBy = options[2];
  function->autotune = std::move(tuning);
  if (function->kind == Function::Kind::Jit)
    record(function);
  return function;
}
const LibraryFunction autotuneApply{"triton.autotune", "options function", applyAutotune, Unknown};
Value autotune(LibraryCall &call) { return makeMethod(Value::tuple(call.arguments), &autotuneApply); }

Value applyHeuristics(LibraryCall &call) {
  auto function = copyOf(call[1]);
  if (!function)
    return call[1];
  if (auto *values = call[0].object<DictObject>())
    for (auto &[name, heuristic] : values->items)
      function->heuristics.push_back({toString(name), heuristic});
  if (function->kind == Function::Kind::Jit)
    record(function);
  return function;
}
const LibraryFunction heuristicsApply{"triton.heuristics", "values function", applyHeuristics, Unknown};
Value heuristics(LibraryCall &call) { return makeMethod(call[0], &heuristicsApply); }

Value constexprFunction(LibraryCall &call) {
  auto function = copyOf(call[0]);
  if (!function)
    return call[0];
  function->kind = Function::Kind::Constexpr;
  return function;
}

Value aggregate(LibraryCall &call) {
  if (auto *cls = call[0].object<Class>())
    cls->kind = Class::Kind::Aggregate;
  return call[0];
}

Value markResult(const Value &function, const Value &text) {
  if (auto *known = function.object<Function>())
    known->mustUseResult = text;
  return function;
}
Value applyMustUse(LibraryCall &call) { return markResult(call[1], call[0]); }
const LibraryFunction mustUseApply{"triton.must_use_result", "text function", applyMustUse, Unknown};
Value mustUseResult(LibraryCall &call) {
  return call[0].str() ? makeMethod(call[0], &mustUseApply) : markResult(call[0], true);
}

Value ceilingDivide(LibraryCall &call) {
  using syntax::BinaryOperator;
  Value sum = call.eval.binary(BinaryOperator::Sub, call.eval.binary(BinaryOperator::Add, call[0], call[1]), 1);
  return call.eval.binary(BinaryOperator::FloorDiv, sum, call[1]);
}

Value nextPowerOf2(LibraryCall &call) {
  Integer value = call.integer(0), power = 1;
  if (value > Integer(1) << 100)
    call.session().fail("`triton.next_power_of_2` of " + integerText(value));
  if (value <= 0)
    return 0;
  while (power < value)
    power <<= 1;
  return power;
}

const LibraryFunction tritonFunctions[] = {
    {"triton.jit", "fn? **options", jit, Unknown},
    {"triton.autotune",
     "configs key? prune_configs_by? reset_to_zero? restore_value? pre_hook? post_hook? warmup? rep? use_cuda_graph? "
     "do_bench? "
     "cache_results? **more",
     autotune, Unknown},
    {"triton.heuristics", "values", heuristics, Unknown},
    {"triton.constexpr_function", "function", constexprFunction, Unknown},
    {"triton.aggregate", "cls", aggregate, Unknown},
    {"triton.must_use_result", "function", mustUseResult, Unknown},
    {"triton.cdiv", "x y", ceilingDivide},
    {"triton.next_power_of_2", "n", nextPowerOf2},
    {"triton.reinterpret", "tensor dtype", firstArgument, Unknown},
};

void populateTriton(Scope &globals) {
  globals.names["Config"] = libraryClass("Config");
  globals.names["JITFunction"] = libraryClass("JITFunction");
  for (const char *name :
       {"set_allocator", "compile", "CompilationError", "OutOfResources", "InterpreterError", "TritonError",
        "MockTensor", "TensorWrapper", "KernelInterface", "AsyncCompileMode", "FutureKernel", "knobs"})
    globals.names[name] = makeOpaque(std::string("triton.") + name, true);
}

// triton.runtime.driver.active.get_current_target()
Value currentTarget(LibraryCall &call) {
  const TargetDescription &description = call.session().target;
  auto target = makeInstance("GPUTarget");
  target->fields["backend"] = description.backend();
  target->fields["arch"] = description.capability;
  target->fields["warp_size"] = description.warpSize;
  return target;
}
Value makeTarget(LibraryCall &call) {
  auto target = makeInstance("GPUTarget");
  for (size_t i = 0; i < 3; ++i)
    target->fields[i == 0 ? "backend" : i == 1 ? "arch" : "warp_size"] = call[i];
  return target;
}
const LibraryFunction targetNew{"GPUTarget", "backend arch warp_size", makeTarget, Unknown};
const LibraryFunction driverFunctions[] = {{"driver.get_current_target", "", currentTarget}};

void populateJit(Scope &globals) {
  globals.names["JITFunction"] = libraryClass("JITFunction");
  globals.names["jit"] = &tritonFunctions[0];
  globals.names["constexpr_function"] = &tritonFunctions[3];
}
void populateAutotuner(Scope &globals) {
  globals.names["Config"] = libraryClass("Config");
  globals.names["autotune"] = &tritonFunctions[1];
  globals.names["heuristics"] = &tritonFunctions[2];
}
// Its `jit` is the module.
void populateRuntime(Scope &globals) {
  globals.names["JITFunction"] = libraryClass("JITFunction");
  populateAutotuner(globals);
}
void populateCompiler(Scope &globals) { globals.names["GPUTarget"] = libraryClass("GPUTarget"); }
void populateDescriptor(Scope &globals) { globals.names["TensorDescriptor"] = libraryClass("TensorDescriptor"); }

Value makeHostDescriptor(LibraryCall &) { return makeOpaque("a TensorDescriptor"); }
const LibraryFunction hostDescriptorNew{"TensorDescriptor", "*arguments **options", makeHostDescriptor, Unknown};
const LibraryFunction hostDescriptorMethods[] = {
    {"TensorDescriptor.from_tensor", "*arguments **options", makeHostDescriptor, Unknown}};

} // namespace

const LibraryFunction *const constexprFunctionRow = &tritonFunctions[3], *const aggregateRow = &tritonFunctions[4],
                             *const mustUseResultRow = &tritonFunctions[5];

const LibraryType configType{"Config", &configNew, configMethods, ""}, jitFunctionType{"JITFunction", nullptr, {}, ""},
    targetType{"GPUTarget", &targetNew, {}, ""},
    hostDescriptorType{"TensorDescriptor", &hostDescriptorNew, hostDescriptorMethods, ""};

const LibraryModule tritonModule{"triton", tritonFunctions, populateTriton},
    tritonRuntimeModule{"triton.runtime", {}, populateRuntime, true},
    tritonJitModule{"triton.runtime.jit", {}, populateJit, true},
    tritonAutotunerModule{"triton.runtime.autotuner", {}, populateAutotuner, true},
    tritonDriverModule{"triton.runtime.driver", driverFunctions, nullptr, true},
    tritonActiveModule{"triton.runtime.driver.active", driverFunctions, nullptr, true},
    tritonCompilerModule{"triton.backends.compiler", {}, populateCompiler, true},
    tritonToolsDescriptorModule{"triton.tools.tensor_descriptor", {}, populateDescriptor, true};

} // namespace nereid::lang
