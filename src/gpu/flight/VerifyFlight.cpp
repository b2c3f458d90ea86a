// VerifyFlight.cpp: copies are awaited before their slots are read, slots are not overwritten while something reads or
// fills them, results of products are not touched before they are there, and what one part of a kernel waits for the
// other one does. Followed with assumed sizes (Flight.h): loops of many iterations, of few, of one and of none.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/flight/Flight.h"
#include "gpu/pipeline/SpecializeWarps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <deque>
#include <utility>

using namespace mlir;

namespace nereid::gpu {

namespace {

// A phase of a barrier in shared memory, which ends once.
struct Phase {
  Operation *barriers = nullptr;
  int64_t slot = 0, index = 0;
};

struct Barrier {
  int64_t arrivals = 0, bytes = 0, ended = 0; // still to come, and how many phases have ended
  int64_t coming = 0;                         // bytes of copies: they are there when somebody cannot go on without them
};

// Somebody who reads a slot.
struct Reader {
  Operation *op;
  int64_t product = -1;         // that still reads, or -1
  std::vector<Phase> told = {}; // phases that cannot end before it is done
};

struct SlotState {
  enum class Holds { Nothing, Copy, Block, Tile } holds = Holds::Nothing;
  Operation *filler = nullptr; // the copy that is under way
  Phase phase = {};            // of a block and of rows: they are there when this has ended
  std::vector<Reader> readers = {};
};

struct BufferState {
  std::vector<SlotState> slots;
  Operation *leaving = nullptr; // a store of a block, from which TMA may still read
  Operation *released = nullptr;
};

class Checker {
public:
  explicit Checker(unsigned warps) : warps(warps) {}

  LogicalResult run(const Flight &flight, bool isProducerFirst) {
    if (failed(runAll(flight.before)))
      return failure();
    size_t produced = 0, consumed = 0;
    auto runProducer = [&] { return runUntilWait(flight.producer, produced, true); };
    auto runConsumer = [&] { return runUntilWait(flight.consumer, consumed, false); };
    if (isProducerFirst && failed(runProducer()))
      return failure();
    while (produced < flight.producer.size() || consumed < flight.consumer.size()) {
      size_t before = produced + consumed;
      if (failed(runConsumer()) || failed(runProducer()))
        return failure();
      if (produced + consumed == before)
        return neverEnds(consumed < flight.consumer.size() ? flight.consumer[consumed] : flight.producer[produced]);
    }
    return runAll(flight.after);
  }

private:
  LogicalResult neverEnds(const Event &event) {
    return event.op->emitOpError("waits for a phase of slot ") << event.slot << " that nobody ends";
  }

  LogicalResult runAll(const std::vector<Event> &events) {
    size_t at = 0;
    if (failed(runUntilWait(events, at, false)))
      return failure();
    return at == events.size() ? success() : neverEnds(events[at]);
  }

  LogicalResult runUntilWait(const std::vector<Event> &events, size_t &at, bool isProducer) {
    for (; at < events.size(); ++at) {
      if (auto wait = dyn_cast<warp::WaitPhaseOp>(events[at].op); wait && !hasEnded(wait, events[at]))
        return success();
      if (failed(handle(events[at], isProducer)))
        return failure();
    }
    return success();
  }

