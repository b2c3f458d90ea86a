#include "gpu/layouts/Anchors.h"

#include "gpu/layouts/Meetings.h"
#include "gpu/layouts/ScanRuns.h"

#include "layout/LayoutShapes.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace mlir;

namespace nereid::gpu {

static Value pointersOf(Operation *op) {
  if (auto copy = dyn_cast<warp::CopyAsyncOp>(op))
    return copy.getPtr();
  std::optional<tile::Access> access = tile::accessOf(op);
  return access && access->isByPointer() ? access->address : Value();
}

static unsigned pointeeBits(Value pointers) {
  Type pointee = cast<tile::PtrType>(getElementTypeOrSelf(pointers.getType())).getPointee();
  return pointee.isIntOrFloat() ? std::max(8u, pointee.getIntOrFloatBitWidth()) : 64;
}

unsigned widestChange(tile::AtomicRmwOp op, const Options &options) {
  Type type = getElementTypeOrSelf(op.getType());
  if (op.getKind() != tile::RmwKind::FAdd)
    return 1;
  bool takesVectors = options.target.hasVectorAtomics;
  if (type.isF16() || (type.isBF16() && options.target.hasBf16Atomics))
    return takesVectors ? 8 : 2;
  return type.isF32() && takesVectors ? 4 : 1;
}

Anchors::Anchors(func::FuncOp kernel, const Options &options) : options(options), axes(kernel) {
  kernel.walk([&](tile::DotOp) { hasProducts = true; });
  // Equal for all accesses of one shape and order, so that their tiles meet without a conversion, and places are computed
  // once; but those that meet no others are not made narrow by them. Operands and results of a product do not meet: a
  // result in fp16 must not be cut as an operand in fp8 is, or its stores have gaps. Beside products, accesses of
  // different elements are equal only where they meet (a gate in fp32 with keys in bf16).
  std::map<Access, llvm::SmallVector<Wish>> wishes;
  std::map<std::pair<Access, unsigned>, llvm::SmallVector<Wish>> met;
  Meetings meetings(kernel);
  kernel.walk([&](Operation *op) {
    if (std::optional<Access> access = accessOf(op)) {
      wishes[*access].push_back(wishOf(op, *access));
      met[{access->ofAnyBits(), meetings.of(op)}].push_back(wishes[*access].back());
    }
  });
  kernel.walk([&](Operation *op) {
    std::optional<Access> access = accessOf(op);
    if (!access)
      return;
    unsigned width = chooseWidth(wishes.at(*access), hasProducts);
    if (!hasProducts || !meetings.hasProduct(op))
      width = std::max(width, chooseWidth(met.at({access->ofAnyBits(), meetings.of(op)}), hasProducts));
    // Additions in memory are made sector by sector: one that is half of a thread's costs as much as a whole one.
    if (isa<tile::AtomicRmwOp>(op))
      width = std::min(width, widthOf(op, *access));
    memory[op] = layout::blockedLayout(access->shape, width, options.numWarps, access->order);
  });
  // Scans across the lanes' axis: each warp has a piece of the axis. Along it: each warp has rows of its own.
  kernel.walk([&](tile::ScanOp scan) {
    for (auto &[op, layout] : memory)
      if (llvm::equal(tile::shapeOf(scan.getSources().front().getType()), layout.shape()))
        layout = withWarpsAcross(withLongRuns(layout, scan.getAxis(), touchesSectorsAcross(op, layout, scan.getAxis())),
                                 scan.getAxis());
  });
}

// Whether the lanes of a warp that lie across an axis touch whole sectors of 32 bytes by themselves.
bool Anchors::touchesSectorsAcross(Operation *op, const LinearLayout &layout, unsigned axis) const {
  unsigned across = accessOf(op)->order.front();
  if (across == axis)
    return false;
  unsigned elements = layout.contiguousRegisters(across);
  for (unsigned bit = 0; bit < layout.bits(layout::Dim::Lane); ++bit)
    if (layout.basis(layout::Dim::Lane, bit, layout::axisDim(across)))
      elements *= 2;
  return elements * pointeeBits(pointersOf(op)) >= 256;
}

std::optional<Anchors::Access> Anchors::accessOf(Operation *op) const {
  Value pointers = pointersOf(op);
  if (!pointers || !isa<RankedTensorType>(pointers.getType()))
    return std::nullopt;
  auto shape = tile::shapeOf(pointers.getType());
  const analysis::AxisInfo &info = axes.of(pointers);
  Access access{
      {shape.begin(), shape.end()}, layout::rowMajorOrder(shape.size()), hasProducts ? pointeeBits(pointers) : 0};
  std::stable_sort(access.order.begin(), access.order.end(),
                   [&](unsigned a, unsigned b) { return info.contiguity[a] > info.contiguity[b]; });
  return access;
}

static Value maskOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return store.getMask();
  auto rmw = dyn_cast<tile::AtomicRmwOp>(op);
  return rmw ? rmw.getMask() : Value();
}

