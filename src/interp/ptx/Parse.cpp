// Parse.cpp: the text of inline assembly to operations.
#include "interp/ptx/Ptx.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <map>

namespace nereid::interp::ptx {

static std::optional<Type> typeNamed(std::string_view name) {
  static const std::map<std::string_view, Type> kTypes = {{"b8", {Kind::Bits, 8}},
                                                          {"b16", {Kind::Bits, 16}},
                                                          {"b32", {Kind::Bits, 32}},
                                                          {"b64", {Kind::Bits, 64}},
                                                          {"u8", {Kind::Unsigned, 8}},
                                                          {"u16", {Kind::Unsigned, 16}},
                                                          {"u32", {Kind::Unsigned, 32}},
                                                          {"u64", {Kind::Unsigned, 64}},
                                                          {"s8", {Kind::Signed, 8}},
                                                          {"s16", {Kind::Signed, 16}},
                                                          {"s32", {Kind::Signed, 32}},
                                                          {"s64", {Kind::Signed, 64}},
                                                          {"u16x2", {Kind::Unsigned, 16, 2}},
                                                          {"s16x2", {Kind::Signed, 16, 2}},
                                                          {"f16", {Kind::Float, 16}},
                                                          {"f16x2", {Kind::Float, 16, 2}},
                                                          {"bf16", {Kind::BFloat, 16}},
                                                          {"bf16x2", {Kind::BFloat, 16, 2}},
                                                          {"f32", {Kind::Float, 32}},
                                                          {"f32x2", {Kind::Float, 32, 2}},
                                                          {"f64", {Kind::Float, 64}},
                                                          {"e4m3x2", {Kind::E4M3, 8, 2}},
                                                          {"e5m2x2", {Kind::E5M2, 8, 2}},
                                                          {"e2m1x2", {Kind::E2M1, 4, 2}},
                                                          {"pred", {Kind::Predicate, 1}}};
  auto found = kTypes.find(name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '{' || text[i] == '}'))
      depth += text[i] == '{' ? 1 : -1;
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return parts;
}

void readOpcode(Operation &operation, std::string_view opcode) {
  std::vector<std::string> words = split(opcode, '.');
  operation.name = words[0];
  std::vector<Type> types;
  for (size_t i = 1; i < words.size(); ++i) {
    operation.modifiers.emplace_back(words[i]);
    if (auto type = typeNamed(words[i]))
      types.push_back(*type);
  }
  if (!types.empty())
    operation.type = types.back();
  operation.resultType = types.size() > 1 ? types[types.size() - 2] : operation.type;
}

uint64_t readNumber(const std::string &text, Type type) {
  bool isNegative = text[0] == '-';
  std::string digits = text.substr(isNegative);
  uint64_t value = 0;
  if (digits.size() > 2 && (digits[1] == 'f' || digits[1] == 'F' || digits[1] == 'd' || digits[1] == 'D') &&
      digits[0] == '0')
    return std::strtoull(digits.c_str() + 2, nullptr, 16);
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B'))
    value = std::strtoull(digits.c_str() + 2, nullptr, 2);
  else if (digits.find('.') != std::string::npos)
    return type.bits == 64 ? std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr))
                           : std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr));
  else
    value = std::strtoull(digits.c_str(), nullptr, 0);
  return isNegative ? 0 - value : value;
}

namespace {

class Parser {
public:
  Parser(std::string_view text, uint32_t parameters, std::string &error)
      : text(withoutComments(text)), parameters(parameters), error(error) {
    code.registers = parameters;
  }

  std::optional<Code> parse() {
    while (error.empty()) {
      // Braces around statements only scope names.
      while (at < text.size() && (std::isspace(static_cast<unsigned char>(text[at])) || text[at] == '{' ||
                                  text[at] == '}' || text[at] == ';'))
        ++at;
      if (at >= text.size())
        return std::move(code);
      size_t end = std::min(text.find(';', at), text.size());
      parseStatement(trimmed(std::string_view(text).substr(at, end - at)));
      at = end;
    }
    return std::nullopt;
  }

private:
  static std::string withoutComments(std::string_view source) {
    std::string result;
    for (size_t i = 0; i < source.size(); ++i) {
      if (source.substr(i, 2) == "//")
        i = std::min(source.find('\n', i), source.size());
      else if (source.substr(i, 2) == "/*")
        i = std::min(source.find("*/", i), source.size() - 2) + 1;
      else
        result += source[i];
    }
    return result;
  }

  void fail(std::string message) {
    if (error.empty())
      error = std::move(message);
  }