  LogicalResult handle(const Event &event, bool isProducer) {
    Operation *op = event.op;
    if (event.product >= 0 && !isa<tile::DotOp>(op))
      return use(event);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<warp::AllocOp>([&](auto alloc) {
          buffers[op] = {};
          buffers[op].slots.resize(alloc.getResult().getType().getSlots());
          return success();
        })
        .Case<warp::MakeBarriersOp>([&](auto made) {
          barriers[op].assign(made.getResult().getType().getSlots(), {.arrivals = made.getArrivals()});
          meet();
          return success();
        })
        .Case<warp::ReleaseOp>([&](auto release) { return this->release(release); })
        .Case<warp::CopyAsyncOp>([&](auto copy) {
          SlotState *slot = freeSlot(event, copy.getBuffer());
          if (slot) {
            slot->holds = SlotState::Holds::Copy, slot->filler = op;
            open.push_back({copy.getBuffer().getDefiningOp(), event.slot});
          }
          return success(slot);
        })
        .Case<warp::CommitOp>([&](auto) {
          groups.push_back(std::move(open));
          open.clear();
          return success();
        })
        .Case<warp::WaitOp>([&](auto wait) {
          for (; groups.size() > wait.getPending(); groups.pop_front())
            for (const Slot &slot : groups.front())
              buffers[slot.buffer].slots[slot.index].holds = SlotState::Holds::Tile;
          meet();
          return success();
        })
        .Case<warp::StoreOp>([&](auto store) {
          SlotState *slot = freeSlot(event, store.getBuffer());
          if (slot)
            slot->holds = SlotState::Holds::Tile;
          meet();
          return success(slot);
        })
        .Case<warp::ReadOp>([&](auto read) {
          SlotState *slot = filledSlot(op, {read.getBuffer().getDefiningOp(), event.slot});
          if (slot)
            slot->readers.push_back({op});
          return success(slot);
        })
        .Case<tile::DotOp>([&](auto) { return multiply(event); })
        .Case<warp::AwaitOp>([&](auto await) {
          finishProducts(await.getPending());
          return success();
        })
        .Case<scf::ForOp>([&](auto) {
          finishProducts(0);
          return success();
        })
        .Case<warp::BarrierOp>([&](auto) {
          meet();
          return success();
        })
        .Case<warp::ExpectOp>([&](auto expect) {
          Barrier *barrier = barrierOf(event, expect.getBarriers());
          if (barrier) {
            barrier->bytes += expect.getBytes();
            arrive(*barrier, expect.getBarriers(), 1);
          }
          return success(barrier);
        })
        .Case<warp::CopyBlockOp>([&](auto copy) { return copyBlock(event, copy); })
        .Case<warp::CopyRowsOp>([&](auto copy) {
          SlotState *slot = freeSlot(event, copy.getBuffer());
          if (slot) {
            slot->holds = SlotState::Holds::Block, slot->filler = op;
            slot->phase = {};
            openRows.push_back({copy.getBuffer().getDefiningOp(), event.slot});
          }
          return success(slot);
        })
        .Case<warp::ArriveCopiesOp>([&](auto arrival) { return arriveCopies(event, arrival); })
        .Case<warp::ArriveOp>([&](auto arrival) { return this->arriveAll(event, arrival); })
        .Case<warp::WaitPhaseOp>([&](auto wait) {
          seePhases(wait.getBarriers().getDefiningOp(), event.slot);
          return success();
        })
        .Case<warp::StoreBlockOp>([&](auto store) {
          BufferState *buffer = usable(op, store.getBuffer());
          if (!buffer)
            return failure();
          if (buffer->leaving && !store.getReused())
            return report(op, "overwrites what an earlier store still leaves from", buffer->leaving);
          buffer->leaving = op;
          return success();
        })
        .Case<warp::WaitStoresOp>([&](auto) {
          for (auto &[made, buffer] : buffers)
            buffer.leaving = nullptr;
          return success();
        })
        .Default([](auto) { return success(); });
  }

  LogicalResult report(Operation *op, const Twine &what, Operation *other) {
    InFlightDiagnostic diagnostic = op->emitOpError(what);
    if (other)
      diagnostic.attachNote(other->getLoc()) << "this one";
    return diagnostic;
  }

  // ---- Buffers.

  BufferState *usable(Operation *op, Value value) {
    BufferState &buffer = buffers[value.getDefiningOp()];
    if (!buffer.released)
      return &buffer;
    (void)report(op, "uses a buffer after its release", buffer.released);
    return nullptr;
  }

  SlotState *slotOf(Operation *op, Operation *made, int64_t index) {
    BufferState *buffer = usable(op, made->getResult(0));
    if (!buffer)
      return nullptr;
    if (index >= 0 && size_t(index) < buffer->slots.size())
      return &buffer->slots[index];
    op->emitOpError("comes to slot ") << index << " of " << buffer->slots.size();
    return nullptr;
  }

  // A slot that can be filled.
  SlotState *freeSlot(const Event &event, Value buffer) {
    SlotState *slot = slotOf(event.op, buffer.getDefiningOp(), event.slot);
    if (!slot)
      return nullptr;
    std::string name = "fills slot " + std::to_string(event.slot);
    if (slot->holds == SlotState::Holds::Copy || slot->holds == SlotState::Holds::Block)
      return (void)report(event.op, name + ", into which a copy is under way", slot->filler), nullptr;
    for (const Reader &reader : slot->readers)
      return (void)report(event.op,
                          name + (reader.product >= 0 ? ", which a product still reads"
                                                      : ", which other threads may still read"),
                          reader.op),
             nullptr;
    return slot;
  }

