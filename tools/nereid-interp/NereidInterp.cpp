// NereidInterp.cpp: runs a function of tile IR from a .mlir file, for tests of the interpreter.
//
//   nereid-interp FILE.mlir [--function NAME] [--grid X[,Y[,Z]]] [--threads N] [--seed N] [--check[=CLASS,…]] [--steps
//   N]
//                 [--repeat N] ARGUMENT…
//   ARGUMENT: 3 | -1 | 2.5:f32 | 0x3c00 | NAME=buf:TYPE:v,v,… | NAME=buf:TYPE:zeros*N | NAME=buf:TYPE:arange*N
//             | NAME=file:TYPE:PATH[:SHAPE as 4x8] (raw bytes, written back) |
//             NAME=desc:BUFFER:EXTENTxEXTENT:STRIDExSTRIDE[:nan]
// Buffers are printed after the run; those from files are written back instead.
#include "dialect/Tile.h"
#include "interp/Interp.h"
#include "interp/NarrowFloat.h"
#include "runtime/WriteFile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <chrono>
#include <cstring>

using namespace nereid::interp;
using llvm::StringRef;

namespace {

struct Buffer {
  std::string name, type, path;
  std::vector<char> bytes;
  std::vector<int64_t> shape;
};

struct Command {
  std::string file, function;
  LaunchOptions options;
  std::vector<Argument> arguments;
  std::vector<std::unique_ptr<Buffer>> buffers;
  unsigned repeat = 1;
};

std::optional<Element> elementNamed(StringRef name) {
  static const std::pair<const char *, Element> kNames[] = {
      {"i1", Element::I1},         {"i8", Element::I8},
      {"i16", Element::I16},       {"i32", Element::I32},
      {"i64", Element::I64},       {"f16", Element::F16},
      {"bf16", Element::BF16},     {"f32", Element::F32},
      {"f64", Element::F64},       {"e5m2", Element::F8E5M2},
      {"e4m3", Element::F8E4M3FN}, {"e5m2fnuz", Element::F8E5M2FNUZ},
      {"ptr", Element::Pointer},   {"e4m3fnuz", Element::F8E4M3FNUZ}};
  for (auto [known, element] : kNames)
    if (name == known)
      return element;
  return std::nullopt;
}

// The bits of a number written as text; integers may be hexadecimal bits of any type.
uint64_t parseBits(StringRef text, Element element) {
  if (text.starts_with("0x") || !isFloat(element)) {
    uint64_t bits = 0;
    int64_t number = 0;
    if (!text.getAsInteger(0, bits))
      return bits;
    text.getAsInteger(0, number);
    return uint64_t(number);
  }
  double value = std::strtod(text.str().c_str(), nullptr);
  auto single = float(value);
  uint64_t bits = 0;
  if (Pack pack = packOf(element, Narrowing::Arithmetic))
    pack(&bits, &single, 1);
  else
    bits = element == Element::F32 ? std::bit_cast<uint32_t>(single) : std::bit_cast<uint64_t>(value);
  return bits;
}

std::string textOf(uint64_t bits, Element element) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (Unpack unpack = unpackOf(element)) {
    float value;
    unpack(&value, &bits, 1);
    out << llvm::format("%.9g", double(value));
  } else if (element == Element::F32) {
    out << llvm::format("%.9g", double(std::bit_cast<float>(uint32_t(bits))));
  } else if (element == Element::F64) {
    out << llvm::format("%.17g", std::bit_cast<double>(bits));
  } else {
    unsigned unused = 64 - 8 * unsigned(byteSize(element));
    out << (int64_t(bits << unused) >> unused);
  }
  return text;
}

bool fail(const llvm::Twine &message) {
  llvm::errs() << "nereid-interp: " << message << "\n";
  return false;
}

bool parseNumbers(StringRef text, char separator, std::vector<int64_t> &numbers) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, separator);
  for (StringRef part : parts)
    if (part.getAsInteger(0, numbers.emplace_back()))
      return fail("`" + text + "` is not a list of numbers");
  return true;
}

