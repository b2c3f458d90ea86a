// Matrix.cpp: 8 x 8 matrices between shared memory and the lanes of a warp, and products on tensor cores. A product is summed up in
// f64 and rounded once.
#include "Block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace nereid::emulated {

namespace {

using ptx::Kind;
using ptx::Type;

// An element's format, and what it is worth.
struct Format {
  const char *name;
  Type type;
};
constexpr Format kFormats[] = {{"f16", {Kind::Float, 16}}, {"bf16", {Kind::BFloat, 16}}, {"tf32", {Kind::Float, 32}},
                               {"f32", {Kind::Float, 32}}, {"f64", {Kind::Float, 64}},   {"e4m3", {Kind::E4M3, 8}},
                               {"e5m2", {Kind::E5M2, 8}},  {"s8", {Kind::Signed, 8}},    {"u8", {Kind::Unsigned, 8}},
                               {"s32", {Kind::Signed, 32}}};

const Format *formatNamed(const std::string &name) {
  const Format *found = std::ranges::find_if(kFormats, [&](const Format &format) { return name == format.name; });
  return found == std::end(kFormats) ? nullptr : found;
}

double valueOf(uint64_t bits, const Format &format) {
  if (format.name == std::string_view("tf32"))
    bits &= ~uint64_t(0x1fff);
  return ptx::toDouble(bits, format.type);
}

uint64_t bitsOf(double value, const Format &format, bool saturates) {
  if (format.type.kind != Kind::Signed)
    return ptx::fromDouble(value, format.type, {});
  if (saturates)
    value = std::clamp(value, -0x1p31, 0x1p31 - 1);
  return uint32_t(int64_t(value)); // sums of integers wrap around
}

// m16n8k16
struct Shape {
  uint32_t m = 0, n = 0, k = 0;
};
std::optional<Shape> shapeOf(const ptx::Operation &operation) {
  for (const ptx::Modifier &word : operation.modifiers) {
    Shape shape;
    if (std::sscanf(word.text.c_str(), "m%un%uk%u", &shape.m, &shape.n, &shape.k) == 3)
      return shape;
  }
  return std::nullopt;
}

// The formats that the name ends in, the first of `count`.
const Format *formatBehind(const ptx::Operation &operation, size_t count, size_t index) {
  const std::vector<ptx::Modifier> &words = operation.modifiers;
  return words.size() < count ? nullptr : formatNamed(words[words.size() - count + index].text);
}

// ---- ldmatrix, stmatrix.

// Lane 8 i + r has the address of row r of matrix i; lane l holds two elements of row l / 4, or of column l / 4 for .trans.
void moveMatrices(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  bool isLoad = operation.name == "ldmatrix", isTransposed = operation.has("trans");
  const std::vector<uint32_t> &registers = operation.operands[0].registers;
  uint16_t words[kWarpLanes][2];
  for (uint32_t matrix = 0; matrix < registers.size(); ++matrix) {
    auto rowOf = [&](uint32_t row) {
      uint32_t lane = matrix * 8 + row;
      return warp.memory(Space::Shared, warp.address(act, lane), 16, 16, lane);
    };
    for (uint32_t row = 0; row < 8; ++row)
      warp.block.races.access(warp.number, Races::kSeveral, isLoad ? Races::How::Read : Races::How::Write,
                              warp.address(act, matrix * 8 + row), 16, act);
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
      for (uint32_t i = 0; i < 2; ++i) {
        uint32_t row = lane / 4, column = lane % 4 * 2 + i;
        uint8_t *at = isTransposed ? rowOf(column) + row * 2 : rowOf(row) + column * 2;
        if (isLoad) {
          std::memcpy(&words[lane][i], at, 2);
        } else {
          auto word = uint16_t(warp.registers(lane)[registers[matrix]] >> (16 * i));
          std::memcpy(at, &word, 2);
        }
      }
    if (isLoad)
      eachLane(lanes, [&](uint32_t lane) {
        warp.registers(lane)[registers[matrix]] = words[lane][0] | uint32_t(words[lane][1]) << 16;
      });
  }
}

// ---- mma.

// Registers of an operand: which row or column, and which step along K, an element of a register is.
struct Place {
  uint32_t across, along;
};
// Left operand of 16 rows (8 of f64), 32 bits a register, 64 for f64.
Place placeInLeft(uint32_t lane, uint32_t reg, uint32_t element, uint32_t perRegister) {
  return {lane / 4 + 8 * (reg % 2), (reg / 2 * 4 + lane % 4) * perRegister + element};
}
Place placeInRight(uint32_t lane, uint32_t reg, uint32_t element, uint32_t perRegister) {
  return {lane / 4, (reg * 4 + lane % 4) * perRegister + element};
}

struct Product {
  const Format *result, *left, *right;
  Shape shape;
};

uint64_t partOf(Warp &warp, const ptx::Operand &operand, uint32_t lane, uint32_t reg, uint32_t part, uint32_t bits) {
  return ptx::lowBits(warp.registers(lane)[operand.registers[reg]] >> (part * bits), bits);
}

void readOperand(Warp &warp, const ptx::Operand &operand, const Format &format, auto place, uint32_t depth,
                 std::vector<double> &into) {
  uint32_t bits = format.type.bits, perRegister = bits == 64 ? 1 : 32 / bits;
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
    for (uint32_t reg = 0; reg < operand.registers.size(); ++reg)
      for (uint32_t element = 0; element < perRegister; ++element) {
        Place at = place(lane, reg, element, perRegister);
        into.at(at.across * depth + at.along) = valueOf(partOf(warp, operand, lane, reg, element, bits), format);
      }
}

// Sums of a warp, 16 rows (8 of m8n8k4): each lane has pairs of neighbours in a row, then those 8 rows below, then the next 8 columns.
void multiply(Warp &warp, const ptx::Operand &to, const ptx::Operand *from, const Product &product,
              const std::vector<double> &left, const std::vector<double> &right, bool saturates) {
  const Format &format = *product.result;
  uint32_t bits = format.type.bits, perRegister = bits == 16 ? 2 : 1, rows = product.shape.m == 8 ? 8 : 16,
           depth = product.shape.k;
  uint32_t perEight = rows == 8 ? 2 : 4;
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
    for (uint32_t reg = 0; reg < to.registers.size(); ++reg) {
      uint64_t word = 0;
      for (uint32_t part = 0; part < perRegister; ++part) {
        uint32_t index = reg * perRegister + part, row = lane / 4 + (rows == 8 ? 0 : 8 * (index / 2 % 2)),
                 column = index / perEight * 8 + lane % 4 * 2 + index % 2;
        double sum = 0;
        for (uint32_t k = 0; k < depth; ++k)
          sum += left[row * depth + k] * right[column * depth + k];
        if (from) {
          uint64_t old = from->isImmediate ? from->immediate : partOf(warp, *from, lane, reg, part, bits);
          sum += valueOf(old, format);
        }
        word |= ptx::lowBits(bitsOf(sum, format, saturates), bits) << (part * bits);
      }
      warp.registers(lane)[to.registers[reg]] = word;
    }
}

Product productOf(const ptx::Operation &operation, bool isGroup) {
  size_t count = isGroup ? 3 : 4;
  return {formatBehind(operation, count, 0), formatBehind(operation, count, 1), formatBehind(operation, count, 2),
          *shapeOf(operation)};
}

// mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 sums, left, right, sums
void multiplyInWarp(Warp &warp, const Act &act, Lanes) {
  const ptx::Operation &operation = act.operation();
  Product product = productOf(operation, false);
  uint32_t depth = product.shape.k;
  std::vector<double> left(product.shape.m * depth), right(product.shape.n * depth);
  readOperand(
      warp, operation.operands[1], *product.left,
      [&](uint32_t lane, uint32_t reg, uint32_t element, uint32_t perRegister) {
        return product.shape.m == 8 ? placeInRight(lane, reg, element, perRegister)
                                    : placeInLeft(lane, reg, element, perRegister);
      },
      depth, left);
  readOperand(warp, operation.operands[2], *product.right, placeInRight, depth, right);
  multiply(warp, operation.operands[0], &operation.operands[3], product, left, right, operation.has("satfinite"));
}

// ---- wgmma.

// Where an operand lies in shared memory, as its descriptor says.
class SharedMatrix {
public:
  SharedMatrix(uint64_t descriptor, bool isAlongK) : isAlongK(isAlongK) {
    auto field = [&](int at) { return (descriptor >> at & 0x3fff) << 4; };
    static constexpr uint32_t kSwizzles[] = {0, 128, 64, 32};
    start = field(0), leading = field(16), stride = field(32);
    swizzle = kSwizzles[descriptor >> 62];
    if (descriptor >> 49 & 7)
      throw Fault(Fault::Kind::IllegalInstruction, "a base offset in a descriptor of shared memory");
  }

