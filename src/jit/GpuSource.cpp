// GpuSource.cpp: C text around the machine code of a kernel.
//
//   CUresult add(CUstream stream, CUdeviceptr x, CUdeviceptr y, int32_t n, float by);
//
// The arguments become words, as in our own launches; the kernel's parameters are these words, tensor maps that are made
// of them, and scratch memory. What the kernel was specialized for is checked: a wrong argument is CUDA_ERROR_INVALID_VALUE.
#include "jit/GpuSource.h"

#include "jit/CText.h"
#include "lang/Value.h"

namespace nereid::jit {

namespace {

// A type of C, and how its value becomes the bits of a word; no name: there is no such type.
struct CType {
  std::string name, convert;
};

CType typeOf(const lang::Type &type) {
  if (type.isPointer())
    return {"CUdeviceptr", "(uint64_t)"};
  switch (type.scalarKind()) {
  case lang::Scalar::Int1: return {"uint8_t", "(uint64_t)!!"};
  case lang::Scalar::Int8: return {"int8_t", "(uint64_t)(uint8_t)"};
  case lang::Scalar::Int16: return {"int16_t", "(uint64_t)(uint16_t)"};
  case lang::Scalar::Int32: return {"int32_t", "(uint64_t)(uint32_t)"};
  case lang::Scalar::Int64: return {"int64_t", "(uint64_t)"};
  case lang::Scalar::UInt8: return {"uint8_t", "(uint64_t)"};
  case lang::Scalar::UInt16: return {"uint16_t", "(uint64_t)"};
  case lang::Scalar::UInt32: return {"uint32_t", "(uint64_t)"};
  case lang::Scalar::UInt64: return {"uint64_t", "(uint64_t)"};
  case lang::Scalar::Fp16: return {"float", "bits_of_half"};
  case lang::Scalar::Bf16: return {"float", "bits_of_bfloat"};
  case lang::Scalar::Fp32: return {"float", "bits_of_float"};
  case lang::Scalar::Fp64: return {"double", "bits_of_double"};
  default: return {};
  }
}

// The conversions above that are no casts.
constexpr std::string_view kConversions[][2] = {
    {"bits_of_float", R"(static uint64_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
)"},
    {"bits_of_double", R"(static uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
)"},
    {"bits_of_bfloat", R"(/* Rounded to the nearest, ties to even. */
static uint64_t bits_of_bfloat(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value)
    return (bits >> 16 | 0x40) & 0xffff;
  return bits + 0x7fff + (bits >> 16 & 1) >> 16;
}
)"},
    {"bits_of_half", R"(/* Rounded to the nearest, ties to even. */
static uint64_t bits_of_half(float value) {
  uint32_t bits, sign, size, rest, shift;
  memcpy(&bits, &value, sizeof bits);
  sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000)
    return sign | 0x7e00;
  if (size >= 0x477ff000)
    return sign | 0x7c00;
  if (size >= 0x38800000) {
    size -= 0x38000000;
    return sign | size + 0xfff + (size >> 13 & 1) >> 13;
  }
  if (size < 0x33000000)
    return sign;
  shift = 126 - (size >> 23), size = size & 0x7fffff | 0x800000;
  rest = size & (1u << shift) - 1, size >>= shift;
  return sign | size + (rest > 1u << (shift - 1) || rest == 1u << (shift - 1) && size & 1);
}
)"},
};

class SourceWriter {
public:
  explicit SourceWriter(const GpuSourceRequest &request) : request(request) {
    for (size_t i = 0; i < request.specs.size(); ++i)
      addParameter(safeName(request.kernel.parameters[i].name), request.specs[i]);
    if (request.grid[0].empty())
      parameters = ", unsigned grid_x, unsigned grid_y, unsigned grid_z" + parameters;
  }

