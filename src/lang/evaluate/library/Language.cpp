// Language.cpp: the parts of triton.language that are known at compile time: its types and constants, questions about
// the target. The functions come from the builtin tables.
#include "lang/evaluate/library/Tables.h"

#include <algorithm>

namespace nereid::lang {

namespace {

using enum LibraryFunction::Takes;

// tl.constexpr(3); also `@tl.constexpr` above a function that runs at compile time.
Value makeConstexpr(LibraryCall &call) {
  if (auto *function = call[0].get<std::shared_ptr<Function>>();
      function && (*function)->kind == Function::Kind::Plain) {
    auto copy = std::make_shared<Function>(**function);
    copy->kind = Function::Kind::Constexpr;
    return copy;
  }
  Value value = call[0];
  value.isConstexpr = true;
  return value;
}

Value makePointerType(LibraryCall &call) {
  auto *element = call[0].get<Type>();
  if (!element)
    call.expected(0, "a dtype");
  unsigned space = 1;
  if (call[1].str())
    space = *call[1].str() == "shared" ? 3 : 1;
  else if (call[1])
    space = unsigned(call.integer(1));
  return Type::pointer(*element, call.flag(2, false), space);
}

Value makeBlockType(LibraryCall &call) {
  auto *element = call[0].get<Type>();
  if (!element)
    call.expected(0, "a dtype");
  Shape shape;
  for (const Value &extent : call.eval.iterate(call[1])) {
    if (!extent.integer() || *extent.integer() < 1 || *extent.integer() > INT32_MAX)
      call.session().fail("the extents of a block are positive integers, not " + repr(extent));
    shape.push_back(int64_t(*extent.integer()));
  }
  return element->withShape(std::move(shape));
}

Value makeDtype(LibraryCall &call) {
  if (auto type = Type::parse(call.text(0)))
    return *type;
  call.session().fail("there is no dtype " + quoted(call.text(0)));
}

const LibraryFunction constexprNew{"constexpr", "value", makeConstexpr, Unknown},
    pointerTypeNew{"pointer_type", "element_ty address_space? const?", makePointerType},
    blockTypeNew{"block_type", "element_ty shape", makeBlockType}, dtypeNew{"dtype", "name", makeDtype};

// tl.aggregate_replace(value, field=…): a copy with some fields changed.
Value replaceAggregateFields(LibraryCall &call) {
  auto *instance = call[0].object<Instance>();
  if (!instance)
    call.expected(0, "an aggregate");
  auto copy = std::make_shared<Instance>(*instance);
  for (auto &[name, value] : call[1].object<DictObject>()->items) {
    if (!copy->fields.contains(toString(name)))
      call.session().fail("`" + copy->cls->name + "` has no field `" + toString(name) + "`", {}, "AttributeError");
    copy->fields[toString(name)] = value;
  }
  return copy;
}

// @core.extern and @core.builtin: functions of users around extern_elementwise and inline_asm_elementwise.
Value markExtern(LibraryCall &call) {
  auto *original = call[0].object<Function>();
  if (!original || !original->definition)
    return call[0];
  auto function = std::make_shared<Function>(*original);
  function->kind = Function::Kind::Jit;
  function->isExtern = true;
  return function;
}
const LibraryFunction languageFunctions[] = {
    {"tl.aggregate_replace", "value **fields", replaceAggregateFields, Anything},
    {"tl.core.extern", "fn", markExtern, Unknown},
    {"tl.core.builtin", "fn", markExtern, Unknown}};

void populateLanguage(Scope &globals) {
  static const Scalar scalars[] = {Scalar::Void,  Scalar::Int1,     Scalar::Int8,    Scalar::Int16,   Scalar::Int32,
                                   Scalar::Int64, Scalar::UInt8,    Scalar::UInt16,  Scalar::UInt32,  Scalar::UInt64,
                                   Scalar::Fp8E5, Scalar::Fp8E5B16, Scalar::Fp8E4NV, Scalar::Fp8E4B8, Scalar::Fp8E4B15,
                                   Scalar::Fp16,  Scalar::Bf16,     Scalar::Fp32,    Scalar::Fp64};
  for (Scalar scalar : scalars)
    globals.names[languageName(Type(scalar))] = Type(scalar);
  globals.names["pi32_t"] = Type::pointer(Type(Scalar::Int32));
  for (const char *name :
       {"constexpr", "pointer_type", "block_type", "dtype", "tensor", "tuple", "slice", "tensor_descriptor", "const"})
    globals.names[name] = libraryClass(name);
  globals.names["_tensor_descriptor"] = globals.names["tensor_descriptor_base"] = libraryClass("tensor_descriptor");
  globals.names["_experimental_tensor_descriptor"] = libraryClass("tensor_descriptor");
  for (const LibraryType &type : languageTypes())
    globals.names[std::string(type.name)] = libraryClass(type.name);
  Value limit = 1048576;
  limit.isConstexpr = true;
  globals.names["TRITON_MAX_TENSOR_NUMEL"] = limit;
  globals.names["constexpr_function"] = constexprFunctionRow;
  globals.names["_aggregate"] = globals.names["aggregate"] = aggregateRow;
  globals.names["must_use_result"] = globals.names["_unwrap_must_use"] = mustUseResultRow;
}

// The type of a constant is the constant.
Value makeConstexprType(LibraryCall &call) {
  auto type = makeInstance("constexpr_type");
  type->fields["value"] = call[0];
  return type;
}
Value isSameConstexprType(LibraryCall &call) {
  auto *a = call[0].object<Instance>(), *b = call[1].object<Instance>();
  bool isType = a && b && b->cls == libraryClass("constexpr_type");
  return isType && call.eval.areEqual(a->fields["value"], b->fields["value"]);
}
const LibraryFunction constexprTypeNew{"constexpr_type", "value", makeConstexprType};
const LibraryFunction constexprTypeMethods[] = {{"constexpr_type.__eq__", "self other", isSameConstexprType, Anything}};

// triton.language.target_info
Value isCuda(LibraryCall &call) { return call.session().target.isCuda(); }
Value isHip(LibraryCall &call) { return call.session().target.platform == Platform::Hip; }
Value isHipArchitecture(LibraryCall &) { return false; }
Value capabilityAtLeast(LibraryCall &call) {
  if (!call.session().target.isCuda())
    return false;
  Integer major = std::clamp(call.integer(0), Integer(0), Integer(1000)),
          minor = std::clamp(call.integer(1, 0), Integer(0), Integer(9));
  return call.session().target.capability >= major * 10 + minor;
}
Value targetDescription(LibraryCall &call) {
  auto target = makeInstance("GPUTarget");
  target->fields["backend"] = call.session().target.backend();
  target->fields["arch"] = call.session().target.capability;
  target->fields["warp_size"] = call.session().target.warpSize;
  return target;
}
const LibraryFunction targetFunctions[] = {{"target_info.is_cuda", "", isCuda},
                                           {"target_info.is_hip", "", isHip},
                                           {"target_info.is_hip_cdna2", "", isHipArchitecture},
                                           {"target_info.is_hip_cdna3", "", isHipArchitecture},
                                           {"target_info.is_hip_cdna4", "", isHipArchitecture},
                                           {"target_info.is_hip_gfx1250", "", isHipArchitecture},
                                           {"target_info.is_hip_rdna3", "", isHipArchitecture},
                                           {"target_info.is_hip_rdna4", "", isHipArchitecture},
                                           {"target_info.cuda_capability_geq", "major minor?", capabilityAtLeast},
                                           {"target_info.current_target", "", targetDescription}};

} // namespace

std::span<const LibraryType> languageTypes() {
  static const LibraryType types[] = {{"tuple_type", nullptr, {}, ""},
                                      {"constexpr_type", &constexprTypeNew, constexprTypeMethods, ""},
                                      {"base_type", nullptr, {}, ""},
                                      {"base_value", nullptr, {}, ""},
                                      {"tensor_descriptor_type", nullptr, {}, ""},
                                      {"nv_tma_desc_type", nullptr, {}, ""}};
  return types;
}

const LibraryType constexprType{"constexpr", &constexprNew, {}, ""}, dtypeType{"dtype", &dtypeNew, {}, ""},
    pointerTypeType{"pointer_type", &pointerTypeNew, {}, "dtype"},
    blockTypeType{"block_type", &blockTypeNew, {}, "dtype"}, tensorType{"tensor", nullptr, {}, ""},
    tensorDescriptorType{"tensor_descriptor", nullptr, {}, ""}, constType{"const", nullptr, {}, ""};

const LibraryModule tritonLanguageModule{"triton.language", languageFunctions, populateLanguage},
    tritonTargetModule{"triton.language.target_info", targetFunctions};

} // namespace nereid::lang
