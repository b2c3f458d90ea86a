// Torch.cpp: the little of torch that kernels' module-level code asks for: dtypes and their limits, versions, the device.
#include "lang/evaluate/library/Tables.h"

#include <cfloat>

namespace nereid::lang {

namespace {

using enum LibraryFunction::Takes;

struct FloatLimits {
  const char *name;
  double max, epsilon, tiny;
  int bits;
};
constexpr FloatLimits kFloats[] = {
    {"float16", 65504.0, 0x1p-10, 0x1p-14, 16},     {"half", 65504.0, 0x1p-10, 0x1p-14, 16},
    {"bfloat16", 0x1.fep127, 0x1p-7, 0x1p-126, 16}, {"float32", FLT_MAX, FLT_EPSILON, FLT_MIN, 32},
    {"float", FLT_MAX, FLT_EPSILON, FLT_MIN, 32},   {"float64", DBL_MAX, DBL_EPSILON, DBL_MIN, 64},
    {"double", DBL_MAX, DBL_EPSILON, DBL_MIN, 64},  {"float8_e4m3fn", 448.0, 0.125, 0x1p-6, 8},
    {"float8_e5m2", 57344.0, 0.25, 0x1p-14, 8},     {"float8_e4m3fnuz", 240.0, 0.125, 0x1p-7, 8},
    {"float8_e5m2fnuz", 57344.0, 0.25, 0x1p-15, 8}};
struct IntegerLimits {
  const char *name;
  int bits;
  bool isSigned;
};
constexpr IntegerLimits kIntegers[] = {{"int8", 8, true},     {"int16", 16, true},  {"int32", 32, true},
                                       {"int64", 64, true},   {"uint8", 8, false},  {"int", 32, true},
                                       {"long", 64, true},    {"short", 16, true},  {"uint16", 16, false},
                                       {"uint32", 32, false}, {"uint64", 64, false}};

std::string dtypeName(LibraryCall &call) {
  if (!call[0]) // torch.finfo() describes the default type
    return "float32";
  if (auto *opaque = call[0].constant<Opaque>(); opaque && opaque->path.starts_with("torch."))
    return opaque->path.substr(6);
  call.expected(0, "a torch dtype");
}

Value makeFloatInfo(LibraryCall &call) {
  std::string name = dtypeName(call);
  for (const FloatLimits &limits : kFloats)
    if (name == limits.name) {
      auto info = makeInstance("finfo");
      info->fields = {{"max", limits.max},
                      {"min", -limits.max},
                      {"eps", limits.epsilon},
                      {"tiny", limits.tiny},
                      {"smallest_normal", limits.tiny},
                      {"bits", limits.bits},
                      {"dtype", name}};
      return info;
    }
  call.session().fail("`torch." + name + "` is not a float type", {}, "TypeError");
}

Value makeIntegerInfo(LibraryCall &call) {
  std::string name = dtypeName(call);
  for (const IntegerLimits &limits : kIntegers)
    if (name == limits.name) {
      auto info = makeInstance("iinfo");
      Integer max = (Integer(1) << (limits.bits - limits.isSigned)) - 1;
      info->fields = {
          {"max", max}, {"min", limits.isSigned ? -max - 1 : Integer(0)}, {"bits", limits.bits}, {"dtype", name}};
      return info;
    }
  call.session().fail("`torch." + name + "` is not an integer type", {}, "TypeError");
}

const LibraryFunction floatInfoNew{"torch.finfo", "dtype?", makeFloatInfo},
    integerInfoNew{"torch.iinfo", "dtype", makeIntegerInfo};

const LibraryFunction sameFunction{"torch.decorator", "function", firstArgument, Unknown};
Value decoratorWithOptions(LibraryCall &call) {
  return call[0] && call[0].object<Function>() ? call[0] : Value(&sameFunction);
}

const LibraryFunction torchFunctions[] = {{"torch.compile", "function? **options", decoratorWithOptions, Unknown},
                                          {"torch.no_grad", "function? **options", decoratorWithOptions, Unknown}};

void populateTorch(Scope &globals) {
  for (const FloatLimits &limits : kFloats)
    globals.names[limits.name] = makeOpaque(std::string("torch.") + limits.name, true);
  for (const IntegerLimits &limits : kIntegers)
    globals.names[limits.name] = makeOpaque(std::string("torch.") + limits.name, true);
  globals.names["bool"] = makeOpaque("torch.bool", true);
  globals.names["finfo"] = libraryClass("finfo");
  globals.names["iinfo"] = libraryClass("iinfo");
  globals.names["__version__"] = "2.9.0";
  for (const char *name : {"Tensor", "dtype", "device"})
    globals.names[name] = makeOpaque(std::string("torch.") + name, true);
  globals.names["inf"] = double(HUGE_VAL);
}

void populateTorchVersion(Scope &globals) {
  globals.names["hip"] = None{};
  globals.names["cuda"] = "12.8";
  globals.names["xpu"] = None{};
  globals.names["__version__"] = "2.9.0";
}

Value isCudaAvailable(LibraryCall &call) { return call.session().target.isCuda(); }
Value never(LibraryCall &) { return false; }
Value deviceCapability(LibraryCall &call) {
  int capability = call.session().target.capability;
  return Value::tuple({capability / 10, capability % 10});
}
const LibraryFunction cudaFunctions[] = {{"torch.cuda.is_available", "", isCudaAvailable},
                                         {"torch.cuda.get_device_capability", "device?", deviceCapability, Unknown},
                                         {"torch.cuda.is_current_stream_capturing", "", never}};
const LibraryFunction xpuFunctions[] = {{"torch.xpu.is_available", "", never}};

} // namespace

const LibraryType floatInfoType{"finfo", &floatInfoNew, {}, ""}, integerInfoType{"iinfo", &integerInfoNew, {}, ""};
const LibraryModule torchModule{"torch", torchFunctions, populateTorch, true},
    torchVersionModule{"torch.version", {}, populateTorchVersion, true},
    torchCudaModule{"torch.cuda", cudaFunctions, nullptr, true},
    torchXpuModule{"torch.xpu", xpuFunctions, nullptr, true};

} // namespace nereid::lang
