// Shape.cpp: ops that make and move elements. Where layouts allow it they only rename registers.
#include "gpu/lower/Lowering.h"

#include "layout/LayoutMoves.h"

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;

template <> void Lowering::lower(tile::ArangeOp op) {
  LinearLayout layout = warp::layoutOf(op.getResult().getType());
  llvm::Value *indices = points(layout);
  llvm::Value *start = builder.getInt32(op.getStart());
  set(op.getResult(), op.getStart() ? builder.CreateAdd(indices, splat(start, layout.registers())) : indices);
}

template <> void Lowering::lower(tile::SplatOp op) {
  set(op.getResult(), splat(get(op.getSource()), warp::layoutOf(op.getResult().getType()).registers()));
}

template <> void Lowering::lower(tile::BroadcastOp op) {
  LinearLayout from = warp::layoutOf(op.getSource().getType()), to = warp::layoutOf(op.getResult().getType());
  auto narrow = from.shape();
  llvm::DenseMap<uint64_t, int> places;
  for (unsigned r = 0; r < from.registers(); ++r)
    places.try_emplace(registerPoint(from, r), int(r));
  llvm::SmallVector<int> lanes;
  for (unsigned r = 0; r < to.registers(); ++r) {
    auto index = to.out().coordinates(registerPoint(to, r));
    for (unsigned d = 0; d < narrow.size(); ++d)
      if (narrow[d] == 1)
        index[d] = 0;
    lanes.push_back(places.lookup(from.out().pointAt(index)));
  }
  set(op.getResult(), shuffle(get(op.getSource()), lanes));
}

template <> void Lowering::lower(tile::JoinOp op) {
  llvm::Value *left = get(op.getLhs()), *right = get(op.getRhs());
  LinearLayout to = warp::layoutOf(op.getResult().getType());
  unsigned half = to.registers() / 2, bit = *layout::splitRegisterBit(to);
  llvm::SmallVector<int> lanes;
  for (unsigned r = 0; r < to.registers(); ++r) {
    unsigned low = r & ((1u << bit) - 1), rest = (r >> (bit + 1)) << bit | low;
    lanes.push_back(int((r >> bit & 1) * half + rest));
  }
  set(op.getResult(), builder.CreateShuffleVector(left, right, lanes));
}

template <> void Lowering::lower(tile::SplitOp op) {
  llvm::Value *source = get(op.getSource());
  LinearLayout from = warp::layoutOf(op.getSource().getType());
  unsigned bit = *layout::splitRegisterBit(from);
  llvm::SmallVector<int> lanes[2];
  for (unsigned r = 0; r < from.registers(); ++r)
    lanes[r >> bit & 1].push_back(int(r));
  for (unsigned i : {0u, 1u}) {
    llvm::Value *half = shuffle(source, lanes[i]);
    Value result = i ? op.getSecond() : op.getFirst();
    set(result, isTile(result.getType()) ? half : extract(half, 0));
  }
}

template <> void Lowering::lower(tile::CatOp op) {
  unsigned count = warp::layoutOf(op.getResult().getType()).registers();
  llvm::SmallVector<int> lanes;
  for (unsigned r = 0; r < count; ++r)
    lanes.push_back(int(r));
  set(op.getResult(), builder.CreateShuffleVector(get(op.getLhs()), get(op.getRhs()), lanes));
}

template <> void Lowering::lower(tile::UnsplatOp op) { set(op.getResult(), extract(get(op.getSource()), 0)); }

template <> void Lowering::lower(tile::FlipOp op) {
  LinearLayout layout = warp::layoutOf(op.getSource().getType());
  llvm::Value *source = get(op.getSource());
  llvm::Type *element = source->getType()->getScalarType();
  auto shape = layout.shape();
  uint64_t mask = layout.out().point(layout::axisDim(op.getAxis()), shape[op.getAxis()] - 1);
  llvm::Value *base = beginScratch(op, layout.out().size() * bytesOf(element));
  storeTile(base, layout, source);
  barrier();
  Values elements;
  for (llvm::Value *index : unpack(points(layout)))
    elements.push_back(
        loadShared(sharedElement(base, builder.CreateXor(index, builder.getInt32(uint32_t(mask))), element), element));
  set(op.getResult(), pack(elements));
}

template <> void Lowering::lower(tile::GatherOp op) {
  LinearLayout from = warp::layoutOf(op.getSource().getType()), to = warp::layoutOf(op.getIndex().getType());
  llvm::Value *source = get(op.getSource());
  llvm::Type *element = source->getType()->getScalarType();
  llvm::Value *base = beginScratch(op, from.out().size() * bytesOf(element));
  storeTile(base, from, source);
  barrier();
  Values picks = unpack(get(op.getIndex())), elements;
  auto shape = from.shape();
  llvm::SmallVector<Values> coordinate;
  for (unsigned d = 0; d < shape.size(); ++d)
    coordinate.push_back(unpack(coordinates(to, d)));
  for (unsigned r = 0; r < to.registers(); ++r) {
    llvm::Value *index = builder.getInt32(0);
    for (unsigned d = 0; d < shape.size(); ++d) {
      llvm::Value *at =
          d == op.getAxis() ? builder.CreateSExtOrTrunc(picks[r], builder.getInt32Ty()) : coordinate[d][r];
      index = builder.CreateAdd(builder.CreateMul(index, builder.getInt32(uint32_t(shape[d]))), at);
    }
    elements.push_back(loadShared(sharedElement(base, index, element), element));
  }
  set(op.getResult(), pack(elements));
}

// Registers stay as they are: only the layout has another shape.
template <> void Lowering::lower(tile::ExpandDimsOp op) { set(op, get(op.getSource())); }
template <> void Lowering::lower(tile::ReshapeOp op) { set(op, get(op.getSource())); }
template <> void Lowering::lower(tile::TransOp op) { set(op, get(op.getSource())); }

void addShapeOps(OpTable &table) {
  table.add<tile::ArangeOp, tile::SplatOp, tile::BroadcastOp, tile::JoinOp, tile::SplitOp, tile::CatOp, tile::UnsplatOp,
            tile::FlipOp, tile::GatherOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp>();
}

} // namespace nereid::gpu
