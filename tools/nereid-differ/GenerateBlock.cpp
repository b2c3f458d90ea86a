// GenerateBlock.cpp: accesses through block pointers and through tensor descriptors of the kernel and of the host.
#include "Access.h"

#include <algorithm>

namespace nereid::differ {

namespace {

// A block inside a tensor of its own: extents, strides, and where the block stands.
struct Frame {
  std::vector<int64_t> shape, strides;
  std::vector<std::string> offsets;
  std::vector<bool> isChecked; // the block can stand out of the tensor there
  int64_t count = 1;
};

// Along the first axis every program has a place of its own; the tensor may end before the last one does.
Frame makeFrame(Generator &g, const TileShape &block, Use use, bool isAligned, bool isColumnMajor) {
  Frame frame;
  size_t rank = block.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = g.value(block[i]), places = i == 0 ? g.programs() : 1;
    bool isShort = g.chance(45);
    int64_t offset = i == 0 ? 0 : g.chance(70) ? 0 : g.below(5);
    int64_t size = extent * places + offset + (isShort ? -g.below(extent) : g.below(4));
    frame.shape.push_back(std::max<int64_t>(size, 1));
    frame.isChecked.push_back(size < extent * places + offset);
    bool isOwn = i == 0 && places > 1 && (use == Use::Write || g.chance(70));
    frame.offsets.push_back(isOwn ? "pid * " + (block[i].symbols.size() + (block[i].factor > 1) > 1
                                                    ? "(" + block[i].text() + ")"
                                                    : block[i].text())
                                  : std::to_string(offset));
  }
  frame.strides.assign(rank, 1);
  int64_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    size_t axis = isColumnMajor ? i : rank - 1 - i;
    frame.strides[axis] = stride;
    stride *= frame.shape[axis];
    if (isAligned && i + 1 < rank)
      stride = (stride + 15) / 16 * 16;
  }
  for (size_t i = 0; i < rank; ++i)
    frame.count += (frame.shape[i] - 1) * frame.strides[i];
  return frame;
}

std::string numbers(Generator &g, const std::vector<int64_t> &values, bool keepsOne) {
  std::string out;
  for (int64_t value : values)
    out += (out.empty() ? "" : ", ") +
           (g.chance(60) || (keepsOne && value == 1) ? std::to_string(value) : g.addInteger(value, value));
  return out;
}

std::string join(const std::vector<std::string> &items) {
  std::string out;
  for (const std::string &item : items)
    out += (out.empty() ? "" : ", ") + item;
  return out;
}

std::string inParentheses(const std::string &items, size_t count) { return "(" + items + (count == 1 ? ",)" : ")"); }

std::string makeBlockPointer(Generator &g, const TileType &type, const std::string &tensor, const Frame &frame,
                             bool isColumnMajor) {
  size_t rank = type.shape.size();
  std::string order, block = text(type.shape);
  for (size_t i = 0; i < rank; ++i)
    order += (i ? ", " : "") + std::to_string(isColumnMajor ? i : rank - 1 - i);
  return g
      .definePointer(type, "tl.make_block_ptr(" + tensor + ", " + inParentheses(numbers(g, frame.shape, false), rank) +
                               ", " + inParentheses(numbers(g, frame.strides, false), rank) + ", " +
                               inParentheses(join(frame.offsets), rank) + ", " +
                               inParentheses(block.substr(1, block.size() - 2), rank) + ", " +
                               inParentheses(order, rank) + ")")
      .name;
}

std::string checkedAxes(const Frame &frame) {
  std::vector<std::string> axes;
  for (size_t i = 0; i < frame.isChecked.size(); ++i)
    if (frame.isChecked[i])
      axes.push_back(std::to_string(i));
  return axes.empty() ? "" : ", boundary_check=" + inParentheses(join(axes), axes.size());
}

bool suitsDescriptor(Generator &g, const TileType &type) {
  return type.shape.size() <= 4 && g.value(type.shape.back()) * int64_t(bytesOf(type.dtype)) >= 16;
}

// The name of a descriptor: made in the kernel, or an argument.
std::string makeDescriptor(Generator &g, const TileType &type, const std::string &tensor, const Frame &frame,
                           const char *padding) {
  Parameter &parameter = g.parameter(tensor);
  parameter.offset = 0;
  if (g.chance(50) && !*padding) {
    parameter.kind = Parameter::Kind::Descriptor;
    parameter.shape = Shape(frame.shape.begin(), frame.shape.end());
    parameter.strides = Shape(frame.strides.begin(), frame.strides.end());
    parameter.blockShape = type.shape;
    parameter.block.resize(type.shape.size());
    return tensor;
  }
  std::string strides = numbers(g, {frame.strides.begin(), frame.strides.end() - 1}, false);
  return g
      .definePointer(type, "tl.make_tensor_descriptor(" + tensor + ", [" + numbers(g, frame.shape, false) + "], [" +
                               strides + (strides.empty() ? "1], " : ", 1], ") + text(type.shape) + padding + ")")
      .name;
}

} // namespace

std::optional<Variable> loadBlock(Generator &g, const TileType &type, const Facts &wish) {
  if (type.dtype == DType::Int1 || type.shape.size() > 4)
    return std::nullopt;
  Facts zero = isFloat(type.dtype) ? wholeFacts(0, 0) : integerFacts(0, 0);
  if (!wish.covers(zero))
    return std::nullopt;
  bool isDescriptor = suitsDescriptor(g, type) && g.chance(50);
  bool isColumnMajor = !isDescriptor && type.shape.size() > 1 && g.chance(30);
  Frame frame = makeFrame(g, type.shape, Use::Read, isDescriptor, isColumnMajor);
  Facts facts;
  if (!isDescriptor) {
    std::string tensor = g.inputTensor(type.dtype, wish, frame.count, facts);
    std::string pointer = makeBlockPointer(g, type, tensor, frame, isColumnMajor);
    std::string checks = checkedAxes(frame);
    return g.define(type, unite(facts, zero),
                    "tl.load(" + pointer + checks + (checks.empty() ? ")" : ", padding_option=\"zero\")"));
  }
  std::string tensor = g.freshTensor(type.dtype, wish, frame.count, facts).name;
  bool isNan = isFloat(type.dtype) && wish.isSpecial && g.chance(30);
  std::string descriptor = makeDescriptor(g, type, tensor, frame, isNan ? ", padding_option=\"nan\"" : "");
  return g.define(type, unite(facts, zero), descriptor + ".load([" + join(frame.offsets) + "])");
}

bool storeBlock(Generator &g, const Variable &v) {
  if (v.type.dtype == DType::Int1 || v.type.shape.size() > 4)
    return false;
  bool isDescriptor = suitsDescriptor(g, v.type) && g.chance(50);
  bool isColumnMajor = !isDescriptor && v.type.shape.size() > 1 && g.chance(30);
  Frame frame = makeFrame(g, v.type.shape, Use::Write, isDescriptor, isColumnMajor);
  std::string tensor = g.outputTensor(v.type.dtype, v.facts, frame.count);
  if (!isDescriptor) {
    std::string pointer = makeBlockPointer(g, v.type, tensor, frame, isColumnMajor);
    g.effect("tl.store(" + pointer + ", " + v.name + checkedAxes(frame) + ")");
    return true;
  }
  g.effect(makeDescriptor(g, v.type, tensor, frame, "") + ".store([" + join(frame.offsets) + "], " + v.name + ")");
  return true;
}

} // namespace nereid::differ
