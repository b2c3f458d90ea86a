// Print.cpp: programs as .py files, and back.
//
//   # nereid-differ 0x2a
//   # grid 2 1 1
//   # tensor x0 f32 count=64 offset=0 fill=integers low=-8 high=8 seed=7 tolerance=0
//   # integer n0 17
//   import triton
//   …
#include "Program.h"
#include "runtime/Convert.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <sstream>

namespace nereid::differ {

namespace {

void printBlock(std::string &out, const Block &block, unsigned depth);

void printStatement(std::string &out, const Statement &statement, unsigned depth) {
  std::string indent(depth * 4, ' ');
  out += indent;
  for (size_t i = 0; i < statement.defines.size() && !statement.isCompound(); ++i)
    out += (i ? ", " : "") + statement.defines[i].name;
  if (!statement.defines.empty() && !statement.isCompound())
    out += " = ";
  out += statement.text + "\n";
  if (!statement.isCompound())
    return;
  printBlock(out, statement.body, depth + 1);
  if (!statement.otherwise.empty()) {
    out += indent + "else:\n";
    printBlock(out, statement.otherwise, depth + 1);
  }
}

void printBlock(std::string &out, const Block &block, unsigned depth) {
  for (const Statement &statement : block)
    printStatement(out, statement, depth);
  if (block.empty())
    out += std::string(depth * 4, ' ') + "pass\n";
}

std::string printFunction(const Function &function) {
  std::string out = "\n\n" + function.decorator + "\ndef " + function.name + "(";
  for (size_t i = 0; i < function.parameters.size(); ++i)
    out += (i ? ", " : "") + function.parameters[i];
  out += "):\n";
  if (!function.body.empty() || function.result.empty())
    printBlock(out, function.body, 1);
  if (!function.result.empty())
    out += "    return " + function.result + "\n";
  return out;
}

std::string_view fillName(Fill fill) {
  return fill == Fill::Integers ? "integers" : fill == Fill::Uniform ? "uniform" : "bits";
}

std::string list(const Shape &values) {
  std::string out;
  for (int64_t value : values)
    out += (out.empty() ? "" : ",") + std::to_string(value);
  return out;
}

// 17 digits bring every double back.
std::string exactNumber(double value) {
  char buffer[40];
  snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

std::string describe(const Parameter &p) {
  switch (p.kind) {
  case Parameter::Kind::Integer: return "integer " + p.name + " " + std::to_string(p.integer);
  case Parameter::Kind::Extent: return "extent " + p.name + " " + std::to_string(p.integer);
  case Parameter::Kind::Boolean: return "boolean " + p.name + " " + std::to_string(p.integer);
  case Parameter::Kind::Float: return "float " + p.name + " " + exactNumber(p.number);
  default: break;
  }
  std::string line = p.kind == Parameter::Kind::Tensor ? "tensor " : "descriptor ";
  line += p.name + " " + std::string(nameOf(p.dtype)) + " count=" + std::to_string(p.count) +
          " offset=" + std::to_string(p.offset);
  if (p.aliasOf.empty())
    line += " fill=" + std::string(fillName(p.fill)) + " low=" + exactNumber(p.low) + " high=" + exactNumber(p.high) +
            " seed=" + std::to_string(p.seed);
  else
    line += " alias=" + p.aliasOf;
  line += " tolerance=" + exactNumber(p.tolerance) + (p.isZeroUnsigned ? " unsigned-zero=1" : "");
  if (p.kind == Parameter::Kind::Descriptor)
    line += " shape=" + list(p.shape) + " strides=" + list(p.strides) + " block=" + list(p.block);
  return line;
}

Shape readList(const std::string &text) {
  Shape values;
  std::stringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');)
    values.push_back(std::strtoll(item.c_str(), nullptr, 10));
  return values;
}

void readField(Parameter &p, const std::string &key, const std::string &value) {
  if (key == "count")
    p.count = std::strtoll(value.c_str(), nullptr, 10);
  else if (key == "offset")
    p.offset = std::strtoll(value.c_str(), nullptr, 10);
  else if (key == "fill")
    p.fill = value == "bits" ? Fill::Bits : value == "uniform" ? Fill::Uniform : Fill::Integers;
  else if (key == "low")
    p.low = std::strtod(value.c_str(), nullptr);
  else if (key == "high")
    p.high = std::strtod(value.c_str(), nullptr);
  else if (key == "seed")
    p.seed = std::strtoull(value.c_str(), nullptr, 10);
  else if (key == "tolerance")
    p.tolerance = std::strtod(value.c_str(), nullptr);
  else if (key == "unsigned-zero")
    p.isZeroUnsigned = true;
  else if (key == "alias")
    p.aliasOf = value;
  else if (key == "shape")
    p.shape = readList(value);
  else if (key == "strides")
    p.strides = readList(value);
  else if (key == "block")
    p.block = readList(value);
}

Result<Parameter> readTensor(std::stringstream &words, Parameter p) {
  std::string dtype;
  words >> dtype;
  std::optional<DType> parsed = runtime::parseDType(dtype);
  if (!parsed)
    return Error{Status::BadInput, "`" + dtype + "` is no element type"};
  p.dtype = *parsed;
  for (std::string field; words >> field;)
    if (size_t equals = field.find('='); equals != std::string::npos)
      readField(p, field.substr(0, equals), field.substr(equals + 1));
  return p;
}

bool isParameterKind(const std::string &kind) {
  static constexpr std::string_view kKinds[] = {"tensor", "descriptor", "integer", "extent", "boolean", "float"};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

// A parameter from the words after its kind.
Result<Parameter> readParameter(const std::string &kind, std::stringstream &words) {
  using enum Parameter::Kind;
  Parameter p;
  words >> p.name;
  if (kind == "tensor" || kind == "descriptor") {
    p.kind = kind == "tensor" ? Tensor : Descriptor;
    return readTensor(words, p);
  }
  p.kind = kind == "integer" ? Integer : kind == "extent" ? Extent : kind == "boolean" ? Boolean : Float;
  std::string value;
  words >> value;
  p.integer = std::strtoll(value.c_str(), nullptr, 10);
  p.number = std::strtod(value.c_str(), nullptr);
  return p;
}

} // namespace

static int64_t valueOf(const Program &program, const Extent &extent) {
  int64_t value = extent.factor;
  for (unsigned symbol : extent.symbols)
    value *= program.find("B" + std::to_string(symbol))->integer;
  return value;
}

Case makeCase(const Program &program) {
  Case result{.grid = program.grid,
              .isDebug = program.isDebug,
              .numWarps = program.numWarps,
              .numStages = program.numStages};
  std::string kernelBody;
  printBlock(kernelBody, program.body, 1);
  std::string functions;
  // A function may call those before it.
  std::string used = kernelBody;
  for (size_t i = program.functions.size(); i-- > 0;)
    if (usesName(used, program.functions[i].name)) {
      std::string printed = printFunction(program.functions[i]);
      functions = printed + functions;
      used += printed;
    }
  Function kernel{.name = "kernel"};
  auto isUsed = [&](const Parameter &p) {
    return usesName(kernelBody, p.name) || std::ranges::any_of(program.parameters, [&](const Parameter &other) {
             return other.aliasOf == p.name && usesName(kernelBody, other.name);
           });
  };
  for (const Parameter &parameter : program.parameters)
    if (isUsed(parameter)) {
      result.parameters.push_back(parameter);
      for (size_t i = 0; i < parameter.blockShape.size(); ++i)
        result.parameters.back().block[i] = valueOf(program, parameter.blockShape[i]);
      kernel.parameters.push_back(parameter.name + (parameter.kind == Parameter::Kind::Extent ? ": tl.constexpr" : ""));
    }
  kernel.body = program.body;
  result.text = "import triton\nimport triton.language as tl\n";
  if (usesName(used, "libdevice"))
    result.text += "from triton.language.extra import libdevice\n";
  result.text += functions + printFunction(kernel);
  return result;
}

std::string fileText(const Case &testCase, const std::string &title) {
  std::string out = "# nereid-differ " + title + "\n";
  out += llvm::formatv("# grid {0} {1} {2}\n", testCase.grid[0], testCase.grid[1], testCase.grid[2]).str();
  if (testCase.isDebug)
    out += "# debug\n";
  if (testCase.numWarps)
    out += llvm::formatv("# warps {0} stages {1}\n", testCase.numWarps, testCase.numStages).str();
  for (const Parameter &parameter : testCase.parameters)
    out += "# " + describe(parameter) + "\n";
  return out + testCase.text;
}

Result<Case> parseFile(const std::string &text) {
  Case result{.text = text};
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("#");) {
    std::stringstream words(line.substr(1));
    std::string kind;
    words >> kind;
    if (kind == "grid")
      words >> result.grid[0] >> result.grid[1] >> result.grid[2];
    else if (kind == "debug")
      result.isDebug = true;
    else if (std::string stages; kind == "warps")
      words >> result.numWarps >> stages >> result.numStages;
    else if (isParameterKind(kind)) {
      Result<Parameter> parameter = readParameter(kind, words);
      if (!parameter)
        return parameter.error();
      result.parameters.push_back(*parameter);
    }
  }
  return result;
}

} // namespace nereid::differ
