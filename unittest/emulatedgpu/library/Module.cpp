#include "Module.h"

#include "interp/ptx/Meet.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace nereid::emulated {

namespace {

uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

// The number behind a word, as in `.align 16`.
uint64_t numberBehind(std::string_view text, std::string_view word, uint64_t otherwise) {
  size_t at = text.find(word);
  return at == text.npos ? otherwise
                         : std::strtoull(std::string(text.substr(at + word.size(), 24)).c_str(), nullptr, 0);
}

// The bytes of the elements in `.global .align 4 .b32 name[3]`.
uint64_t elementBytes(std::string_view text) {
  for (const std::string &word : ptx::split(text, ' '))
    if (word.size() > 2 && word[0] == '.' && std::strchr("bufs", word[1]) &&
        std::isdigit(static_cast<unsigned char>(word[2])))
      return std::strtoull(word.c_str() + 2, nullptr, 10) / 8;
  return 1;
}

std::string withSpaces(std::string_view text) {
  std::string result(text);
  std::ranges::replace(result, '\t', ' ');
  std::ranges::replace(result, '\n', ' ');
  return result;
}

// `name` of `… .b8 name[16] = {1, 2}`, without what stands behind it.
std::string nameIn(const std::string &declaration) {
  std::string head = ptx::trimmed(declaration.substr(0, declaration.find_first_of("[=")));
  return head.substr(head.find_last_of(' ') + 1);
}

bool isDirective(std::string_view statement, std::string_view word) { return statement.starts_with(word); }

} // namespace

Module::Module(std::string_view source) : text(source) {
  if (size_t at = text.find(".target "); at != text.npos)
    target = text.substr(at + 8, text.find_first_of(", \n", at + 8) - at - 8);
  readVariables();
  for (auto &[name, function] : functions)
    decode(function);
}

std::string_view Module::line(uint32_t number) const {
  size_t at = 0;
  for (uint32_t i = 1; i < number && at != text.npos; ++i)
    at = text.find('\n', at) == text.npos ? text.npos : text.find('\n', at) + 1;
  return at == text.npos ? std::string_view() : std::string_view(text).substr(at, text.find('\n', at) - at);
}

bool Module::holds(uint64_t address, uint64_t bytes) const {
  return std::ranges::any_of(variables, [&](const auto &each) {
    const Variable &variable = each.second;
    return address >= variable.address && address + bytes <= variable.address + variable.bytes;
  });
}

// Directives outside of functions, and the functions.
void Module::readVariables() {
  uint64_t sharedEnd = kShared;
  for (size_t at = 0; at < text.size();) {
    while (at < text.size() &&
           (std::isspace(static_cast<unsigned char>(text[at])) || text[at] == ';' || text[at] == ')'))
      ++at;
    std::string_view rest = std::string_view(text).substr(at);
    if (rest.empty() || rest.starts_with(".section"))
      break;
    size_t lineEnd = std::min(rest.find('\n'), rest.size()), semicolon = std::min(rest.find(';'), rest.size()),
           brace = rest.find('{');
    bool isFunction =
        rest.find(".entry") < std::min(semicolon, lineEnd) || rest.find(".func") < std::min(semicolon, lineEnd);
    if (isFunction && brace < semicolon) {
      int depth = 0;
      size_t end = brace;
      for (; end < rest.size(); ++end)
        if ((depth += rest[end] == '{' ? 1 : rest[end] == '}' ? -1 : 0) == 0)
          break;
      readFunction(rest.substr(0, brace), rest.substr(brace, end - brace));
      at += end + 1;
    } else if (rest.find(".global") < std::min(semicolon, lineEnd) ||
               rest.find(".shared") < std::min(semicolon, lineEnd)) {
      bool isShared = rest.find(".shared") < lineEnd;
      std::string statement = withSpaces(rest.substr(0, semicolon));
      readVariable(statement, variables, sharedEnd, isShared ? kShared : 0);
      at += semicolon;
    } else {
      at += isFunction ? semicolon : lineEnd;
    }
  }
  staticSharedBytes = sharedEnd - kShared;
}

// .global .align 1 .b8 text[3] = {65, 66, 0}; .extern .shared .align 1024 .b8 shared_memory[]. `base` 0: memory of the host.
void Module::readVariable(std::string_view statement, std::map<std::string, Variable> &into, uint64_t &end,
                          uint64_t base) {
  std::string declaration(statement);
  size_t equals = declaration.find('='), bracket = declaration.substr(0, equals).find('[');
  uint64_t element = elementBytes(declaration), count = 1;
  if (bracket != declaration.npos)
    count = std::strtoull(declaration.c_str() + bracket + 1, nullptr, 10);
  Variable variable{.bytes = element * count};
  if (base) {
    end = roundUp(end, std::max(element, numberBehind(declaration, ".align ", element)));
    variable.address = end;
    end += variable.bytes;
  } else {
    contents.push_back(std::make_unique<uint8_t[]>(variable.bytes + 16));
    uint8_t *bytes = contents.back().get();
    bytes += roundUp(reinterpret_cast<uint64_t>(bytes), 16) - reinterpret_cast<uint64_t>(bytes);
    variable.address = reinterpret_cast<uint64_t>(bytes);
    if (equals != declaration.npos) {
      std::string values = declaration.substr(equals + 1);
      std::erase_if(values, [](char c) { return c == '{' || c == '}'; });
      for (const std::string &value : ptx::split(values, ',')) {
        if (value.empty() || !(std::isdigit(static_cast<unsigned char>(value[0])) || value[0] == '-'))
          throw std::runtime_error("a variable with `" + value + "` in it is not known to the emulated GPU");
        uint64_t bits = ptx::readNumber(value, {ptx::Kind::Bits, uint8_t(element * 8)});
        std::memcpy(bytes, &bits, element);
        bytes += element;
      }
    }
  }
  into[nameIn(declaration)] = variable;
}

