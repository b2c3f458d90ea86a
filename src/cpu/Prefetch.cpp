#include "cpu/Prefetch.h"
#include "cpu/Nest.h"
#include "cpu/TileForm.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::cpu {

constexpr int64_t kLine = 64, kPage = 4096;
// Smaller tiles are there before they are missed.
constexpr int64_t kSmallestTile = 2048;
// So many pages are fetched side by side: the translations of their addresses overlap, and so do the hardware's own
// guesses, which end with a page.
constexpr int64_t kPagesAtOnce = 4;

// Whether the value can differ between programs or iterations of a loop.
static bool canMove(Value value, llvm::DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return !isa<func::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  if (isa<tile::ProgramIdOp>(op) || !isPure(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) { return canMove(operand, seen); });
}

static int64_t linesOf(llvm::ArrayRef<int64_t> shape, int64_t lineElements) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count / lineElements;
}

void Prefetcher::noteLoad(Value pointer) {
  llvm::IRBuilder<> &builder = lowering.builder;
  auto shape = tile::shapeOf(pointer.getType());
  int64_t bytes = elementBytes(cast<tile::PtrType>(getElementTypeOrSelf(pointer.getType())).getPointee());
  Conditions ignored;
  auto form = TileForms(lowering, ignored).evaluate(pointer);
  if (!form)
    return;
  auto contiguous = llvm::find_if(form->steps, [](llvm::Value *step) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(step);
    return constant && constant->isOne();
  });
  Tile tile{nullptr,          {}, llvm::to_vector<4>(shape), unsigned(contiguous - form->steps.begin()), kLine / bytes,
            bodies.size() + 1};
  if (contiguous == form->steps.end() || shape[tile.contiguous] < tile.lineElements)
    return;
  auto newSlot = [&](const char *name) {
    llvm::AllocaInst *slot = lowering.stackSlot(builder.getInt64Ty(), name);
    llvm::IRBuilderBase::InsertPointGuard guard(builder);
    builder.SetInsertPoint(slot->getNextNode());
    builder.CreateStore(builder.getInt64(0), slot);
    return slot;
  };
  llvm::AllocaInst *last = newSlot("last");
  tile.next = newSlot("next");
  llvm::Value *distance = builder.CreateSub(form->base, builder.CreateLoad(builder.getInt64Ty(), last));
  builder.CreateStore(form->base, last);
  builder.CreateStore(builder.CreateAdd(form->base, distance), tile.next);
  for (llvm::Value *step : form->steps) {
    tile.steps.push_back(newSlot("step"));
    builder.CreateStore(builder.CreateMul(step, builder.getInt64(bytes)), tile.steps.back());
  }
  tiles.push_back(std::move(tile));
}

void Prefetcher::noteLoads(const Group &group) {
  for (Operation *member : group.members) {
    auto load = dyn_cast<tile::LoadOp>(member);
    llvm::DenseSet<Value> seen;
    if (load &&
        cast<RankedTensorType>(load.getType()).getNumElements() * elementBytes(load.getType()) >= kSmallestTile &&
        canMove(load.getPtr(), seen))
      noteLoad(load.getPtr());
  }
}

// About how long an op takes for a block of lanes. A store waits for memory.
static int64_t durationOf(Operation *op) {
  return isa<tile::StoreOp>(op) ? 12 : isa<math::MathDialect>(op->getDialect()) ? 6 : 1;
}

void Prefetcher::noteBody(const Group &group, const Nest &nest) {
  auto [iteration, iterations] = nest.iteration();
  int64_t duration = 1;
  for (Operation *member : group.members)
    duration += durationOf(member);
  bodies.push_back(
      {lowering.builder.GetInsertBlock(), iteration, iterations, duration, llvm::to_vector<4>(nest.extents())});
}

// The address of a line; lines are counted along the contiguous dimension first.
llvm::Value *Prefetcher::addressOf(const Tile &tile, llvm::Value *line) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *address = builder.CreateLoad(builder.getInt64Ty(), tile.next);
  auto advance = [&](unsigned dim, int64_t extent, int64_t elements) {
    llvm::Value *index = builder.CreateURem(line, builder.getInt64(extent));
    line = builder.CreateUDiv(line, builder.getInt64(extent));
    llvm::Value *step = builder.CreateLoad(builder.getInt64Ty(), tile.steps[dim]);
    address = builder.CreateAdd(address, builder.CreateMul(index, builder.CreateMul(step, builder.getInt64(elements))));
  };
  advance(tile.contiguous, tile.shape[tile.contiguous] / tile.lineElements, tile.lineElements);
  for (size_t dim = tile.shape.size(); dim-- > 0;)
    if (dim != tile.contiguous && tile.shape[dim] != 1)
      advance(unsigned(dim), tile.shape[dim], 1);
  return address;
}

// Lines first … first+count-1 of the tile, in the order of fetching.
void Prefetcher::fetch(const Tile &tile, const Body &body, int64_t first, int64_t count) {
  llvm::IRBuilder<> &builder = lowering.builder;
  int64_t lines = linesOf(tile.shape, tile.lineElements),
          atOnce = std::clamp(lines * kLine / kPage, int64_t(1), kPagesAtOnce);
  int64_t each = (count + body.iterations - 1) / body.iterations;
  for (int64_t i = 0; i < each; ++i) {
    llvm::Value *number =
        builder.CreateAdd(builder.CreateMul(body.iteration, builder.getInt64(each)), builder.getInt64(i));
    if (count != each * body.iterations)
      number = builder.CreateUDiv(builder.CreateMul(number, builder.getInt64(count)),
                                  builder.getInt64(each * body.iterations));
    number = builder.CreateAdd(number, builder.getInt64(first));
    llvm::Value *page = builder.CreateURem(number, builder.getInt64(atOnce));
    llvm::Value *line = builder.CreateAdd(builder.CreateMul(page, builder.getInt64(lines / atOnce)),
                                          builder.CreateUDiv(number, builder.getInt64(atOnce)));
    // Into the second level: the first one is full of what this program works on.
    constexpr int kRead = 0, kSecondLevel = 2, kData = 1;
    builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {builder.getPtrTy()},
                            {lowering.pointer(addressOf(tile, line)), builder.getInt32(kRead),
                             builder.getInt32(kSecondLevel), builder.getInt32(kData)});
  }
}

// Behind what computes the iteration.
static llvm::BasicBlock::iterator startOf(llvm::BasicBlock *block, llvm::Value *iteration) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(iteration);
  return instruction && instruction->getParent() == block ? std::next(instruction->getIterator())
                                                          : block->getFirstInsertionPt();
}

void Prefetcher::distribute() {
  llvm::IRBuilderBase::InsertPointGuard guard(lowering.builder);
  for (const Tile &tile : tiles) {
    auto from = llvm::make_filter_range(llvm::ArrayRef(bodies).drop_front(tile.firstBody),
                                        [&](const Body &body) { return body.shape == tile.shape; });
    int64_t lines = linesOf(tile.shape, tile.lineElements), first = 0, time = 0, total = 0;
    for (const Body &body : from)
      total += body.duration;
    for (const Body &body : from) {
      int64_t end = lines * (time += body.duration) / total;
      lowering.builder.SetInsertPoint(body.block, startOf(body.block, body.iteration));
      fetch(tile, body, first, end - first);
      first = end;
    }
  }
  tiles.clear();
  bodies.clear();
}

} // namespace nereid::cpu
