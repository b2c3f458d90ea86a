// GenerateRows.cpp: what only descriptors can do: gather and scatter of rows, and reductions into memory.
#include "Generator.h"

#include <algorithm>

namespace nereid::differ {

const std::vector<Family> &rowFamilies();

namespace {

struct Rows {
  DType dtype;
  Extent count, columns;   // of the tile
  int64_t height, width;   // of the tensor
  std::string start, base; // the first column, and the pointer arithmetic that gives a program a tensor of its own
};

Rows randomRows(Generator &g) {
  Rows rows;
  rows.dtype = g.choose({DType::Fp32, DType::Fp16, DType::Int32, DType::Bf16, DType::Int16});
  rows.count = g.extent(int64_t(8) << g.below(3));
  rows.columns = g.extent(std::max<int64_t>(32 / int64_t(bytesOf(rows.dtype)), 8) << g.below(2));
  rows.height = g.value(rows.count) + g.below(5);
  int64_t start = g.below(9);
  rows.width = (g.value(rows.columns) + start + 15) / 16 * 16;
  rows.start = std::to_string(start);
  return rows;
}

std::string descriptor(Generator &g, const Rows &rows, const std::string &pointer) {
  g.parameter(pointer.substr(0, pointer.find(' '))).offset = 0;
  std::string width = std::to_string(rows.width);
  return g
      .definePointer({rows.dtype, {{}, rows.columns}}, "tl.make_tensor_descriptor(" + pointer + ", [" +
                                                           std::to_string(rows.height) + ", " + width + "], [" + width +
                                                           ", 1], [1, " + rows.columns.text() + "])")
      .name;
}

bool generateRowGather(Generator &g) {
  Rows rows = randomRows(g);
  TileShape shape{rows.count, rows.columns};
  if (!g.spend(g.count(shape)))
    return false;
  Variable any = g.obtain({DType::Int32, {rows.count}}, fullFacts(DType::Int32));
  Variable index = g.define({DType::Int32, {rows.count}}, integerFacts(0, 7), any.name + " & 7");
  Facts facts;
  std::string tensor = g.freshTensor(rows.dtype, g.randomWish(rows.dtype), rows.height * rows.width, facts).name;
  std::string from = descriptor(g, rows, tensor);
  g.define({rows.dtype, shape}, facts, from + ".gather(" + index.name + ", " + rows.start + ")");
  return true;
}

// The rows of a permutation: none is written twice.
bool generateRowScatter(Generator &g) {
  Rows rows = randomRows(g);
  TileShape shape{rows.count, rows.columns};
  if (!g.spend(g.count(shape)))
    return false;
  Variable value = g.obtain({rows.dtype, shape}, g.randomWish(rows.dtype));
  std::string count = rows.count.text();
  Variable index = g.define({DType::Int32, {rows.count}}, integerFacts(0, double(g.value(rows.count) - 1)),
                            "(tl.arange(0, " + count + ") * 3 + 1) & (" + count + " - 1)");
  int64_t size = rows.height * rows.width;
  std::string tensor = g.outputTensor(rows.dtype, value.facts, size * g.programs());
  std::string to = descriptor(g, rows, tensor + (g.programs() > 1 ? " + pid * " + std::to_string(size) : ""));
  g.effect(to + ".scatter(" + value.name + ", " + index.name + ", " + rows.start + ")");
  return true;
}

// All programs add to the same block.
bool generateBlockReduction(Generator &g) {
  DType dtype = g.choose({DType::Int32, DType::Fp32, DType::UInt32});
  TileShape shape{g.extent(int64_t(1) << g.below(5)), g.extent(int64_t(4) << g.below(4))};
  if (!g.spend(2 * g.count(shape)) || g.loopLevel > 0)
    return false;
  Facts wish = isFloat(dtype) ? wholeFacts(-4, 4) : fullFacts(dtype);
  Variable value = g.obtain({dtype, shape}, wish);
  int64_t height = g.value(shape[0]) + g.below(3), width = (g.value(shape[1]) + 15) / 16 * 16;
  std::string tensor = g.outputTensor(dtype, {}, height * width);
  Parameter &memory = g.parameter(tensor);
  memory.offset = 0;
  if (isFloat(dtype))
    memory.fill = Fill::Integers, memory.low = -4, memory.high = 4, memory.isZeroUnsigned = true;
  std::string block = g.definePointer({dtype, shape}, "tl.make_tensor_descriptor(" + tensor + ", [" +
                                                          std::to_string(height) + ", " + std::to_string(width) +
                                                          "], [" + std::to_string(width) + ", 1], " + text(shape) + ")")
                          .name;
  std::string op = isFloat(dtype) ? "add" : g.choose({"add", "max", "min", "and", "or", "xor"});
  g.effect(block + ".atomic_" + op + "([" + std::to_string(g.below(3)) + ", 0], " + value.name + ")");
  return true;
}

} // namespace

const std::vector<Family> &rowFamilies() {
  static const std::vector<Family> kFamilies = {
      {1, false, generateRowGather}, {1, false, generateRowScatter}, {1, false, generateBlockReduction}};
  return kFamilies;
}

} // namespace nereid::differ