// Each call has its own of the same names; one that is as large and as aligned as all of them serves.
void Module::readParameterOfCall(const std::string &statement, Function &function) {
  std::map<std::string, Variable> own;
  uint64_t end = function.parameterBytes;
  readVariable(statement, own, end, kParameters);
  auto &[name, variable] = *own.begin();
  auto [known, isNew] = function.parameters.try_emplace(name, variable);
  uint64_t alignment = numberBehind(statement, ".align ", elementBytes(statement));
  if (!isNew && known->second.bytes >= variable.bytes && known->second.address % alignment == 0)
    return;
  known->second = variable;
  function.parameterBytes = end;
}

// `(.param .b32 result) name(.param .b64 name_param_0, …)`
void Module::readFunction(std::string_view head, std::string_view body) {
  std::string declared = withSpaces(head);
  bool isEntry = declared.find(".entry") != declared.npos;
  size_t at = declared.find(isEntry ? ".entry" : ".func") + (isEntry ? 6 : 5);
  while (declared[at] == ' ')
    ++at;
  std::string results;
  if (declared[at] == '(') {
    size_t close = declared.find(')', at);
    results = declared.substr(at + 1, close - at - 1);
    at = declared.find_first_not_of(' ', close + 1);
  }
  size_t open = declared.find('(', at);
  Function function;
  function.name = ptx::trimmed(declared.substr(at, open - at));
  auto add = [&](const std::string &list, bool isOwn) {
    for (const std::string &each : ptx::split(list, ','))
      if (!each.empty()) {
        readVariable(each, function.parameters, function.parameterBytes, kParameters);
        Variable &variable = function.parameters[nameIn(each)];
        if (isOwn)
          function.ordered.push_back(variable);
      }
  };
  size_t close = open == declared.npos ? open : declared.find(')', open);
  if (open != declared.npos)
    add(declared.substr(open + 1, close - open - 1), true);
  add(results, false);
  // Declared in the body: what it passes on in calls, and what of its own lies in memory.
  std::string inside = withSpaces(body);
  std::map<std::string, Variable> &own = locals[function.name];
  for (const char *word : {".param ", ".local ", ".shared "})
    for (size_t begin = inside.find(word); begin != inside.npos; begin = inside.find(word, begin + 1)) {
      if (begin && inside[begin - 1] != ' ')
        continue; // ld.param
      std::string statement = inside.substr(begin, inside.find(';', begin) - begin);
      if (isDirective(statement, ".param"))
        readParameterOfCall(statement, function);
      else if (isDirective(statement, ".local"))
        readVariable(statement, own, function.localBytes, kLocal);
      else if (isDirective(statement, ".shared"))
        throw std::runtime_error("shared memory of a function is not known to the emulated GPU");
    }
  std::string problem;
  std::optional<ptx::Kernel> kernel = ptx::readKernel(text, function.name, problem);
  if (!kernel)
    throw std::runtime_error(problem);
  function.kernel = std::move(*kernel);
  functions[function.name] = std::move(function);
}

Variable Module::find(const Function &function, const std::string &symbol) const {
  const std::map<std::string, Variable> &own = locals.at(function.name);
  if (auto found = own.find(symbol); found != own.end())
    return {found->second.address + kLocal, found->second.bytes};
  if (auto found = function.parameters.find(symbol); found != function.parameters.end())
    return {found->second.address + kParameters, found->second.bytes};
  if (auto found = variables.find(symbol); found != variables.end())
    return found->second;
  return {};
}

void Module::resolve(const Function &function, Act &act, ptx::KernelInstruction &instruction) {
  auto parenthesized = [](std::string word) {
    std::erase_if(word, [](char c) { return c == '(' || c == ')' || c == ' '; });
    return word;
  };
  for (ptx::Operand &operand : instruction.operation.operands)
    if (!operand.symbol.empty() && operand.symbol[0] != '%' && operand.symbol != "_") {
      // `name+16`, which is a constant to the text's reader
      size_t plus = operand.symbol.find('+');
      std::string name = parenthesized(ptx::trimmed(operand.symbol.substr(0, plus)));
      Variable variable = find(function, name);
      if (auto callee = functions.find(name); callee != functions.end())
        act.callee = &callee->second;
      else if (!variable.address && instruction.operation.name != "call")
        throw std::runtime_error("`" + name + "` is not known to the emulated GPU");
      operand.immediate =
          variable.address +
          (plus == std::string::npos ? 0 : std::strtoull(operand.symbol.c_str() + plus + 1, nullptr, 0));
    }
  for (const ptx::KernelAddress &address : instruction.addresses) {
    Variable variable = address.base ? Variable{} : find(function, address.symbol);
    if (!address.base && !variable.address)
      throw std::runtime_error("`" + address.symbol + "` is not known to the emulated GPU");
    act.symbols.push_back(variable.address + uint64_t(address.offset));
  }
}

void Module::decode(Function &function) {
  for (ptx::KernelInstruction &instruction : function.kernel.instructions) {
    Act act{.instruction = &instruction};
    resolve(function, act, instruction);
    bool isKnown = instruction.isExit || instruction.branchesTo || decodeAsync(act) || decodeMatrix(act) ||
                   decodeAccess(act) || decodeExchange(act) || decodeCompute(act);
    if (!isKnown)
      throw std::runtime_error("the emulated GPU does not know `" + ptx::trimmed(line(instruction.ptxLine)) +
                               "` (line " + std::to_string(instruction.ptxLine) + " of the PTX)");
    function.acts.push_back(std::move(act));
  }
  function.meets = ptx::meetingBlocks(function.kernel);
}

} // namespace nereid::emulated