bool fillBuffer(Buffer &buffer, StringRef values, Element element) {
  size_t size = byteSize(element);
  auto append = [&](uint64_t bits) {
    buffer.bytes.resize(buffer.bytes.size() + size);
    std::memcpy(buffer.bytes.data() + buffer.bytes.size() - size, &bits, size);
  };
  auto [what, count] = values.split('*');
  uint64_t times = 0;
  if (!count.empty() && count.getAsInteger(0, times))
    return fail("`" + count + "` is not a number");
  if (!count.empty() && times > (1u << 30))
    return fail("too many elements");
  for (uint64_t i = 0; i < times; ++i)
    append(what == "arange" ? parseBits(std::to_string(i), element) : 0);
  if (count.empty()) {
    llvm::SmallVector<StringRef> parts;
    values.split(parts, ',');
    for (StringRef part : parts)
      append(parseBits(part, element));
  }
  buffer.shape = {int64_t(buffer.bytes.size() / size)};
  return true;
}

bool addBuffer(Command &command, StringRef name, StringRef rest, bool isFile) {
  auto [type, values] = rest.split(':');
  std::optional<Element> element = elementNamed(type);
  if (!element)
    return fail("unknown type `" + type + "`");
  auto buffer = std::make_unique<Buffer>();
  buffer->name = name.str();
  buffer->type = type.str();
  if (isFile) {
    auto [path, shape] = values.split(':');
    auto content = llvm::MemoryBuffer::getFile(path);
    if (!content)
      return fail("cannot read `" + path + "`");
    buffer->path = path.str();
    buffer->bytes.assign((*content)->getBufferStart(), (*content)->getBufferEnd());
    buffer->shape = {int64_t(buffer->bytes.size() / byteSize(*element))};
    if (!shape.empty()) {
      buffer->shape.clear();
      if (!parseNumbers(shape, 'x', buffer->shape))
        return false;
    }
  } else if (!fillBuffer(*buffer, values, *element)) {
    return false;
  }
  // Room behind the end keeps the address of an empty buffer its own.
  buffer->bytes.reserve(buffer->bytes.size() + 1);
  command.arguments.push_back(Argument::pointer(buffer->bytes.data()));
  command.options.allocations.push_back(
      {buffer->name, buffer->bytes.data(), buffer->bytes.size(), unsigned(byteSize(*element)), buffer->shape, {}});
  command.buffers.push_back(std::move(buffer));
  return true;
}

bool addDescriptor(Command &command, StringRef rest) {
  llvm::SmallVector<StringRef> parts;
  rest.split(parts, ':');
  if (parts.size() < 3)
    return fail("a descriptor needs a buffer, extents and strides");
  std::vector<int64_t> shape, strides;
  if (!parseNumbers(parts[1], 'x', shape) || !parseNumbers(parts[2], 'x', strides))
    return false;
  for (auto &buffer : command.buffers)
    if (buffer->name == parts[0]) {
      command.arguments.push_back(Argument::descriptor(
          buffer->bytes.data(), shape, strides, parts.size() > 3 && parts[3] == "nan" ? Padding::NaN : Padding::Zero));
      return true;
    }
  return fail("no buffer `" + parts[0] + "` before the descriptor");
}

bool addArgument(Command &command, StringRef text) {
  auto [name, rest] = text.split('=');
  if (rest.consume_front("buf:"))
    return addBuffer(command, name, rest, false);
  if (rest.consume_front("file:"))
    return addBuffer(command, name, rest, true);
  if (rest.consume_front("desc:"))
    return addDescriptor(command, rest);
  auto [number, type] = text.split(':');
  std::optional<Element> element = type.empty() ? Element::I64 : elementNamed(type);
  if (!element)
    return fail("unknown type `" + type + "`");
  command.arguments.push_back(Argument::bits(parseBits(number, *element)));
  return true;
}

bool setCheck(Command &command, StringRef classes) {
  CheckOptions &check = command.options.check.emplace();
  if (classes.empty())
    return true;
  check = {false, false, false, false, false, false, false};
  llvm::SmallVector<StringRef> parts;
  classes.split(parts, ',');
  const std::pair<CheckKind, bool *> kinds[] = {{CheckKind::OutOfBounds, &check.outOfBounds},
                                                {CheckKind::Misaligned, &check.misaligned},
                                                {CheckKind::UndefinedLane, &check.undefinedLanes},
                                                {CheckKind::Race, &check.races},
                                                {CheckKind::AddressOverflow, &check.addressOverflow},
                                                {CheckKind::NotFinite, &check.notFinite},
                                                {CheckKind::Assert, &check.asserts}};
  for (StringRef part : parts)
    for (auto [kind, flag] : kinds)
      *flag |= part == StringRef(name(kind));
  return true;
}