  uint64_t addressOf(uint32_t across, uint32_t alongBytes, uint32_t elementBytes) const {
    uint64_t at;
    if (isAlongK) {
      at = across / 8 * stride + across % 8 * (swizzle ? swizzle : 16);
      at += swizzle ? alongBytes : alongBytes / 16 * leading + alongBytes % 16;
    } else {
      uint32_t k = alongBytes / elementBytes, atom = (swizzle ? swizzle : 16) / elementBytes,
               inAtom = across % atom * elementBytes;
      at = across / atom * (swizzle ? leading : stride) + inAtom + k % 8 * (swizzle ? swizzle : 16) +
           k / 8 * (swizzle ? stride : leading);
    }
    at += start;
    return swizzle ? at ^ (at >> 3 & (swizzle - 16) & 0x70) : at;
  }

  // 16 bytes at a time.
  void eachPiece(uint32_t first, uint32_t end, uint32_t alongBytes, uint32_t elementBytes, auto visit) const {
    uint32_t stepAcross = isAlongK ? 1 : 16 / elementBytes, stepAlong = isAlongK ? 16 : elementBytes;
    for (uint32_t across = first; across < end; across += stepAcross)
      for (uint32_t along = 0; along < alongBytes; along += stepAlong)
        visit(addressOf(across, along, elementBytes));
  }

private:
  bool isAlongK;
  uint64_t start, leading, stride;
  uint32_t swizzle;
};

double elementAt(Warp &warp, const SharedMatrix &matrix, uint32_t across, uint32_t along, const Format &format) {
  uint32_t bytes = format.type.bits / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, warp.memory(Space::Shared, matrix.addressOf(across, along * bytes, bytes), bytes, bytes, 0),
              bytes);
  return valueOf(bits, format);
}