// What one element costs a warp's access where threads have `width` neighbours: its sectors of 32 bytes, and its share of
// an instruction, which counts like four sectors.
static double costOf(const Anchors::Wish &wish, unsigned width) {
  unsigned together = std::min(wish.together, width);
  double sectors = std::clamp(width * wish.bits / 8.0, 1.0, 32.0);
  return (sectors + 4) / (32.0 * together);
}

// The widest, unless some are accessed one element at a time for their masks: neighbours of other threads then lie in
// the same sectors.
unsigned Anchors::chooseWidth(ArrayRef<Wish> wishes, bool hasProducts) {
  unsigned widest = 1;
  for (const Wish &wish : wishes)
    widest = std::max(widest, wish.width);
  if (hasProducts || llvm::all_of(wishes, [](const Wish &wish) { return wish.together == wish.width; }))
    return widest;
  unsigned best = widest;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned width = widest; width >= 1; width /= 2) {
    double cost = 0;
    for (const Wish &wish : wishes)
      cost += costOf(wish, width);
    if (cost < least)
      best = width, least = cost;
  }
  return best;
}

Anchors::Wish Anchors::wishOf(Operation *op, const Access &access) const {
  unsigned bits = pointeeBits(pointersOf(op)), width = widthOf(op, access), together = width;
  Value mask = maskOf(op);
  if (width > 1 && mask && isa<RankedTensorType>(mask.getType())) {
    int64_t constancy = axes.of(mask).constancy[access.order.front()];
    together = unsigned(std::min<int64_t>(width, constancy & -constancy));
  }
  return {bits, width, together};
}

// How many elements one thread should have next to each other: up to 16 bytes of them.
unsigned Anchors::widthOf(Operation *op, const Access &access) const {
  auto rmw = dyn_cast<tile::AtomicRmwOp>(op);
  if (access.order.empty() || (op->hasTrait<tile::Atomic>() && !rmw))
    return 1;
  Value pointers = pointersOf(op);
  const analysis::AxisInfo &info = axes.of(pointers);
  unsigned axis = access.order.front(), bits = pointeeBits(pointers);
  int64_t aligned = std::max<int64_t>(1, info.divisibility[axis] * 8 / bits);
  int64_t width = std::min({int64_t(128 / bits), aligned, info.contiguity[axis]});
  // Neighbours that are changed one by one had better be those of other threads.
  if (rmw)
    width = std::min<int64_t>(width, widestChange(rmw, options));
  if (rmw && rmw.getMask() && isa<RankedTensorType>(rmw.getMask().getType()))
    width = std::min(width, axes.of(rmw.getMask()).constancy[axis]);
  return static_cast<unsigned>(width);
}

unsigned Anchors::loadsOf(tile::LoadOp load, const LinearLayout &layout) const {
  std::optional<Access> access = accessOf(load);
  unsigned run = access && !access->order.empty() ? layout.contiguousRegisters(access->order.front()) : 1;
  return layout.registers() / (run > 1 ? std::min(run, widthOf(load, *access)) : 1);
}