  std::string header() const {
    std::string guard = "NEREID_" + request.name + "_H";
    return opening("Link the source of the same name, and libcuda.") + "#ifndef " + guard + "\n#define " + guard +
           "\n\n#include <cuda.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + comment() +
           prototype() +
           ";\n/* A launch loads the kernel by itself, in each context where it is used; this does it ahead. */\nvoid "
           "load_" +
           request.name + "(void);\nvoid unload_" + request.name +
           "(void);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  }

  Result<std::string> source() const {
    if (!refused.empty())
      return Error{Status::BadInput, refused};
    std::string text = opening("Link it with libcuda.") +
                       "#include <cuda.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\n";
    for (size_t i = 0; i < request.codes.size(); ++i)
      text += image(i);
    text += codeTable() + loader();
    for (const auto &[name, definition] : kConversions)
      if (conversions.find(name) != std::string::npos)
        text += std::string(definition) + "\n";
    for (size_t i = 0; i < request.codes.size(); ++i)
      text += launcher(i);
    return text + entry();
  }

private:
  // ---- Parameters and words.

  void addParameter(const std::string &name, const lang::ArgumentSpec &spec) {
    switch (spec.kind) {
    case lang::ArgumentSpec::Kind::Constant:
      constants += " *   " + name + " = " + commented(lang::repr(spec.constant)) + "\n";
      break;
    case lang::ArgumentSpec::Kind::Scalar: addScalar(name, spec); break;
    case lang::ArgumentSpec::Kind::Descriptor: addDescriptor(name, spec); break;
    case lang::ArgumentSpec::Kind::Tuple:
    case lang::ArgumentSpec::Kind::BlockPointer: // which is no argument of a kernel
      for (size_t i = 0; i < spec.items.size(); ++i)
        addParameter(name + "_" + std::to_string(i), spec.items[i]);
    }
  }

  void addScalar(const std::string &name, const lang::ArgumentSpec &spec) {
    CType type = typeOf(spec.type);
    if (type.name.empty())
      refused = "error: `" + name + "` is a number of type " + spec.type.shortName() + ", which C has no type for\n" +
                "note: pass it by a pointer, or as fp32\n";
    add(type, name);
    if (spec.divisibility > 1)
      require(name + " % " + std::to_string(spec.divisibility) + " == 0");
  }

  // A descriptor is its address, its extents and its strides in elements.
  void addDescriptor(const std::string &name, const lang::ArgumentSpec &spec) {
    size_t rank = spec.type.shape().size();
    add({"CUdeviceptr", "(uint64_t)"}, name);
    require(name + " % 16 == 0");
    for (size_t i = 0; i < rank; ++i)
      add({"int64_t", "(uint64_t)"}, name + "_shape" + std::to_string(i));
    for (size_t i = 0; i < rank; ++i)
      add({"int64_t", "(uint64_t)"}, name + "_stride" + std::to_string(i));
    require(name + "_stride" + std::to_string(rank - 1) + " == 1");
  }

  void add(const CType &type, const std::string &name) {
    parameters += ", " + type.name + " " + name;
    words += (words.empty() ? "" : ", ") + type.convert + "(" + name + ")";
    conversions += type.convert + " ";
  }

  void require(const std::string &condition) { checks += (checks.empty() ? "" : " && ") + condition; }

  // ---- Text.

  std::string opening(const std::string &how) const {
    return "/* Made by nereid from " + commented(request.file) + " for " + request.codes[0].target + ". " + how +
           " */\n";
  }

  std::string comment() const {
    std::string fixed = constants.empty() ? "" : " * Compiled for\n" + constants;
    return "/* Puts the kernel into the stream. Pointers and numbers must be divisible as the kernel was compiled "
           "for:\n"
           " * CUDA_ERROR_INVALID_VALUE else.\n" +
           fixed + " */\n";
  }

  std::string prototype() const { return "CUresult " + request.name + "(CUstream stream" + parameters + ")"; }

  static std::string image(const cuda::Artifact &code, const std::string &name) {
    // The text of PTX ends with a zero; machine code says how long it is.
    std::string bytes = code.image.empty()
                            ? code.ptx + '\0'
                            : std::string(reinterpret_cast<const char *>(code.image.data()), code.image.size());
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "static const unsigned char " + name + "[] __attribute__((aligned(64))) = {";
    for (size_t i = 0; i < bytes.size(); ++i) {
      auto byte = static_cast<unsigned char>(bytes[i]);
      text += i % 24 ? "" : "\n  ";
      text += {'0', 'x', kDigits[byte / 16], kDigits[byte % 16], ','};
    }
    return text + "\n};\n\n";
  }

  std::string image(size_t i) const { return image(request.codes[i], "image_" + std::to_string(i)); }

  std::string codeTable() const {
    std::string rows;
    for (size_t i = 0; i < request.codes.size(); ++i) {
      const cuda::Artifact &code = request.codes[i];
      rows += "  {image_" + std::to_string(i) + ", " + cString(code.name) + ", " + std::to_string(code.sharedBytes) +
              ", {{0}}},\n";
    }
    return "enum { kContexts = 16 };\n\nstatic struct code {\n  const unsigned char *image;\n  const char *name;\n  "
           "int shared_bytes;\n"
           "  struct { CUcontext context; CUmodule module; CUfunction function; } loaded[kContexts];\n} codes[] = {\n" +
           rows + "};\n\n";
  }

  std::string loader() const {
    return std::string(R"(static char lock;

static CUresult load_into(struct code *code, CUcontext context, CUfunction *function) {
  CUmodule module;
  CUresult status;
  int i = 0;
  while (i < kContexts && code->loaded[i].context && code->loaded[i].context != context)
    ++i;
  if (i == kContexts)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *function = code->loaded[i].function;
  if (code->loaded[i].context)
    return CUDA_SUCCESS;
  status = cuModuleLoadData(&module, code->image);
  if (status != CUDA_SUCCESS)
    return status;
  status = cuModuleGetFunction(function, module, code->name);
  if (status == CUDA_SUCCESS && code->shared_bytes > 0)
    status = cuFuncSetAttribute(*function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, code->shared_bytes);
  if (status != CUDA_SUCCESS) {
    cuModuleUnload(module);
    return status;
  }
  code->loaded[i].context = context, code->loaded[i].module = module, code->loaded[i].function = *function;
  return CUDA_SUCCESS;
}

/* The function in the current context. */
static CUresult find(struct code *code, CUfunction *function) {
  CUcontext context = 0;
  CUresult status = cuCtxGetCurrent(&context);
  if (status != CUDA_SUCCESS)
    return status;
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
  }
  status = load_into(code, context, function);
  __atomic_clear(&lock, __ATOMIC_RELEASE);
  return status;
}

)") + "void load_" +
           request.name + R"((void) {
  CUfunction function;
  unsigned i;
  for (i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
    CUresult status = find(&codes[i], &function);
    if (status != CUDA_SUCCESS)
      fprintf(stderr, "error: )" +
           request.name + R"( cannot be loaded: CUDA error %d\n", (int)status);
  }
}

void unload_)" +
           request.name +
           R"((void) {
  unsigned i;
  int k;
  for (i = 0; i < sizeof codes / sizeof codes[0]; ++i)
    for (k = 0; k < kContexts && codes[i].loaded[k].context; ++k) {
      cuModuleUnload(codes[i].loaded[k].module);
      codes[i].loaded[k].context = 0;
    }
}

)";
  }

  static std::string number(const cuda::TensorMap::Number &number) {
    std::string text = "(uint64_t)" + std::to_string(number.factor) + "ll";
    for (uint8_t i = 0; i < number.count; ++i) {
      std::string word = "words[" + std::to_string(number.words[i]) + "]";
      text += " * " + (number.bytes[i] == 4 ? "(uint64_t)(int32_t)" + word : word);
    }
    return number.isNarrow ? "(uint64_t)(int32_t)(" + text + ")" : text;
  }

  // Statements that make a map, or leave: TMA asks for aligned addresses and strides, and for extents.
  static std::string makeMap(const cuda::TensorMap &map, const std::string &name) {
    std::string extents, strides, box, steps, readable = "words[" + std::to_string(map.word) + "] % 16 == 0";
    for (uint32_t i = 0; i < map.rank; ++i) {
      uint32_t axis = map.rank - 1u - i;
      std::string at = "[" + std::to_string(i) + "]", comma = i ? ", " : "";
      extents += comma + number(map.extents[axis]);
      box += comma + std::to_string(map.box[axis]);
      steps += comma + "1";
      readable += " && extents" + at + " - 1 < 1ull << 32";
      if (i + 1 < map.rank) {
        strides += comma + std::to_string(map.elementBytes) + " * (" + number(map.strides[axis - 1]) + ")";
        readable += " && strides" + at + " % 16 == 0 && strides" + at + " - 1 < (1ull << 40) - 1";
      }
    }
    return "  {\n    const cuuint64_t extents[] = {" + extents + "}, strides[] = {" +
           (strides.empty() ? "0" : strides) + "};\n    const cuuint32_t box[] = {" + box + "}, steps[] = {" + steps +
           "};\n    if (!(" + readable + "))\n      return 0;\n    *status = cuTensorMapEncodeTiled(&" + name +
           ", (CUtensorMapDataType)" + std::to_string(int(map.element)) + ", " + std::to_string(map.rank) +
           ", (void *)(uintptr_t)words[" + std::to_string(map.word) +
           "],\n        extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)" +
           std::to_string(int(map.swizzle)) +
           ",\n        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, (CUtensorMapFloatOOBfill)" +
           std::to_string(int(map.fillsNan)) + ");\n    if (*status != CUDA_SUCCESS)\n      return 1;\n  }\n";
  }

  // One launch of one code; 0 where it is not for such arguments.
  std::string launcher(size_t index) const {
    const cuda::Artifact &code = request.codes[index];
    std::string maps, declarations, list;
    for (size_t i = 0; i < code.tensorMaps.size(); ++i) {
      std::string name = "map_" + std::to_string(i);
      declarations += "  CUtensorMap " + name + ";\n";
      maps += makeMap(code.tensorMaps[i], name);
    }
    for (const cuda::Parameter &parameter : code.parameters) {
      list += list.empty() ? "" : ", ";
      switch (parameter.kind) {
      case cuda::Parameter::Kind::Word: list += "&words[" + std::to_string(parameter.index) + "]"; break;
      case cuda::Parameter::Kind::TensorMap: list += "&map_" + std::to_string(parameter.index); break;
      case cuda::Parameter::Kind::Scratch: list += "&scratch"; break;
      case cuda::Parameter::Kind::Report: list += "&report"; break;
      }
    }
    std::string number = std::to_string(index);
    return "static int launch_" + number +
           "(CUstream stream, const unsigned *grid, uint64_t *words, CUresult *status) {\n" +
           "  CUfunction function;\n  CUdeviceptr scratch = 0, report = 0; /* nobody reads a report */\n" +
           declarations + "  void *parameters[] = {" + (list.empty() ? "0" : list) +
           "};\n  (void)scratch, (void)report, (void)words;\n" + maps + "  *status = find(&codes[" + number +
           "], &function);\n  if (*status != CUDA_SUCCESS)\n    return 1;\n" +
           "  *status = cuLaunchKernel(function, grid[0], grid[1], grid[2], " + std::to_string(code.threads) +
           ", 1, 1, " + std::to_string(code.sharedBytes) + ", stream, parameters, 0);\n  return 1;\n}\n\n";
  }

  std::string entry() const {
    bool isOwn = request.grid[0].empty();
    std::string sizes;
    for (size_t i = 0; i < 3; ++i)
      sizes += (i ? ", " : "") + (isOwn ? std::string("grid_") + "xyz"[i] : "(unsigned)(" + request.grid[i] + ")");
    std::string calls;
    for (size_t i = 0; i < request.codes.size(); ++i)
      calls += "  if (launch_" + std::to_string(i) + "(stream, grid, words, &status))\n    return status;\n";
    return prototype() + " {\n  const unsigned grid[] = {" + sizes + "};\n  uint64_t words[] = {" +
           (words.empty() ? "0" : words) + "};\n  CUresult status = CUDA_SUCCESS;\n" +
           (checks.empty() ? "" : "  if (!(" + checks + "))\n    return CUDA_ERROR_INVALID_VALUE;\n") +
           "  if (!grid[0] || !grid[1] || !grid[2])\n    return CUDA_SUCCESS;\n" + calls +
           "  return CUDA_ERROR_INVALID_VALUE;\n}\n";
  }

  const GpuSourceRequest &request;
  std::string parameters, words, conversions, checks, constants, refused;
};

} // namespace

std::string emitGpuHeader(const GpuSourceRequest &request) { return SourceWriter(request).header(); }

Result<std::string> emitGpuSource(const GpuSourceRequest &request) { return SourceWriter(request).source(); }

} // namespace nereid::jit