// Of each two elements that are kept of four: where they stand, two bits each; 16 bits for 16 of K, those of rows 8 below behind.
uint32_t placeOfKept(Warp &warp, const ptx::Operand &places, uint32_t selector, uint32_t row, uint32_t kept) {
  uint32_t lane = row % 8 * 4 + selector * 2 + kept / 8;
  auto word = uint32_t(warp.registers(lane)[places.registers[0]]);
  return kept / 2 * 4 + (word >> (row / 8 * 16 + kept % 8 * 2) & 3);
}

void readLeft(Warp &warp, const ptx::Operation &operation, const SharedMatrix &matrix, const Product &product,
              bool isSparse, std::vector<double> &into) {
  uint32_t first = warp.number % 4 * 16, depth = product.shape.k;
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t k = 0; k < (isSparse ? depth / 2 : depth); ++k) {
      uint32_t to =
          isSparse ? placeOfKept(warp, operation.operands[3], uint32_t(operation.operands[4].immediate), row, k) : k;
      into[row * depth + to] = elementAt(warp, matrix, first + row, k, *product.left);
    }
}

// wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 sums, left, right, adds, 1, 1, isLeftTransposed, isRightTransposed
// A warp has 16 of the 64 rows. What the instruction names as numbers is read at once, all else when the product is made.
void multiplyInGroup(Warp &warp, const Act &act, Lanes) {
  const ptx::Operation &operation = act.operation();
  Product product = productOf(operation, true);
  bool isSparse = operation.has("sp"), isHalf = product.left->type.bits == 16,
       isInteger = product.left->type.kind == Kind::Signed || product.left->type.kind == Kind::Unsigned;
  bool fromRegisters = operation.operands[1].isVector;
  size_t next = isSparse ? 5 : 3;
  bool adds = warp.value(act, next++, 0, {Kind::Bits, 32}) & 1;
  if (!isInteger)
    for (int i = 0; i < 2; ++i)
      if (warp.value(act, next++, 0, {Kind::Bits, 32}) != 1)
        throw Fault(Fault::Kind::IllegalInstruction, "a negated operand of a product");
  auto isTransposed = [&] { return isHalf && warp.value(act, next++, 0, {Kind::Bits, 32}) == 1; };
  bool leftTransposed = !fromRegisters && isTransposed(), rightTransposed = isTransposed();
  SharedMatrix leftMatrix(fromRegisters ? 0 : warp.value(act, 1, 0, {Kind::Bits, 64}), !leftTransposed),
      rightMatrix(warp.value(act, 2, 0, {Kind::Bits, 64}), !rightTransposed);
  Races &races = warp.block.races;
  uint32_t time = races.begin(warp.number, Races::Part::Products), elementBytes = product.left->type.bits / 8,
           depthBytes = product.shape.k * elementBytes;
  auto note = [&](uint64_t address) {
    races.access(warp.number, Races::Part::Products, Races::How::Read, address, 16, act);
  };
  if (!fromRegisters)
    leftMatrix.eachPiece(warp.number % 4 * 16, warp.number % 4 * 16 + 16, isSparse ? depthBytes / 2 : depthBytes,
                         elementBytes, note);
  rightMatrix.eachPiece(0, product.shape.n, depthBytes, elementBytes, note);
  auto make = [=, &warp, &operation] {
    uint32_t depth = product.shape.k, columns = product.shape.n;
    std::vector<double> left(16 * depth), right(columns * depth);
    if (fromRegisters)
      readOperand(warp, operation.operands[1], *product.left, placeInLeft, depth, left);
    else
      readLeft(warp, operation, leftMatrix, product, isSparse, left);
    for (uint32_t column = 0; column < columns; ++column)
      for (uint32_t k = 0; k < depth; ++k)
        right[column * depth + k] = elementAt(warp, rightMatrix, column, k, *product.right);
    multiply(warp, operation.operands[0], adds ? &operation.operands[0] : nullptr, product, left, right,
             operation.has("satfinite"));
  };
  warp.products.add(make, time);
  if (warp.block.chance.isAtOnce())
    warp.products.perform();
}