  // A slot whose tile is there.
  SlotState *filledSlot(Operation *op, const Slot &place) {
    SlotState *slot = slotOf(op, place.buffer, place.index);
    if (!slot || slot->holds == SlotState::Holds::Tile)
      return slot;
    std::string name = "reads slot " + std::to_string(place.index);
    if (slot->holds == SlotState::Holds::Nothing)
      (void)report(op, name + ", where nothing was put", place.buffer);
    else
      (void)report(op, name + ", into which a copy is under way", slot->filler);
    return nullptr;
  }

  LogicalResult release(warp::ReleaseOp op) {
    Operation *made = op.getBuffer().getDefiningOp();
    if (isa<warp::MakeBarriersOp>(made))
      return success();
    BufferState *buffer = usable(op, op.getBuffer());
    if (!buffer)
      return failure();
    for (auto [index, slot] : llvm::enumerate(buffer->slots)) {
      if (slot.holds == SlotState::Holds::Copy || slot.holds == SlotState::Holds::Block)
        return report(op, "releases slot " + Twine(index) + ", into which a copy is under way", slot.filler);
      for (const Reader &reader : slot.readers)
        if (reader.product >= 0)
          return report(op, "releases slot " + Twine(index) + ", which a product still reads", reader.op);
    }
    if (buffer->leaving)
      return report(op, "releases what a store still leaves from", buffer->leaving);
    buffer->released = op;
    return success();
  }

  template <typename Change> void forReaders(Change change) {
    for (auto &[made, buffer] : buffers)
      for (SlotState &slot : buffer.slots)
        llvm::erase_if(slot.readers, change);
  }

  // All threads of this part have met: what each of them was done with, all are done with.
  void meet() {
    forReaders([](Reader &reader) { return reader.product < 0; });
  }

  // ---- Products.

  LogicalResult multiply(const Event &event) {
    bool isAsync = event.op->hasAttr(warp::kAsyncAttribute);
    for (const Slot &place : event.reads) {
      SlotState *slot = filledSlot(event.op, place);
      if (!slot)
        return failure();
      slot->readers.push_back({event.op, event.product});
    }
    underWay.push_back(event.product);
    if (!isAsync)
      finishProducts(0);
    return success();
  }

  void finishProducts(size_t pending) {
    for (; underWay.size() > pending; underWay.pop_front())
      forReaders([&](Reader &reader) {
        if (reader.product == underWay.front())
          reader.product = -1;
        return false;
      });
  }

  // An await is no use where it waits for that product.
  LogicalResult use(const Event &event) {
    auto place = llvm::find(underWay, event.product);
    if (place == underWay.end())
      return success();
    if (auto await = dyn_cast<warp::AwaitOp>(event.op)) {
      if (size_t(underWay.end() - place) > await.getPending())
        return success();
      return event.op->emitOpError("gives the result of a product that it does not wait for");
    }
    return event.op->emitOpError("uses the result of a product that is under way");
  }

  // ---- Barriers.

  Barrier *barrierOf(const Event &event, Value value) {
    std::vector<Barrier> &all = barriers[value.getDefiningOp()];
    if (event.slot >= 0 && size_t(event.slot) < all.size())
      return &all[event.slot];
    event.op->emitOpError("comes to slot ") << event.slot << " of " << all.size();
    return nullptr;
  }

  void arrive(Barrier &barrier, Value made, int64_t count) {
    barrier.arrivals -= count;
    endIfDone(barrier, made);
  }

  void endIfDone(Barrier &barrier, Value made) {
    if (barrier.arrivals > 0 || barrier.bytes != 0)
      return;
    barrier.arrivals = made.getDefiningOp<warp::MakeBarriersOp>().getArrivals();
    ++barrier.ended;
  }

  LogicalResult copyBlock(const Event &event, warp::CopyBlockOp op) {
    SlotState *slot = freeSlot(event, op.getBuffer());
    Barrier *barrier = slot ? barrierOf(event, op.getBarriers()) : nullptr;
    if (!barrier)
      return failure();
    warp::BufferType type = op.getBuffer().getType();
    slot->holds = SlotState::Holds::Block, slot->filler = op;
    slot->phase = {op.getBarriers().getDefiningOp(), event.slot, barrier->ended};
    barrier->coming += int64_t(type.elementBytes()) * type.getShape()[0] * type.getShape()[1];
    return success();
  }

