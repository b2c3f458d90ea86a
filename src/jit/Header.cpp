// Header.cpp: C text from the types of a kernel's arguments.
//
//   static inline nereid_rt_status add_launch(uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, float *x, int32_t n)
//
// What a kernel was specialized for (16 divides `n`) is checked in the function: a wrong argument is an error there,
// and not a wrong result.
#include "jit/Header.h"

#include "jit/CText.h"
#include "lang/Value.h"

#include <algorithm>
#include <array>

namespace nereid::jit {

namespace {

// The C form of a scalar type, and the type that its pointers have.
struct ScalarForm {
  std::string name;
  std::string convert; // a value to its bits: "nereid_rt_float(" … ")"
};

ScalarForm scalarType(const lang::Type &type) {
  switch (type.scalarKind()) {
  case lang::Scalar::Int1: return {"bool", "(uint64_t)("};
  case lang::Scalar::Int8: return {"int8_t", "(uint64_t)(uint8_t)("};
  case lang::Scalar::Int16: return {"int16_t", "(uint64_t)(uint16_t)("};
  case lang::Scalar::Int32: return {"int32_t", "(uint64_t)(uint32_t)("};
  case lang::Scalar::Int64: return {"int64_t", "(uint64_t)("};
  case lang::Scalar::UInt8: return {"uint8_t", "(uint64_t)("};
  case lang::Scalar::UInt16: return {"uint16_t", "(uint64_t)("};
  case lang::Scalar::UInt32: return {"uint32_t", "(uint64_t)("};
  case lang::Scalar::UInt64: return {"uint64_t", "(uint64_t)("};
  case lang::Scalar::Fp32: return {"float", "nereid_rt_float("};
  case lang::Scalar::Fp64: return {"double", "nereid_rt_double("};
  case lang::Scalar::Pointer: return {"void *", "nereid_rt_pointer("};
  default: return {"float", "nereid_rt_narrow(\"" + type.shortName() + "\", "};
  }
}

// "float *": C has no type for the narrow floats, so their pointers are `void *`.
std::string pointerType(const lang::Type &pointee, bool isConst) {
  bool hasType =
      !pointee.isPointer() && !pointee.isVoid() && !pointee.isFp8() && (!pointee.isFloat() || pointee.bitWidth() >= 32);
  return std::string(isConst ? "const " : "") + (hasType ? scalarType(pointee).name : "void") + " *";
}

class HeaderWriter {
public:
  explicit HeaderWriter(const HeaderRequest &request) : request(request) {}

  std::string write() {
    for (size_t i = 0; i < request.specs.size(); ++i)
      addParameter(safeName(request.kernel.parameters[i].name), request.specs[i]);
    return opening() + "\n" + comment() + function() + closing();
  }

private:
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
    ScalarForm type = scalarType(spec.type);
    bool isPointer = spec.type.isPointer();
    declare(isPointer ? pointerType(spec.type.pointee(), spec.type.isConstPointer()) : type.name + " ", name);
    if (spec.divisibility > 1) {
      std::string by = std::to_string(spec.divisibility);
      std::string value = isPointer ? "nereid_rt_pointer(" + name + ")" : name;
      require(value + " % " + by + " == 0", name,
              isPointer ? "must be aligned to " + by + " bytes" : "must be divisible by " + by);
    }
    pass(type.convert + name + ")");
  }

  // A descriptor is its address, its extents and its strides.
  void addDescriptor(const std::string &name, const lang::ArgumentSpec &spec) {
    std::string rank = std::to_string(spec.type.shape().size());
    declare(pointerType(spec.type.scalar(), false), name);
    declare("const int64_t *", name + "_shape /* " + rank + " extents */");
    declare("const int64_t *", name + "_strides /* in elements */");
    require("nereid_rt_pointer(" + name + ") % 16 == 0", name, "must be aligned to 16 bytes");
    require(name + "_strides[" + std::to_string(spec.type.shape().size() - 1) + "] == 1", name,
            "must be contiguous along its last axis");
    pass("nereid_rt_pointer(" + name + ")");
    for (std::string_view part : {"_shape[", "_strides["})
      for (size_t i = 0; i < spec.type.shape().size(); ++i)
        pass("(uint64_t)" + name + std::string(part) + std::to_string(i) + "]");
  }