// wgmma.commit_group, wgmma.wait_group 1: all but the last group are made. wgmma.fence orders registers, which are in order here.
void orderProducts(Warp &warp, const Act &act, Lanes) {
  if (act.operation().has("commit_group")) {
    warp.products.close();
  } else if (act.operation().has("wait_group")) {
    warp.makeProducts(warp.value(act, 0, 0, {Kind::Bits, 32}));
  }
}

} // namespace

bool decodeMatrix(Act &act) {
  const ptx::Operation &operation = act.operation();
  act.meetsAll = true;
  if (operation.name == "ldmatrix" || operation.name == "stmatrix")
    return act.perform = moveMatrices, operation.has("m8n8") && operation.has("b16");
  if (operation.name == "wgmma" && !operation.has("mma_async"))
    return act.perform = orderProducts, true;
  bool isGroup = operation.name == "wgmma";
  if (isGroup || operation.name == "mma") {
    act.perform = isGroup ? multiplyInGroup : multiplyInWarp;
    std::optional<Shape> shape = shapeOf(operation);
    size_t count = isGroup ? 3 : 4;
    return shape && formatBehind(operation, count, 0) && formatBehind(operation, count, 1) &&
           formatBehind(operation, count, 2) && operation.operands.size() >= 4;
  }
  act.meetsAll = false;
  return false;
}

} // namespace nereid::emulated