  // For all copies that were started before.
  LogicalResult arriveCopies(const Event &event, warp::ArriveCopiesOp op) {
    constexpr int64_t kThreads = kProducerWarps * 32;
    Barrier *barrier = barrierOf(event, op.getBarriers());
    if (!barrier)
      return failure();
    if (barrier->arrivals != kThreads)
      return event.op->emitOpError("brings ")
             << kThreads << " arrivals, and the phase of slot " << event.slot << " wants " << barrier->arrivals;
    for (const Slot &place : std::exchange(openRows, {}))
      buffers[place.buffer].slots[place.index].phase = {op.getBarriers().getDefiningOp(), event.slot, barrier->ended};
    arrive(*barrier, op.getBarriers(), kThreads);
    return success();
  }

  LogicalResult arriveAll(const Event &event, warp::ArriveOp op) {
    Barrier *barrier = barrierOf(event, op.getBarriers());
    if (!barrier)
      return failure();
    if (warps && barrier->arrivals < int64_t(warps))
      return event.op->emitOpError("brings ")
             << warps << " arrivals, and the phase of slot " << event.slot << " wants " << barrier->arrivals;
    Phase phase{op.getBarriers().getDefiningOp(), event.slot, barrier->ended};
    forReaders([&](Reader &reader) {
      if (reader.product < 0)
        reader.told.push_back(phase);
      return false;
    });
    arrive(*barrier, op.getBarriers(), warps ? warps : barrier->arrivals);
    return success();
  }

  // By its parity: of two phases that have it, nobody can tell which one.
  bool hasEnded(warp::WaitPhaseOp op, const Event &event) {
    std::vector<Barrier> &all = barriers[op.getBarriers().getDefiningOp()];
    if (event.slot < 0 || size_t(event.slot) >= all.size())
      return true; // reported when it is handled
    Barrier &barrier = all[event.slot];
    if ((barrier.ended & 1) == event.phase) {
      barrier.bytes -= std::exchange(barrier.coming, 0);
      endIfDone(barrier, op.getBarriers());
    }
    return (barrier.ended & 1) != event.phase;
  }

  // Who has waited knows what came before the phases that have ended.
  void seePhases(Operation *made, int64_t index) {
    if (index < 0 || size_t(index) >= barriers[made].size())
      return;
    int64_t ended = barriers[made][index].ended;
    auto isSeen = [&](const Phase &phase) {
      return phase.barriers == made && phase.slot == index && phase.index < ended;
    };
    for (auto &[alloc, buffer] : buffers)
      for (SlotState &slot : buffer.slots) {
        if (slot.holds == SlotState::Holds::Block && isSeen(slot.phase))
          slot.holds = SlotState::Holds::Tile;
        llvm::erase_if(slot.readers, [&](Reader &reader) { return llvm::any_of(reader.told, isSeen); });
      }
  }

  unsigned warps;
  llvm::DenseMap<Operation *, BufferState> buffers;
  llvm::DenseMap<Operation *, std::vector<Barrier>> barriers;
  std::vector<Slot> open; // copies since the last commit
  std::deque<std::vector<Slot>> groups;
  std::vector<Slot> openRows;   // copies of rows since threads last arrived for them
  std::deque<int64_t> underWay; // products, the oldest first
};

// As many as hold tiles; 0 where no tile has a layout yet.
unsigned warpsOf(func::FuncOp kernel) {
  unsigned warps = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (warp::hasLayout(type)) {
        warps = 1u << cast<warp::LayoutAttr>(cast<RankedTensorType>(type).getEncoding()).getWarpBits();
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return warps;
}

} // namespace

LogicalResult checkFlight(const Flight &flight, unsigned warps) {
  // Whoever is ahead, and whoever waits.
  for (bool isProducerFirst : {true, false})
    if (failed(Checker(warps).run(flight, isProducerFirst)))
      return failure();
  return success();
}

namespace {

struct VerifyFlightPass : PlanPass<VerifyFlightPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyFlightPass)
  StringRef getArgument() const final { return "warp-verify-flight"; }
  StringRef getDescription() const final {
    return "Check that nothing in shared memory is read before it is there or overwritten while it is read";
  }
  void runOnOperation() final {
    for (int64_t size : {1088, 160, 64, 0})
      if (std::optional<Flight> flight = traceFlight(getOperation(), {.size = size}))
        if (failed(checkFlight(*flight, warpsOf(getOperation()))))
          return signalPassFailure();
  }
};

} // namespace

PassPtr createVerifyFlightPass(const Options &options) { return std::make_unique<VerifyFlightPass>(options); }

} // namespace nereid::gpu