bool parseOption(Command &command, StringRef option, llvm::function_ref<StringRef()> value) {
  auto number = [&](auto &to) { return !value().getAsInteger(0, to) || fail("`" + option + "` needs a number"); };
  if (option == "--function")
    return !(command.function = value().str()).empty();
  if (option == "--grid") {
    std::vector<int64_t> extents;
    if (!parseNumbers(value(), ',', extents) || extents.size() > 3)
      return false;
    for (size_t i = 0; i < extents.size(); ++i)
      command.options.grid[i] = uint32_t(extents[i]);
    return true;
  }
  if (option == "--threads")
    return number(command.options.threads);
  if (option == "--seed")
    return number(command.options.shuffleSeed.emplace());
  if (option == "--steps")
    return number(command.options.stepLimit);
  if (option == "--repeat")
    return number(command.repeat);
  if (option.consume_front("--check"))
    return setCheck(command, option.ltrim('='));
  return fail("unknown option `" + option + "`");
}

bool parseCommand(int argc, char **argv, Command &command) {
  for (int i = 1; i < argc; ++i) {
    StringRef text = argv[i];
    if (text.starts_with("--")) {
      if (!parseOption(command, text, [&]() -> StringRef { return i + 1 < argc ? argv[++i] : ""; }))
        return false;
    } else if (command.file.empty()) {
      command.file = text.str();
    } else if (!addArgument(command, text)) {
      return false;
    }
  }
  return !command.file.empty() || fail("needs a file");
}

std::string placeText(const Place &place) {
  std::string text = place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  for (const Place &caller : place.callers)
    text += " from " + caller.file + ":" + std::to_string(caller.line);
  return text;
}

void printReports(const LaunchResult &result) {
  for (const CheckReport &report : result.reports) {
    llvm::outs() << "report " << name(report.kind) << " at " << placeText(report.place) << ": " << report.message
                 << " [program (" << report.program[0] << ", " << report.program[1] << ", " << report.program[2]
                 << "), " << report.count << " times]\n";
    for (const std::string &note : report.notes)
      llvm::outs() << "  note: " << note << "\n";
    if (report.other)
      llvm::outs() << "  other: " << placeText(*report.other) << "\n";
  }
}

// Into the files that they came from, or as text. False after a message.
bool giveBuffers(const Command &command) {
  for (const auto &buffer : command.buffers) {
    if (!buffer->path.empty()) {
      if (nereid::runtime::writeFile(buffer->path, {std::string_view(buffer->bytes.data(), buffer->bytes.size())}))
        return fail("cannot write `" + buffer->path + "`");
      continue;
    }
    Element element = *elementNamed(buffer->type);
    size_t size = byteSize(element);
    llvm::outs() << buffer->name << " =";
    for (size_t i = 0; i < buffer->bytes.size(); i += size) {
      uint64_t bits = 0;
      std::memcpy(&bits, buffer->bytes.data() + i, size);
      llvm::outs() << " " << textOf(bits, element);
    }
    llvm::outs() << "\n";
  }
  return true;
}

mlir::func::FuncOp findFunction(mlir::ModuleOp module, const std::string &name) {
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (name.empty() ? function.isPublic() : function.getName() == name)
      return function;
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Command command;
  if (!parseCommand(argc, argv, command))
    return 2;
  mlir::DialectRegistry registry;
  registry.insert<nereid::tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::func::FuncDialect, mlir::ub::UBDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(command.file, &context);
  if (!module)
    return 2;
  mlir::func::FuncOp function = findFunction(*module, command.function);
  if (!function)
    return fail("no function to run"), 2;
  Failure failure;
  std::shared_ptr<const Program> program = translate(function, failure);
  if (!program) {
    llvm::outs() << "cannot translate at " << placeText(failure.place) << ": " << failure.message << "\n";
    return 1;
  }
  command.options.output = [](std::string_view text) { llvm::outs() << text; };
  LaunchResult result;
  for (unsigned i = 0; i < command.repeat; ++i) {
    auto begin = std::chrono::steady_clock::now();
    result = run(*program, command.arguments, command.options);
    auto time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (command.repeat > 1)
      llvm::outs() << llvm::format("run %u: %.3f ms\n", i, time);
  }
  printReports(result);
  if (result.failure)
    llvm::outs() << "failed in program (" << result.failure.program[0] << ", " << result.failure.program[1] << ", "
                 << result.failure.program[2] << ") at " << placeText(result.failure.place) << ": "
                 << result.failure.message << "\n";
  if (!giveBuffers(command))
    return 3;
  return result.failure ? 1 : 0;
}