std::optional<LinearLayout> Anchors::memoryLayout(Operation *op) const {
  auto found = memory.find(op);
  return found == memory.end() ? std::nullopt : std::optional(found->second);
}

// One axis first, then the others as in a row-major tile.
static llvm::SmallVector<unsigned, 4> orderFrom(unsigned first, unsigned rank) {
  auto order = layout::rowMajorOrder(rank);
  std::stable_partition(order.begin(), order.end(), [&](unsigned axis) { return axis == first; });
  return order;
}

LinearLayout Anchors::storeLayout(warp::BufferType buffer, unsigned widest) const {
  ArrayRef<int64_t> shape = buffer.getShape();
  return layout::blockedLayout(shape, 16 / std::max(widest, buffer.elementBytes()), options.numWarps,
                               orderFrom(buffer.getFast(), shape.size()));
}

// A thread has 4 x 2 bytes, a warp 16 x 16: ldmatrix.trans reads them with lanes across, two neighbours at a time, and
// stmatrix writes words of four along the other axis.
std::optional<LinearLayout> Anchors::turnedBytes(warp::BufferType buffer) const {
  ArrayRef<int64_t> shape = buffer.getShape();
  if (buffer.elementBytes() != 1 || shape.size() != 2 || !options.target.hasStmatrix || shape[0] < 16 ||
      shape[1] < 16 || shape[0] * shape[1] < 256 * int64_t(options.numWarps))
    return std::nullopt;
  unsigned to = buffer.getFast(), from = 1 - to;
  layout::Blocked blocked = layout::Blocked::ones(orderFrom(to, 2));
  blocked.sizePerThread[to] = 4, blocked.sizePerThread[from] = 2;
  blocked.threadsPerWarp[to] = 4, blocked.threadsPerWarp[from] = 8;
  blocked.warpsPerBlock[from] = std::min<int64_t>(options.numWarps, shape[from] / 16);
  blocked.warpsPerBlock[to] = options.numWarps / blocked.warpsPerBlock[from];
  return layout::blockedLayout(shape, blocked);
}

LinearLayout Anchors::defaultLayout(Type type) const {
  auto shape = tile::shapeOf(type);
  return layout::blockedLayout(shape, 1, options.numWarps, layout::rowMajorOrder(shape.size()));
}

LinearLayout Anchors::runsAlong(ArrayRef<int64_t> shape, unsigned axis, unsigned contiguous) const {
  // All of the axis that the threads cannot share out goes into registers, so that the order along the axis is
  // register, lane, warp.
  layout::Blocked blocked = layout::Blocked::ones(orderFrom(axis, shape.size()));
  int64_t lanes = 32, warps = options.numWarps, extent = shape[axis];
  blocked.threadsPerWarp[axis] = std::min<int64_t>(lanes, std::max<int64_t>(1, extent / contiguous));
  lanes /= blocked.threadsPerWarp[axis];
  blocked.warpsPerBlock[axis] =
      std::min(warps, std::max<int64_t>(1, extent / (blocked.threadsPerWarp[axis] * contiguous)));
  warps /= blocked.warpsPerBlock[axis];
  blocked.sizePerThread[axis] =
      std::max<int64_t>(1, extent / (blocked.threadsPerWarp[axis] * blocked.warpsPerBlock[axis]));
  for (unsigned d : ArrayRef(blocked.order).drop_front()) {
    blocked.threadsPerWarp[d] = std::min(lanes, shape[d]);
    lanes /= blocked.threadsPerWarp[d];
    blocked.warpsPerBlock[d] = std::min(warps, std::max<int64_t>(1, shape[d] / blocked.threadsPerWarp[d]));
    warps /= blocked.warpsPerBlock[d];
  }
  blocked.threadsPerWarp[blocked.order.back()] *= lanes;
  blocked.warpsPerBlock[blocked.order.back()] *= warps;
  return layout::blockedLayout(shape, blocked);
}

} // namespace nereid::gpu