  void parseStatement(std::string statement) {
    Operation operation;
    if (statement[0] == '@') {
      size_t space = std::min(statement.find_first_of(" \t\n"), statement.size());
      std::string guard = statement.substr(1, space - 1);
      if ((operation.isGuardNegated = !guard.empty() && guard[0] == '!'))
        guard.erase(0, 1);
      operation.guard = registerNamed(guard);
      statement = trimmed(std::string_view(statement).substr(space));
    }
    size_t space = std::min(statement.find_first_of(" \t\n"), statement.size());
    std::string opcode = statement.substr(0, space), rest = trimmed(std::string_view(statement).substr(space));
    if (opcode == ".reg")
      return declare(rest);
    readOpcode(operation, opcode);
    // Programs here see each other's memory at once: nothing to wait for.
    if (operation.name == "fence" || operation.name == "membar")
      return;
    // An operand in brackets is memory.
    if (rest.find('[') != std::string::npos)
      return fail("the instruction `" + opcode + "` of inline assembly runs only on the GPU");
    if (!rest.empty())
      for (const std::string &part : split(rest, ','))
        operation.operands.push_back(parseOperand(part, operation.type));
    operation.execute = findOperation(operation);
    if (!operation.execute)
      return fail("the instruction `" + opcode + "` of inline assembly runs only on the GPU");
    code.operations.push_back(std::move(operation));
  }

  // ".b32 a, b, d<4>": d0 to d3.
  void declare(const std::string &rest) {
    size_t space = std::min(rest.find_first_of(" \t\n"), rest.size());
    for (const std::string &name : split(std::string_view(rest).substr(space), ',')) {
      size_t bracket = name.find('<');
      if (bracket == std::string::npos) {
        names[name] = code.registers++;
        continue;
      }
      int count = std::atoi(name.c_str() + bracket + 1);
      if (count < 0 || count > 1024 || code.registers > kMostRegisters)
        return fail("too many registers in inline assembly");
      for (int i = 0; i < count; ++i)
        names[name.substr(0, bracket) + std::to_string(i)] = code.registers++;
    }
  }

  uint32_t registerNamed(const std::string &name) {
    if (name.size() > 1 && name[0] == '$' && std::isdigit(static_cast<unsigned char>(name[1]))) {
      auto number = uint32_t(std::strtoul(name.c_str() + 1, nullptr, 10));
      if (number < parameters)
        return number;
    }
    if (auto found = names.find(name); found != names.end())
      return found->second;
    fail("inline assembly uses `" + name + "`, which it does not declare");
    return 0;
  }

  Operand parseOperand(const std::string &text, Type type) {
    Operand operand;
    if (text.empty()) {
      fail("inline assembly has an empty operand");
    } else if (text[0] == '{') {
      operand.isVector = true;
      for (const std::string &part : split(std::string_view(text).substr(1, text.size() - 2), ','))
        operand.registers.push_back(part == "_" ? code.registers++ : registerNamed(part));
    } else if (std::isdigit(static_cast<unsigned char>(text[0])) || (text[0] == '-' && text.size() > 1)) {
      operand.isImmediate = true;
      operand.immediate = readNumber(text, type);
    } else {
      operand.isNegated = text[0] == '!';
      // "p|q": two destinations of a comparison.
      for (const std::string &part : split(std::string_view(text).substr(operand.isNegated), '|'))
        operand.registers.push_back(registerNamed(part));
    }
    return operand;
  }

  std::string text;
  uint32_t parameters;
  std::string &error;
  size_t at = 0;
  Code code;
  std::map<std::string, uint32_t> names;
};

} // namespace

bool Operation::hasOnly(std::string_view words) const {
  std::vector<std::string> known = split(words, ' ');
  return std::ranges::all_of(modifiers, [&](const Modifier &each) {
    return typeNamed(each.text) || std::ranges::find(known, each.text) != known.end();
  });
}

std::optional<Code> parse(std::string_view text, uint32_t parameters, std::string &error) {
  error.clear();
  return Parser(text, parameters, error).parse();
}

// Lists in braces are the parts of a value, of a byte or more.
static bool hasWholeParts(const Operation &operation) {
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    const Operand &operand = operation.operands[i];
    unsigned width = (i == 0 ? operation.resultType : operation.type).width(),
             parts = unsigned(operand.registers.size());
    if (operand.isVector && (!parts || parts > 8 || width % (8 * parts)))
      return false;
  }
  return true;
}

Execute findOperation(const Operation &operation) {
  if (!hasWholeParts(operation))
    return nullptr;
  for (auto find : {findInteger, findFloat, findConversion})
    if (Execute execute = find(operation))
      return execute;
  return nullptr;
}

void run(const Code &code, uint64_t *registers) {
  for (const Operation &operation : code.operations)
    if (!operation.guard || bool(registers[*operation.guard] & 1) != operation.isGuardNegated)
      operation.execute(operation, registers, 1);
}

} // namespace nereid::interp::ptx
