#include "interp/ptx/Kernel.h"

#include "interp/ptx/Fp32Work.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

namespace nereid::interp::ptx {

namespace {

using Role = KernelInstruction::Role;
using Work = KernelInstruction::Work;

bool isWordOf(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

class KernelReader {
public:
  KernelReader(std::string_view text, std::string_view name, std::string &error)
      : text(text), name(name), error(error) {
    static constexpr std::pair<const char *, uint32_t> kSpecials[] = {
        {"%tid.x", kTid},         {"%laneid", kLane},       {"%warpid", kWarp},       {"%ntid.x", kThreads},
        {"%ctaid.x", kCtaid},     {"%ctaid.y", kCtaid + 1}, {"%ctaid.z", kCtaid + 2}, {"%nctaid.x", kGrid},
        {"%nctaid.y", kGrid + 1}, {"%nctaid.z", kGrid + 2}};
    for (auto [special, number] : kSpecials)
      names[special] = number;
  }

  std::optional<Kernel> read() {
    readFiles();
    if (!findBody())
      return std::nullopt;
    scopes.push_back(0);
    while (error.empty() && !scopes.empty())
      readNext();
    if (!error.empty())
      return std::nullopt;
    closeBlock();
    for (const auto &[instruction, reference] : references)
      resolve(kernel.instructions[instruction], reference);
    countFp32(kernel);
    return error.empty() ? std::optional(std::move(kernel)) : std::nullopt;
  }

private:
  struct Reference {
    std::string label;
    std::vector<uint32_t> scopes;
  };

  void fail(std::string message) {
    if (error.empty())
      error = std::move(message);
  }

  // .file 1 "/path/kernel.py"
  void readFiles() {
    for (size_t at = text.find("\t.file\t"); at != std::string_view::npos; at = text.find("\t.file\t", at + 1)) {
      size_t open = text.find('"', at), close = open == text.npos ? text.npos : text.find('"', open + 1);
      if (close == text.npos)
        return;
      auto number = size_t(std::strtoul(std::string(text.substr(at + 7, 10)).c_str(), nullptr, 10));
      if (number > 4096)
        return;
      kernel.files.resize(std::max(kernel.files.size(), number + 1));
      kernel.files[number] = text.substr(open + 1, close - open - 1);
    }
  }

  bool findBody() {
    at = text.find(".entry " + std::string(name) + "(");
    if (at == text.npos)
      at = findFunction();
    if (at == text.npos || (at = text.find('{', at)) == text.npos)
      return fail("there is no entry `" + std::string(name) + "`"), false;
    ++at;
    return true;
  }

  // .func (.param .b32 func_retval0) name( … ) { … }: not where it is declared, and followed by a semicolon.
  size_t findFunction() const {
    for (size_t begin = text.find(".func"); begin != text.npos; begin = text.find(".func", begin + 1)) {
      size_t end = text.find_first_of("{;", begin);
      std::string_view head = text.substr(begin, end - begin);
      size_t found = head.find(name);
      bool isWhole = found != head.npos && !isWordOf(head[found - 1]) &&
                     (found + name.size() == head.size() || !isWordOf(head[found + name.size()]));
      if (isWhole && end != text.npos && text[end] == '{')
        return begin;
    }
    return text.npos;
  }

  void skipLine() { at = std::min(text.find('\n', at), text.size()); }

  std::string takeStatement() {
    size_t end = std::min(text.find(';', at), text.size());
    std::string statement = trimmed(text.substr(at, end - at));
    at = std::min(end + 1, text.size());
    return statement;
  }

  void readNext() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
    if (at >= text.size())
      return fail("the kernel has no end");
    std::string_view rest = text.substr(at);
    if (rest.starts_with("//"))
      return skipLine();
    if (rest[0] == '{')
      return ++at, scopes.push_back(++lastScope);
    if (rest[0] == '}')
      return ++at, scopes.pop_back();
    if (rest.starts_with(".loc"))
      return readLine();
    if (rest[0] == '.') {
      std::string statement = takeStatement();
      return statement.starts_with(".reg") ? declare(trimmed(statement.substr(4))) : void();
    }
    size_t end = 0;
    while (end < rest.size() && isWordOf(rest[end]))
      ++end;
    if (end && end < rest.size() && rest[end] == ':' && !rest.substr(end).starts_with("::")) {
      closeBlock();
      labels[{scopes.back(), std::string(rest.substr(0, end))}] = uint32_t(kernel.blocks.size());
      at += end + 1;
      return;
    }
    size_t begin = at;
    readInstruction(takeStatement(), begin);
  }

  // .loc 1 74 5, function_name …
  void readLine() {
    std::string line(text.substr(at + 4, std::min<size_t>(40, text.size() - at - 4)));
    char *end = nullptr;
    file = uint32_t(std::strtoul(line.c_str(), &end, 10));
    lineNumber = uint32_t(std::strtoul(end, nullptr, 10));
    skipLine();
  }

  // .b32 %r<212>; .pred isDone
  void declare(const std::string &rest) {
    size_t space = std::min(rest.find_first_of(" \t"), rest.size());
    for (const std::string &each : split(std::string_view(rest).substr(space), ',')) {
      size_t bracket = each.find('<');
      if (bracket == std::string::npos) {
        names[each] = kernel.registers++;
        continue;
      }
      auto count = std::strtoul(each.c_str() + bracket + 1, nullptr, 10);
      if (count > kMostRegisters || kernel.registers + count > kMostRegisters)
        return fail("too many registers");
      for (size_t i = 0; i < count; ++i)
        names[each.substr(0, bracket) + std::to_string(i)] = kernel.registers++;
    }
  }

  void closeBlock() {
    auto end = uint32_t(kernel.instructions.size());
    uint32_t begin = kernel.blocks.empty() ? 0 : kernel.blocks.back().end;
    if (begin != end)
      kernel.blocks.push_back({begin, end});
  }

  void resolve(KernelInstruction &instruction, const Reference &reference) {
    for (auto scope = reference.scopes.rbegin(); scope != reference.scopes.rend(); ++scope)
      if (auto found = labels.find({*scope, reference.label}); found != labels.end()) {
        instruction.branchesTo = found->second;
        return;
      }
    fail("there is no label `" + reference.label + "`");
  }

  std::optional<uint32_t> registerNamed(const std::string &text) const {
    auto found = names.find(text);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }

  // Instructions are read in the order of the text.
  uint32_t ptxLineOf(size_t place) {
    for (; counted < place; ++counted)
      ptxLine += text[counted] == '\n';
    return ptxLine;
  }

  void readInstruction(std::string statement, size_t begin) {
    KernelInstruction instruction;
    instruction.file = file, instruction.line = lineNumber;
    instruction.ptxLine = ptxLineOf(begin);
    Operation &operation = instruction.operation;
    if (statement.empty())
      return;
    if (statement[0] == '@') {
      size_t space = std::min(statement.find_first_of(" \t\n"), statement.size());
      std::string guard = statement.substr(1, space - 1);
      if ((operation.isGuardNegated = guard.starts_with('!')))
        guard.erase(0, 1);
      operation.guard = registerNamed(guard);
      if (!operation.guard)
        return fail("`" + guard + "` is not declared");
      statement = trimmed(std::string_view(statement).substr(space));
    }
    size_t space = std::min(statement.find_first_of(" \t\n"), statement.size());
    std::string opcode = statement.substr(0, space), rest = trimmed(std::string_view(statement).substr(space));
    readOpcode(operation, opcode);
    if (operation.name == "bra") {
      references.emplace_back(kernel.instructions.size(), Reference{rest, scopes});
    } else if (operation.name == "ret" || operation.name == "exit" || operation.name == "trap") {
      instruction.isExit = true;
    } else {
      readOperands(instruction, rest);
      classify(instruction);
    }
    bool endsBlock = operation.name == "bra" || instruction.isExit;
    kernel.instructions.push_back(std::move(instruction));
    if (endsBlock)
      closeBlock();
  }

  void readOperands(KernelInstruction &instruction, const std::string &rest) {
    Operation &operation = instruction.operation;
    if (rest.empty())
      return;
    for (const std::string &part : split(rest, ',')) {
      if (part.starts_with('[') && !part.empty())
        readAddress(instruction, part);
      else
        operation.operands.push_back(readOperand(part, operation.type));
    }
  }

  // [%rd4+16], [shared_memory+180224], [matmul_param_5]
  void readAddress(KernelInstruction &instruction, const std::string &part) {
    size_t close = std::min(part.find(']'), part.size());
    std::string inside = trimmed(std::string_view(part).substr(1, close - 1));
    size_t sign = inside.find_first_of("+-", 1);
    std::string base = trimmed(std::string_view(inside).substr(0, sign));
    KernelAddress address{.base = registerNamed(base)};
    if (sign != std::string::npos)
      address.offset = std::strtoll(inside.c_str() + sign + (inside[sign] == '+'), nullptr, 0);
    if (!address.base)
      address.symbol = base;
    if (size_t at = base.rfind("_param_"); !address.base && at != std::string::npos && instruction.addresses.empty())
      instruction.parameter = uint32_t(std::strtoul(base.c_str() + at + 7, nullptr, 10));
    instruction.addresses.push_back(std::move(address));
  }

  Operand readOperand(const std::string &part, Type type) {
    Operand operand;
    auto add = [&](const std::string &word) {
      std::optional<uint32_t> found = registerNamed(word);
      if (!found && startsNumber(word))
        kernel.constants.emplace_back(kernel.registers, readNumber(word, type));
      operand.registers.push_back(found ? *found : kernel.registers++); // `_`, and what walks do not ask for
    };
    if (part.starts_with('{')) {
      operand.isVector = true;
      size_t close = std::min(part.rfind('}'), part.size());
      for (const std::string &word : split(std::string_view(part).substr(1, close - 1), ','))
        add(word);
    } else if (startsNumber(part)) {
      operand.isImmediate = true;
      operand.immediate = readNumber(part, type);
    } else if (std::string word = part.starts_with('!') ? part.substr(1) : part; registerNamed(split(word, '|')[0])) {
      operand.isNegated = part.starts_with('!');
      for (const std::string &each : split(word, '|'))
        add(each);
    } else { // a symbol: where shared memory or the parameters begin
      operand.isImmediate = true;
      operand.symbol = part;
    }
    return operand;
  }

  static bool startsNumber(const std::string &part) {
    return !part.empty() && (std::isdigit(static_cast<unsigned char>(part[0])) || part[0] == '-');
  }

  static bool writesNothing(const Operation &operation) {
    static constexpr std::string_view kNames[] = {
        "st",      "red",           "stmatrix", "bar",        "barrier",        "cp",
        "fence",   "membar",        "prefetch", "setmaxnreg", "griddepcontrol", "nanosleep",
        "discard", "applypriority", "tensormap"};
    return std::ranges::find(kNames, operation.name) != std::end(kNames) ||
           (operation.name == "mbarrier" && !operation.has("try_wait") && !operation.has("test_wait")) ||
           (operation.name == "wgmma" && !operation.has("mma_async"));
  }

  void classify(KernelInstruction &instruction) {
    Operation &operation = instruction.operation;
    classifyWork(instruction);
    if (instruction.work == Work::SharedWrite)
      instruction.role = Role::SharedStore;
    if (writesNothing(operation) || operation.operands.empty())
      return;
    if (!operation.operands[0].isImmediate)
      instruction.targets = operation.operands[0].registers;
    if (operation.name == "cvta") { // addresses of one space are those of all
      operation.name = "mov", operation.type = operation.resultType = {Kind::Bits, 64};
      operation.modifiers.clear();
    }
    if (operation.name == "ld" && operation.has("param"))
      instruction.role = Role::Parameter;
    else if (operation.name == "ld" && operation.has("global"))
      instruction.role = Role::GlobalLoad;
    else if (operation.name == "atom" && operation.has("global") && instruction.targets.size() == 1)
      instruction.role = Role::GlobalAtomic;
    else if (instruction.work == Work::SharedRead)
      instruction.role = Role::SharedLoad;
    else if (operation.name == "shfl" && operation.operands.size() >= 4)
      instruction.role = Role::Shuffle;
    else if (operation.name == "redux" && operation.type.bits == 32 && operation.operands.size() >= 2)
      instruction.role = Role::Reduce;
    else if (operation.name == "vote" && operation.operands.size() >= 2)
      instruction.role = Role::Vote;
    else if (operation.name == "mbarrier")
      instruction.role = Role::Wait;
    else if (operation.name == "elect")
      instruction.role = Role::Elect;
    else
      instruction.role = (operation.execute = findOperation(operation)) ? Role::Compute : Role::Unknown;
    if (instruction.targets.empty())
      instruction.role = Role::Nothing;
  }

  static void classifyWork(KernelInstruction &instruction) {
    const Operation &operation = instruction.operation;
    unsigned elements = operation.has("v8") ? 8 : operation.has("v4") ? 4 : operation.has("v2") ? 2 : 1;
    instruction.accessBytes = elements * operation.type.width() / 8;
    bool isShared = operation.has("shared") || operation.has("shared::cta");
    if (operation.name == "mma" || (operation.name == "wgmma" && operation.has("mma_async")))
      instruction.work = Work::Tensor;
    else if (operation.name == "bar" || operation.name == "barrier")
      instruction.work = Work::Barrier;
    else if (operation.name == "ldmatrix" || operation.name == "stmatrix") {
      instruction.work = operation.name == "ldmatrix" ? Work::MatrixRead : Work::MatrixWrite;
      instruction.workCount = operation.has("x4") ? 4 : operation.has("x2") ? 2 : 1;
    } else if ((operation.name == "ld" || operation.name == "st") && isShared)
      instruction.work = operation.name == "ld" ? Work::SharedRead : Work::SharedWrite;
    else if ((operation.name == "atom" || operation.name == "red") && isShared)
      classifyAtomic(instruction);
    else if (operation.name == "cp" && operation.has("async") && isShared && !operation.has("bulk") &&
             !operation.operands.empty()) {
      instruction.work = Work::SharedCopy;
      instruction.accessBytes = uint32_t(operation.operands[0].immediate);
    }
  }

  // atom.shared.add.u32 %r61, [%rd6], 1: warps count lanes with the same address first.
  static void classifyAtomic(KernelInstruction &instruction) {
    const Operation &operation = instruction.operation;
    instruction.work = Work::SharedAtomic;
    instruction.addsOne = operation.has("add") && operation.type.kind != Kind::Float && !operation.operands.empty() &&
                          operation.operands.back().isImmediate && operation.operands.back().immediate == 1;
  }

  std::string_view text, name;
  std::string &error;
  size_t at = 0, counted = 0;
  uint32_t ptxLine = 1;
  Kernel kernel;
  std::unordered_map<std::string, uint32_t> names;
  std::map<std::pair<uint32_t, std::string>, uint32_t> labels;
  std::vector<std::pair<size_t, Reference>> references;
  std::vector<uint32_t> scopes; // that are open, the innermost last
  uint32_t lastScope = 0, file = 0, lineNumber = 0;
};

} // namespace

std::optional<Kernel> readKernel(std::string_view text, std::string_view name, std::string &error) {
  error.clear();
  return KernelReader(text, name, error).read();
}

} // namespace nereid::interp::ptx
