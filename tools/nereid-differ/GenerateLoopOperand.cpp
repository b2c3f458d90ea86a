// GenerateLoopOperand.cpp: tiles of an operand by pointers that move or are computed anew, by block pointers, by descriptors, or by a
// table of rows; as they are, or converted, unpacked and scaled on their way to the product.
#include "LoopOperand.h"

#include <algorithm>

namespace nereid::differ {

static std::string arange(Generator &g, const Extent &extent) {
  return g
      .define({DType::Int32, {extent}}, integerFacts(0, double(g.value(extent) - 1)),
              "tl.arange(0, " + extent.text() + ")")
      .name;
}

static Facts wholeOf(DType dtype, double low, double high) {
  return isFloat(dtype) ? wholeFacts(low, high) : integerFacts(low, high);
}

void LoopOperand::chooseStored(bool isAsItIs) {
  using enum DType;
  stored = dtype;
  bool isWide = isFloat(dtype) && bytesOf(dtype) > 1;
  if (!isWide || isAsItIs || g.chance(65))
    return;
  if (source == Source::Index && g.value(sizes.along) % 2 == 0 && g.chance(30)) {
    source = Source::Packed, stored = UInt8;
    return;
  }
  stored = bytesOf(dtype) > 2 ? g.choose({Fp16, Bf16, Int8}) : g.choose({Int8, Int8, UInt8, Fp8E5, Fp8E4NV, Int16});
}

void LoopOperand::declare(const OperandSizes &given, bool beyondAlong, bool isDescribed) {
  sizes = given;
  source = Source(g.choose({0, 0, 0, 1, 1, 2, 4, 5, 5}));
  if (isDescribed)
    source = Source::Descriptor;
  chooseStored(isDescribed);
  most = limit;
  liesAlong = g.chance(60), isAlongFirst = isLeft == g.chance(25);
  bool isBlock = source == Source::BlockPointer || source == Source::Descriptor;
  int64_t piece = 16 / int64_t(bytesOf(stored)), row = liesAlong ? sizes.alongTotal : sizes.acrossTotal;
  if (source == Source::Packed)
    row = liesAlong ? (row + 1) / 2 : row;
  if (isBlock) // the axis whose elements lie together is the last
    isAlongFirst = !liesAlong;
  stride = source == Source::Descriptor || g.chance(70) ? (row + piece - 1) / piece * piece : row + g.below(3);
  int64_t rows = liesAlong ? sizes.acrossTotal : sizes.alongTotal,
          least = g.value(liesAlong ? sizes.along : sizes.across);
  if (source == Source::Descriptor && least * int64_t(bytesOf(stored)) < 16)
    source = Source::Index, isBlock = false;
  masksAlong = !isBlock && (beyondAlong || g.chance(20));
  bool isCut = sizes.acrossTotal % g.value(sizes.across) != 0;
  wraps = isCut && g.chance(40);
  masksAcross = !isBlock && !wraps && (isCut || g.chance(10));
  Facts facts;
  Facts wish = source == Source::Packed ? fullFacts(stored)
                                        : wholeOf(stored, isSigned(stored) || isFloat(stored) ? -limit : 0, limit);
  Parameter &made = g.freshTensor(stored, wish, rows * stride, facts);
  tensor = made.name;
  if (source == Source::Descriptor || g.chance(70))
    made.offset = 0;
  alongText = g.constantOrArgument(sizes.alongTotal), acrossText = g.constantOrArgument(sizes.acrossTotal);
  double outside = (masksAlong || masksAcross) && source != Source::Packed && g.chance(20) ? 1 : 0;
  other = isFloat(stored) ? (outside > 0 ? "1.0" : "0.0") : (outside > 0 ? "1" : "0");
  most = std::max(most, outside);
  across = arange(g, sizes.across), along = arange(g, sizes.along);
  if (source == Source::Packed)
    most = limit = 2;
  makeTables();
  if (source == Source::Descriptor)
    describe();
}

void LoopOperand::describe() {
  Parameter &made = g.parameter(tensor);
  int64_t rows = liesAlong ? sizes.acrossTotal : sizes.alongTotal,
          columns = liesAlong ? sizes.alongTotal : sizes.acrossTotal;
  TileShape block = loadedShape();
  pointer = tensor;
  if (g.chance(40)) {
    made.kind = Parameter::Kind::Descriptor;
    made.shape = {rows, columns}, made.strides = {stride, 1};
    made.blockShape = block, made.block.resize(2);
    return;
  }
  pointer =
      g.definePointer({stored, block}, "tl.make_tensor_descriptor(" + tensor + ", [" +
                                           (liesAlong ? acrossText + ", " + alongText : alongText + ", " + acrossText) +
                                           "], [" + g.constantOrArgument(stride) + ", 1], " + text(block) + ")")
          .name;
}

// Rows that say where tiles lie, and what they are multiplied by.
void LoopOperand::makeTables() {
  Facts facts;
  int64_t alongRounded = sizes.alongTotal + g.value(sizes.along),
          acrossRounded = sizes.acrossTotal + g.value(sizes.across);
  if (source == Source::Table)
    table = g.freshTensor(DType::Int32, integerFacts(0, double(sizes.alongTotal - 1)), alongRounded, facts).name;
  bool isByPointers = source <= Source::Packed;
  if (isByPointers && g.chance(12))
    tokens = g.freshTensor(DType::Int32, integerFacts(0, double(sizes.acrossTotal - 1)), acrossRounded, facts).name;
  if (stored == dtype || bytesOf(dtype) == 1 || g.chance(60))
    return;
  scale = g.chance(50) ? Scale::Rows : Scale::Groups;
  int64_t groups = alongRounded / g.value(sizes.along) + 1;
  scales = g.freshTensor(g.choose({dtype, DType::Fp32}), wholeFacts(-2, 2),
                         scale == Scale::Rows ? acrossRounded : groups * g.value(sizes.across), facts)
               .name;
  most *= 2;
}

TileShape LoopOperand::loadedShape() const {
  return isAlongFirst ? TileShape{sizes.along, sizes.across} : TileShape{sizes.across, sizes.along};
}

std::string LoopOperand::pointers(const std::string &at, const std::string &rows) {
  std::string row = rows.empty() ? "(" + at + " + " + along + ")" : rows, column = "(" + base + " + " + across + ")";
  if (!tokens.empty())
    column = "tl.load(" + tokens + " + " + base + " + " + across + ")";
  else if (wraps)
    column = "(" + column + " % " + acrossText + ")";
  std::string rowStride = liesAlong ? "" : " * " + g.constantOrArgument(stride),
              columnStride = liesAlong ? " * " + g.constantOrArgument(stride) : "";
  if (source == Source::Packed)
    row = "(" + row + " // 2)";
  return tensor + " + " + acrossOf(column) + columnStride + " + " + alongOf(row) + rowStride;
}

std::string LoopOperand::mask(const std::string &at) {
  std::string parts;
  if (masksAlong)
    parts = "(" + alongOf("(" + at + " + " + along + ")") + " < " + alongText + ")";
  if (masksAcross)
    parts += (parts.empty() ? "(" : " & (") + acrossOf("(" + base + " + " + across + ")") + " < " + acrossText + ")";
  return parts.empty() ? "" : ", mask=" + parts + ", other=" + other;
}

void LoopOperand::begin(const std::string &first, const std::string &start) {
  base = first;
  if (source == Source::Moved)
    pointer = g.definePointer({stored, loadedShape()}, pointers(start, "")).name;
  if (source != Source::BlockPointer)
    return;
  auto both = [&](const std::string &ofAcross, const std::string &ofAlong) {
    return isAlongFirst ? "(" + ofAlong + ", " + ofAcross + ")" : "(" + ofAcross + ", " + ofAlong + ")";
  };
  std::string other = g.constantOrArgument(stride);
  pointer = g.definePointer({stored, loadedShape()},
                            "tl.make_block_ptr(" + tensor + ", " + both(acrossText, alongText) + ", " +
                                both(liesAlong ? other : "1", liesAlong ? "1" : other) + ", " + both(base, start) +
                                ", " + both(sizes.across.text(), sizes.along.text()) + ", (1, 0))")
                .name;
}

Variable LoopOperand::loadByPointers(const std::string &at) {
  TileType type{stored, loadedShape()};
  std::string rows;
  if (source == Source::Table)
    rows = g.define({DType::Int32, {sizes.along}}, integerFacts(0, double(sizes.alongTotal)),
                    "tl.load(" + table + " + " + at + " + " + along + ")")
               .name;
  std::string from = source == Source::Moved ? pointer : pointers(at, rows);
  return g.define(type, wholeOf(stored, -most, most), "tl.load(" + from + mask(at) + ")");
}

Variable LoopOperand::load(const std::string &at) {
  TileType type{stored, loadedShape()};
  Facts facts = wholeOf(stored, -most, most);
  Variable tile;
  if (source == Source::Descriptor)
    tile = g.define(type, facts, pointer + ".load([" + (isAlongFirst ? at + ", " + base : base + ", " + at) + "])");
  else if (source == Source::BlockPointer)
    tile = g.define(type, facts, "tl.load(" + pointer + ", boundary_check=(0, 1), padding_option=\"zero\")");
  else
    tile = loadByPointers(at);
  bool turnsFirst = g.chance(50), isTurned = isAlongFirst == isLeft;
  auto turn = [&] {
    TileShape shape{tile.type.shape[1], tile.type.shape[0]};
    if (isTurned)
      tile = g.define({tile.type.dtype, shape}, tile.facts, "tl.trans(" + tile.name + ")");
  };
  if (stored == dtype) {
    turn();
    return tile;
  }
  if (turnsFirst && source != Source::Packed) {
    turn();
    return converted(tile, at);
  }
  if (source == Source::Packed) { // two bits of a half of the byte
    std::string shift = "(" + alongOf("(" + at + " + " + along + ")") + " % 2 * 4)";
    tile = g.define({DType::Int8, type.shape}, integerFacts(-2, 1),
                    "((" + tile.name + " >> " + shift + ") & 3).to(tl.int8) - 2");
  }
  TileType wide{dtype, tile.type.shape};
  tile = g.define(wide, wholeFacts(-most, most), tile.name + ".to(" + languageName(dtype) + ")");
  turn();
  return converted(tile, at);
}

// In the product's type, and multiplied by what belongs to it.
Variable LoopOperand::converted(Variable tile, const std::string &at) {
  Facts facts = wholeFacts(-most, most);
  std::string to = ".to(" + languageName(dtype) + ")";
  TileType type{dtype, tile.type.shape};
  if (tile.type.dtype != dtype)
    tile = g.define(type, facts, tile.name + to);
  if (scale == Scale::None)
    return tile;
  std::string place = scale == Scale::Rows
                          ? base + " + " + across
                          : "(" + at + ") // " + sizes.along.text() + " * " + sizes.across.text() + " + " + across;
  Variable row = g.define({dtype, {sizes.across}}, wholeFacts(-2, 2), "tl.load(" + scales + " + " + place + ")" + to);
  return g.define(type, facts, tile.name + " * " + acrossOfOperand(row.name));
}

void LoopOperand::moveOn() {
  std::string step = sizes.along.text();
  if (source == Source::Moved)
    g.assign({.name = pointer, .type = {stored, loadedShape()}, .isPointer = true}, {},
             pointer + " + " + step + (liesAlong ? "" : " * " + g.constantOrArgument(stride)));
  if (source == Source::BlockPointer)
    g.assign({.name = pointer, .type = {stored, loadedShape()}, .isPointer = true}, {},
             "tl.advance(" + pointer + ", " + (isAlongFirst ? "(" + step + ", 0))" : "(0, " + step + "))"));
}

} // namespace nereid::differ