  void declare(const std::string &type, const std::string &name) { parameters += ", " + type + name; }
  void pass(const std::string &bits) { arguments += (arguments.empty() ? "" : ", ") + bits; }
  void require(const std::string &condition, const std::string &name, const std::string &problem) {
    checks += "  if (!(" + condition + "))\n    return nereid_rt_refuse(&kernel, " + cString(name) + ", " +
              cString(problem) + ");\n";
  }

  std::string opening() const {
    std::string guard = "NEREID_KERNEL_" + request.artifact.name + "_H";
    return "/* Made by nereid from " + commented(request.file) + " for " + request.target.text() +
           ". Link its object, and libnereid-rt. */\n#ifndef " + guard + "\n#define " + guard +
           "\n\n#include <nereid/runtime.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nvoid " +
           request.artifact.name +
           "(const uint64_t *arguments, nereid_rt_state *state, uint64_t first, uint64_t last, void *scratch);\n";
  }

  std::string comment() const {
    std::string fixed = constants.empty() ? "" : " * Compiled for\n" + constants;
    return "/* Runs all programs of the grid and returns when they have ended. 0: fine; else nereid_rt_last_error() "
           "says "
           "why.\n" +
           fixed + " */\n";
  }

  std::string siteText(const cpu::Site &site, const std::string &values) const {
    return "      {" + std::to_string(unsigned(site.kind)) + ", " + (site.isHex ? "1, " : "0, ") + cString(site.text) +
           ", " + cString(site.file) + ", " + std::to_string(site.line) + ", " + std::to_string(site.column) + ", " +
           std::to_string(site.endColumn) + ", " + std::to_string(site.values.size()) + ", " + values + "},\n";
  }

  // The tables of the places that print or fail; innermost first, as C wants them.
  std::string siteTables() const {
    const std::vector<cpu::Site> &sites = request.artifact.sites;
    std::string inner, outer;
    for (size_t i = 0; i < sites.size(); ++i) {
      std::string table = "values" + std::to_string(i), rows;
      for (size_t v = 0; v < sites[i].values.size(); ++v) {
        const cpu::Site::Value &value = sites[i].values[v];
        std::string shape = "shape" + std::to_string(i) + "_" + std::to_string(v), extents;
        for (int64_t extent : value.shape)
          extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
        if (!extents.empty())
          inner += "  static const int64_t " + shape + "[] = {" + extents + "};\n";
        rows += (v ? ", {" : "{") + cString(value.type) + ", " + std::to_string(value.shape.size()) + ", " +
                (extents.empty() ? "0" : shape) + "}";
      }
      if (!rows.empty())
        inner += "  static const nereid_rt_value " + table + "[] = {" + rows + "};\n";
      outer += siteText(sites[i], rows.empty() ? "0" : table);
    }
    return outer.empty() ? "" : inner + "  static const nereid_rt_site sites[] = {\n" + outer + "  };\n";
  }

  std::string function() const {
    const cpu::Artifact &artifact = request.artifact;
    unsigned flags =
        (artifact.isOrderSensitive ? 1u : 0u) | (artifact.usesTileRegisters ? 2u : 0u) | (artifact.waits ? 4u : 0u);
    std::string name =
        request.launcher.empty() ? safeName(request.kernel.name) + "_launch" : safeName(request.launcher);
    return "static inline nereid_rt_status " + name + "(uint32_t grid_x, uint32_t grid_y, uint32_t grid_z" +
           parameters + ") {\n" + siteTables() + "  static nereid_rt_kernel kernel = {NEREID_RT_ABI_VERSION, " +
           std::to_string(flags) + ", " + cString(request.kernel.name) + ",\n      " +
           cString(request.target.requiredFeatures()) + ",\n      " + artifact.name + ", " +
           std::to_string(artifact.scratchBytes) + ", " + std::to_string(artifact.argumentCount) + ", " +
           std::to_string(artifact.sites.size()) + ", " + (artifact.sites.empty() ? "0" : "sites") + ", 0};\n" +
           checks +
           // C allows no empty array.
           "  const uint64_t arguments[] = {" + (arguments.empty() ? "0" : arguments) + "};\n" +
           "  return nereid_rt_launch(&kernel, arguments, grid_x, grid_y, grid_z);\n}\n";
  }

  std::string closing() const { return "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"; }

  const HeaderRequest &request;
  std::string parameters, arguments, checks, constants;
};

} // namespace

std::string emitHeader(const HeaderRequest &request) { return HeaderWriter(request).write(); }

} // namespace nereid::jit
