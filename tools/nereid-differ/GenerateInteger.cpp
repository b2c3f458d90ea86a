// GenerateInteger.cpp: programs about integers (--integers): arithmetic in every width, below zero and beyond the type, as indices of programs
// are computed with, in loops whose bounds are arguments. What a compiler knows of such numbers (runs, divisors, signs) decides how wide
// the accesses are that they are the places of.
#include "Access.h"
#include "Integers.h"

#include <algorithm>

namespace nereid::differ {

// ---- What statements are made of.

bool isWhole(const Variable &v) { return !isFloat(v.type.dtype) && v.type.dtype != DType::Int1; }

std::string asType(const std::string &text, DType dtype) { return "(" + text + ").to(" + languageName(dtype) + ")"; }

// A number for an argument or in the text; never 0, and not -1, by which the smallest number cannot be divided.
int64_t number(Generator &g) {
  int64_t value = g.chance(60)   ? int64_t(1) << g.below(11)
                  : g.chance(70) ? g.between(1, 40)
                                 : g.choose<int64_t>({1 << 16, 65537, 1 << 20, 12345, 1103515245, 2147483647});
  return g.chance(35) && value > 1 ? -value : value;
}
static std::string writtenNumber(Generator &g) {
  int64_t value = number(g);
  return g.chance(50) && !g.isInFunction ? g.addInteger(value, value) : "(" + std::to_string(value) + ")";
}

// Positions along an axis of a shape.
Operand positions(Generator &g, const TileShape &shape) {
  auto axis = size_t(g.below(int64_t(shape.size())));
  std::string extent = shape[axis].text(), text = "tl.arange(0, " + extent + ")";
  if (g.chance(15) && g.isEven({shape[axis]}))
    text = "tl.arange(" + extent + ", 2 * " + extent + ")";
  TileShape line(shape.size());
  line[axis] = shape[axis];
  if (shape.size() > 1) {
    text += "[";
    for (size_t i = 0; i < shape.size(); ++i)
      text += std::string(i ? ", " : "") + (i == axis ? ":" : "None");
    text += "]";
  }
  return {text, {DType::Int32, line}};
}

// A scalar that the compiler does not know; in a function without one, a number.
static Operand scalar(Generator &g) {
  auto v = g.pick([](const Variable &v) { return isWhole(v) && v.type.shape.empty(); });
  if (v && (g.chance(60) || g.isInFunction))
    return {v->name, v->type};
  return {g.isInFunction ? "tl.full([], 3, tl.int32)" : "pid", {DType::Int32, {}}};
}

// One that is no constant.
Operand operand(Generator &g, const TileShape &shape) {
  auto v = g.pick([&](const Variable &v) { return isWhole(v) && broadcast(v.type.shape, shape) == shape; });
  if (v && g.chance(60))
    return {v->name, v->type};
  if (!shape.empty() && g.chance(60))
    return positions(g, shape);
  return scalar(g);
}

namespace {

// What a variable of the program can be about: often the shape of another.
TileShape shapeOf(Generator &g) { return g.chance(35) ? TileShape{} : g.randomShape(512); }

std::optional<Operand> combined(Generator &g, const Operand &a, const Operand &b, const std::string &text) {
  auto shape = broadcast(a.type.shape, b.type.shape);
  return shape ? std::optional(Operand{text, {promote(a.type.dtype, b.type.dtype), *shape}}) : std::nullopt;
}

std::string bitsOf(DType dtype) { return std::to_string(bytesOf(dtype) * 8 - 1); }

// Divided by what is not 0.
std::string divisor(Generator &g, const Operand &b) {
  switch (g.below(3)) {
  case 0: return "((" + b.text + " & 15) + 1)";
  case 1: return isSigned(b.type.dtype) ? "((" + b.text + " & 7) - 10)" : "((" + b.text + " & 7) | 8)";
  default: return "((" + b.text + " & 3) * 16 + 16)";
  }
}

// Between two operands; the type is that of both.
std::optional<Operand> binary(Generator &g, const Operand &a, const Operand &b) {
  switch (g.below(12)) {
  case 0:
  case 1:
  case 2: return combined(g, a, b, a.text + " + " + b.text);
  case 3: return combined(g, a, b, a.text + " - " + b.text);
  case 4: return combined(g, a, b, a.text + " * " + b.text);
  case 5:
  case 6: {
    if (isSigned(a.type.dtype) != isSigned(b.type.dtype))
      return std::nullopt; // which the language refuses
    return combined(g, a, b, a.text + g.choose({" // ", " % "}) + divisor(g, b));
  }
  case 7: return combined(g, a, b, a.text + g.choose({" & ", " | ", " ^ "}) + b.text);
  case 8: return combined(g, a, b, g.choose({"tl.minimum(", "tl.maximum("}) + a.text + ", " + b.text + ")");
  case 9:
    return combined(g, a, b,
                    "tl.where(" + a.text + g.choose({" < ", " == ", " >= "}) + b.text + ", " + a.text + ", " + b.text +
                        ")");
  case 10:
    return Operand{a.text + g.choose({" << ", " >> "}) + "(" + scalar(g).text + " * 5 & " + bitsOf(a.type.dtype) +
                       ").to(" + languageName(a.type.dtype) + ")",
                   a.type};
  default:
    if (isSigned(a.type.dtype) != isSigned(b.type.dtype))
      return std::nullopt;
    return combined(g, a, b, "tl.cdiv(" + a.text + ", " + divisor(g, b) + ")");
  }
}

// With a number; narrow types take those that they hold.
Operand withNumber(Generator &g, const Operand &a) {
  bool isWide = bytesOf(a.type.dtype) >= 4 && isSigned(a.type.dtype);
  std::string by = isWide ? writtenNumber(g) : std::to_string(g.choose({1, 2, 3, 4, 7, 8, 16, 40}));
  std::string shift = std::to_string(g.below(g.chance(80) ? 6 : int64_t(bytesOf(a.type.dtype)) * 8));
  TileType type = a.type;
  switch (g.below(12)) {
  case 0:
  case 1: return {a.text + " + " + by, type};
  case 2: return {a.text + " - " + by, type};
  case 3:
  case 4: return {a.text + " * " + by, type};
  case 5:
  case 6: return {a.text + g.choose({" // ", " % "}) + by, type};
  case 7: return {a.text + g.choose({" & ", " | ", " ^ "}) + by, type};
  case 8: return {a.text + g.choose({" << ", " >> "}) + shift, type};
  case 9: return {g.choose({"tl.minimum(", "tl.maximum("}) + a.text + ", " + by + ")", type};
  case 10: return {"-" + a.text, type};
  default: return {"tl.abs(" + a.text + ")", type};
  }
}

bool define(Generator &g, const Operand &made) {
  if (!g.spend(g.count(made.type.shape)))
    return false;
  // An argument of 8 bytes makes a wide number.
  g.define(made.type, fullFacts(made.type.dtype), asType(made.text, made.type.dtype));
  return true;
}

bool generateWholeArithmetic(Generator &g) {
  TileShape shape = shapeOf(g);
  Operand a = operand(g, shape), b = operand(g, shape);
  std::optional<Operand> made = g.chance(55) ? withNumber(g, a) : binary(g, a, b);
  return made && define(g, *made);
}

// What kernels compute with their place: blocks of positions, groups of blocks, and back.
bool generatePlace(Generator &g) {
  TileShape shape{g.extent(int64_t(1) << g.between(1, 8))};
  Operand line = positions(g, shape), at = scalar(g);
  if (!isSigned(at.type.dtype) || bytesOf(at.type.dtype) < 4)
    at = {at.text + ".to(tl.int32)", {DType::Int32, {}}};
  std::string block = g.chance(60) ? shape[0].text() : writtenNumber(g), by = writtenNumber(g);
  std::string start = g.choose<std::string>(
      {at.text, at.text, "(" + at.text + " // " + by + ")", "(" + at.text + " % " + by + ")",
       "tl.maximum(" + at.text + ", 0)", "(" + at.text + " // " + by + " * " + by + " + " + at.text + " % " + by + ")",
       "(" + at.text + " & 7)", "(" + at.text + ".to(tl.int64) * 3000000032).to(tl.int32)"});
  std::string sum = start + " * " + block + " + " + line.text;
  if (g.chance(30))
    sum += " + " + writtenNumber(g);
  if (g.chance(50))
    sum = "(" + sum + ")" + g.choose({" % ", " // "}) + writtenNumber(g);
  return define(g, {sum, {at.type.dtype, shape}});
}

bool generateWholeCast(Generator &g) {
  Operand a = operand(g, shapeOf(g));
  auto mask = g.pick([](const Variable &v) { return v.type.dtype == DType::Int1; });
  if (mask && g.chance(25))
    a = {mask->name, mask->type};
  if (g.chance(20) && !a.type.shape.empty()) { // where a narrow type ends
    Operand line = positions(g, a.type.shape);
    std::string text = line.text + " + " + g.choose({"120", "248", "32760", "65528"});
    DType narrow = g.choose({DType::Int8, DType::Int16, DType::UInt8, DType::UInt16});
    return define(g, {asType(text, narrow), {DType::Int32, line.type.shape}});
  }
  DType to = g.chance(40) ? DType::Int64 : g.randomInteger();
  return define(g, {a.text, {to, a.type.shape}});
}

std::string wholeComparison(Generator &g, const Operand &a, const Operand &b) {
  return "(" + a.text + g.choose({" < ", " <= ", " > ", " >= ", " == ", " != "}) + b.text + ")";
}

bool generateMask(Generator &g) {
  TileShape shape = shapeOf(g);
  Operand a = operand(g, shape), b = operand(g, shape);
  if (!g.spend(3 * g.count(shape)))
    return false;
  auto bound = combined(g, a, b, "");
  if (!bound)
    return false;
  if (!shape.empty() && g.chance(40)) { // for the first ones, with a bound of its own for some
    Operand line = positions(g, shape);
    auto some = g.pick([&](const Variable &v) { return v.type == TileType{DType::Int1, line.type.shape}; });
    std::string from =
        line.text + (g.chance(30) && !g.isInFunction ? " + " + g.addInteger(2147483640, 2147483640) : "");
    std::string first = "(" + from + " < " + writtenNumber(g) + ")";
    if (some)
      first = "tl.where(" + some->name + ", " + first + ", " + line.text + " < " + writtenNumber(g) + ")";
    g.define({DType::Int1, line.type.shape}, integerFacts(0, 1), first);
    return true;
  }
  bool isBounded = isSigned(a.type.dtype) && bytesOf(a.type.dtype) >= 4 && g.chance(60);
  Operand end = isBounded ? Operand{writtenNumber(g), {a.type.dtype, {}}} : b;
  TileType type{DType::Int1, isBounded ? a.type.shape : bound->type.shape};
  std::string text = wholeComparison(g, a, end);
  auto other = g.pick([&](const Variable &v) { return v.type == type; }),
       third = g.pick([&](const Variable &v) { return v.type == type; });
  if (other && g.chance(60))
    text += g.choose({" & ", " | ", " ^ "}) + other->name;
  else if (other && third && g.chance(60))
    text = "tl.where(" + text + ", " + other->name + ", " + third->name + ")";
  else if (g.chance(20))
    text = "~" + text;
  g.define(type, integerFacts(0, 1), text);
  return true;
}

bool generateWholeWhere(Generator &g) {
  auto mask = g.pick([](const Variable &v) { return v.type.dtype == DType::Int1; });
  if (!mask)
    return false;
  Operand a = operand(g, mask->type.shape), b = operand(g, mask->type.shape);
  if (!g.spend(g.count(mask->type.shape)))
    return false;
  auto made = combined(g, a, b, "tl.where(" + mask->name + ", " + a.text + ", " + b.text + ")");
  if (!made)
    return false;
  made->type.shape = *broadcast(made->type.shape, mask->type.shape);
  return define(g, *made);
}

// Statements that are true here.
bool generateStated(Generator &g) {
  Operand at = scalar(g);
  if (at.type.dtype != DType::Int32)
    return false;
  std::string many = std::to_string(int64_t(1) << g.below(7));
  switch (g.below(5)) {
  case 0: return define(g, {"tl.multiple_of(" + at.text + " * " + many + ", " + many + ")", at.type});
  case 3: {
    std::string block = at.text + " * " + many + " + tl.arange(0, " + many + ")";
    std::string stated = "tl.max_contiguous(tl.multiple_of(" + block + ", " + many + "), " + many + ")";
    return define(g, {stated, {DType::Int32, {g.extent(std::stoll(many))}}});
  }
  case 1: {
    Variable v = g.define(at.type, integerFacts(0, 1023), at.text + " & 1023");
    g.effect("tl.assume(" + v.name + g.choose({" >= 0)", " > -1)"}));
    return true;
  }
  case 2: {
    int64_t value = g.isInFunction ? 0 : number(g);
    if (value > 0)
      g.effect("tl.assume(" + g.addInteger(value, value) + " >= 0)");
    return value > 0;
  }
  default: {
    if (g.isInFunction)
      return false;
    int64_t columns = g.between(1, 5);
    std::string width = g.chance(50) ? std::to_string(columns) : g.addInteger(columns, columns);
    std::string height = g.addInteger(g.programs(), g.programs());
    Facts any = fullFacts(DType::Int32);
    g.defineAll({at.type, at.type}, {any, any},
                "tl.swizzle2d(pid // " + width + ", pid % " + width + ", " + height + ", " + width + ", " +
                    std::to_string(g.between(1, 4)) + ")");
    return true;
  }
  }
}

// How far pointers are from where their tensor begins: what is known of addresses is known of bytes.
bool generateDistance(Generator &g) {
  auto at = g.pick([](const Variable &v) { return isWhole(v) && !v.type.shape.empty() && bytesOf(v.type.dtype) >= 4; });
  if (!at || g.isInFunction || !g.spend(3 * g.count(at->type.shape)))
    return false;
  DType dtype = g.choose({DType::Fp32, DType::Fp16, DType::Int8, DType::Int64});
  Facts facts;
  std::string tensor = g.inputTensor(dtype, isFloat(dtype) ? wholeFacts(-4, 4) : fullFacts(dtype), 16, facts);
  std::string text = "(" + tensor + " + " + at->name + ").to(tl.int64) - " + tensor + ".to(tl.int64)";
  return define(g, {text, {DType::Int64, at->type.shape}});
}

// Read at the places that such numbers are, brought into the tensor.
bool generateIndexed(Generator &g) {
  auto at = g.pick([](const Variable &v) { return isWhole(v) && !v.type.shape.empty() && bytesOf(v.type.dtype) >= 4; });
  if (!at || !g.spend(3 * g.count(at->type.shape)))
    return false;
  int64_t reach = int64_t(1) << g.between(4, 9);
  DType dtype = g.choose({DType::Fp32, DType::Fp16, DType::Int8, DType::Int32, DType::Int64});
  Facts facts, wish = isFloat(dtype) ? wholeFacts(-4, 4) : fullFacts(dtype);
  std::string tensor = g.inputTensor(dtype, wish, 3 * reach, facts), size = std::to_string(reach), place;
  switch (g.below(3)) { // a remainder has the sign of what is divided
  case 0: place = " + " + size + " + " + at->name + " % " + size; break;
  case 1: place = " + tl.minimum(tl.maximum(" + at->name + ", 0), " + size + ")"; break;
  default: place = " + (" + at->name + " & " + std::to_string(reach - 1) + ")"; break;
  }
  auto mask = g.pick([&](const Variable &v) { return v.type == TileType{DType::Int1, at->type.shape}; });
  std::string guard = mask && g.chance(60) ? ", mask=" + mask->name + ", other=0" : "";
  g.define({dtype, at->type.shape}, unite(facts, wholeFacts(0, 0)), "tl.load(" + tensor + place + guard + ")");
  return true;
}

// All that is inside, at its place, which makes it a mask of the store.
bool generateStored(Generator &g) {
  auto v = g.pick([](const Variable &v) { return !v.type.shape.empty(); });
  return v && !g.isInFunction && g.storeVariable(*v);
}

} // namespace

const std::vector<Family> &integerFamilies() {
  static const std::vector<Family> kFamilies = {{60, true, generateWholeArithmetic}, {40, true, generatePlace},
                                                {20, true, generateWholeCast},       {25, true, generateMask},
                                                {15, true, generateWholeWhere},      {15, true, generateStated},
                                                {4, false, generateDistance},        {20, false, generateIndexed},
                                                {8, false, generateStored}};
  return kFamilies;
}

} // namespace nereid::differ
