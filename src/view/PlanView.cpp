#include "view/PlanView.h"

#include "gpu/dialect/Warp.h"
#include "gpu/flight/Flight.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <map>

using namespace mlir;

namespace nereid::view {

// So many events tell how a loop goes round; a long one repeats itself.
static constexpr size_t kMostEvents = 600;
static constexpr size_t kMostLayouts = 60, kMostUses = 40;

static std::string textOfType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static TileLayout describe(RankedTensorType type) {
  layout::LinearLayout layout = warp::layoutOf(type);
  TileLayout result;
  result.text = layout.toString();
  result.element = textOfType(type.getElementType());
  result.shape.assign(type.getShape().begin(), type.getShape().end());
  result.registerBits = layout.bits(layout::Dim::Register);
  result.laneBits = layout.bits(layout::Dim::Lane);
  result.warpBits = layout.bits(layout::Dim::Warp);
  result.blockBits = layout.bits(layout::Dim::Block);
  for (layout::Dim dim : {layout::Dim::Register, layout::Dim::Lane, layout::Dim::Warp, layout::Dim::Block})
    if (layout.in().has(dim))
      for (layout::F2Vector basis : layout.columns(dim))
        result.bases.push_back(basis);
  return result;
}

static void viewLayouts(ModuleOp module, Places &places, CodeView &view) {
  std::map<std::string, size_t> known;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile || !warp::hasLayout(tile) || tile.getNumElements() < 2)
        continue;
      TileLayout layout = describe(tile);
      auto [found, isNew] = known.try_emplace(layout.text, view.layouts.size());
      if (isNew && view.layouts.size() == kMostLayouts) {
        known.erase(found);
        continue;
      }
      if (isNew)
        view.layouts.push_back(std::move(layout));
      auto &uses = view.layouts[found->second].uses;
      std::pair<std::string, uint32_t> use{op->getName().getStringRef().str(), places.numberOf(op->getLoc())};
      if (uses.size() < kMostUses && llvm::find(uses, use) == uses.end())
        uses.push_back(std::move(use));
    }
  });
}

static std::string kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<warp::CopyAsyncOp, warp::CopyBlockOp, warp::CopyRowsOp>([](auto) { return "copy"; })
      .Case<tile::DotOp>([](auto) { return "product"; })
      .Case<warp::WaitOp, warp::WaitPhaseOp, warp::AwaitOp, warp::WaitStoresOp, scf::ForOp>([](auto) { return "wait"; })
      .Case<warp::ArriveOp, warp::ArriveCopiesOp, warp::ExpectOp, warp::CommitOp>([](auto) { return "signal"; })
      .Case<warp::StoreOp, warp::StoreBlockOp>([](auto) { return "store"; })
      .Case<warp::ReadOp>([](auto) { return "read"; })
      .Case<warp::BarrierOp>([](auto) { return "barrier"; })
      .Default([](auto) { return ""; });
}

static Value bufferOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<warp::CopyAsyncOp, warp::CopyBlockOp, warp::CopyRowsOp, warp::ReadOp, warp::StoreOp>(
          [](auto each) -> Value { return each.getBuffer(); })
      .Case<warp::WaitPhaseOp, warp::ArriveOp, warp::ArriveCopiesOp, warp::ExpectOp>(
          [](auto each) -> Value { return each.getBarriers(); })
      .Default([](auto) { return Value(); });
}

namespace {

class EventList {
public:
  EventList(Places &places, CodeView &view) : places(places), view(view) {}

  void add(const std::vector<gpu::Event> &events, PlanEvent::Role role) {
    size_t count = 0;
    for (const gpu::Event &event : events) {
      PlanEvent shown{.role = role, .kind = kindOf(event.op), .op = event.op->getName().getStringRef().str()};
      if (shown.kind.empty())
        continue;
      if (count++ == kMostEvents) {
        view.isPlanCut = true;
        return;
      }
      shown.place = places.numberOf(event.op->getLoc());
      shown.slot = event.slot;
      shown.product = event.product;
      shown.round = rounds[event.op]++;
      if (Value buffer = bufferOf(event.op))
        shown.buffer = buffers.try_emplace(buffer.getAsOpaquePointer(), buffers.size() + 1).first->second;
      view.plan.push_back(std::move(shown));
    }
  }

private:
  Places &places;
  CodeView &view;
  std::map<Operation *, int64_t> rounds;
  std::map<const void *, uint32_t> buffers;
};

} // namespace

// Of the tensors, which the launch has not written yet.
static std::optional<int64_t> loadedFrom(const std::vector<runtime::Allocation> &allocations, uint64_t address,
                                         unsigned bytes) {
  for (const runtime::Allocation &allocation : allocations) {
    auto begin = reinterpret_cast<uint64_t>(allocation.data);
    if (address < begin || address - begin > allocation.bytes || allocation.bytes - (address - begin) < bytes)
      continue;
    int64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void *>(address), std::min<size_t>(bytes, sizeof value));
    return value;
  }
  return std::nullopt;
}

void viewPlan(const compiler::TileModule &planned, const jit::Specialization &launch,
              const std::array<uint32_t, 3> &grid, Places &places, CodeView &view) {
  viewLayouts(*planned.module, places, view);
  gpu::Assumed assumed{.grid = {grid[0], grid[1], grid[2]}};
  for (const runtime::Argument &argument : launch.arguments)
    assumed.arguments.push_back(int64_t(argument.value));
  assumed.load = [&](uint64_t address, unsigned bytes) { return loadedFrom(launch.allocations, address, bytes); };
  std::optional<gpu::Flight> flight = gpu::traceFlight(planned.kernel(), assumed);
  if (!flight) {
    view.isPlanCut = true;
    return;
  }
  EventList list(places, view);
  list.add(flight->before, PlanEvent::Role::All);
  list.add(flight->producer, PlanEvent::Role::Producer);
  list.add(flight->consumer, PlanEvent::Role::Consumer);
  list.add(flight->after, PlanEvent::Role::After);
}

void viewShared(const std::vector<gpu::SharedUse> &uses, const Places &places, CodeView &view) {
  for (const gpu::SharedUse &use : uses)
    if (use.begin)
      view.shared.push_back({use.offset, use.bytes, use.begin, use.end, places.has(use.line) ? use.line : 0});
}

} // namespace nereid::view
