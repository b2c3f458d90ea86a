#include "gpu/flight/Flight.h"

#include "gpu/layouts/PlanConversion.h"
#include "gpu/products/Operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

constexpr size_t kMostSteps = 1 << 18;

class Tracer {
public:
  explicit Tracer(const Assumed &assumed) : assumed(assumed), size(assumed.size) {}

  std::optional<Flight> run(func::FuncOp kernel) {
    Flight flight;
    for (auto [argument, value] : llvm::zip(kernel.getArguments(), assumed.arguments))
      if (isa<IntegerType>(argument.getType()))
        numbers[argument] = signExtended(value, argument.getType().getIntOrFloatBitWidth());
      else if (isa<tile::PtrType>(argument.getType()))
        numbers[argument] = value;
    events = &flight.before;
    for (Operation &op : kernel.getBody().front()) {
      auto parts = dyn_cast<warp::SpecializeOp>(op);
      if (parts) {
        events = &flight.producer;
        runBlock(parts.getProducer().front());
        events = &flight.consumer;
        runBlock(parts.getConsumer().front());
        events = &flight.after;
      } else {
        step(&op);
      }
    }
    return steps <= kMostSteps ? std::optional(std::move(flight)) : std::nullopt;
  }

private:
  static int64_t signExtended(int64_t value, unsigned bits) {
    return bits < 64 ? int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits) : value;
  }

  void runBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      step(&op);
  }

  void step(Operation *op) {
    if (++steps > kMostSteps)
      return;
    // A tile whose product is under way may be carried on, added to, and awaited; nothing else.
    auto dot = dyn_cast<tile::DotOp>(op);
    for (OpOperand &use : op->getOpOperands())
      if (auto found = products.find(use.get());
          found != products.end() && !isa<scf::ForOp, scf::YieldOp>(op) && !(dot && use.getOperandNumber() == 2))
        add({.op = op, .product = found->second});
    llvm::TypeSwitch<Operation *>(op)
        .Case<scf::ForOp>([&](auto loop) { runLoop(loop); })
        .Case<scf::IfOp>([&](auto branch) { runBranch(branch); })
        .Case<scf::WhileOp>([&](auto loop) { runWhile(loop); })
        .Case<tile::DotOp>([&](auto product) { addProduct(product); })
        .Case<warp::ReadOp>([&](warp::ReadOp read) {
          if (read.use_empty())
            return;
          slots[read.getResult()] = number(read.getSlot());
          if (!isOnlyForTensorCores(read))
            add({.op = op, .slot = number(read.getSlot())});
        })
        .Case<warp::CopyAsyncOp, warp::CopyBlockOp, warp::ExpectOp, warp::ArriveOp>([&](auto each) {
          if (!each.getWhen() || number(each.getWhen()))
            add({.op = op, .slot = number(each.getSlot())});
        })
        .Case<warp::CopyRowsOp, warp::ArriveCopiesOp>(
            [&](auto each) { add({.op = op, .slot = number(each.getSlot())}); })
        .Case<warp::StoreOp>([&](auto store) { add({.op = op, .slot = number(store.getSlot())}); })
        .Case<warp::WaitPhaseOp>(
            [&](auto wait) { add({.op = op, .slot = number(wait.getSlot()), .phase = number(wait.getPhase())}); })
        .Default([&](Operation *other) {
          if (isa_and_nonnull<warp::WarpDialect>(other->getDialect()))
            add({.op = other});
          compute(other);
        });
  }

  void add(Event event) { events->push_back(std::move(event)); }

  void addProduct(tile::DotOp dot) {
    if (warp::instructionOf(dot) != warp::Instruction::Wgmma)
      return;
    Event event{.op = dot, .product = nextProduct++};
    for (unsigned index : {0u, 1u})
      if (std::optional<SharedOperand> operand = sharedOperand(dot->getOperand(index), index)) {
        warp::ReadOp read = operand->read;
        event.reads.push_back({read.getBuffer().getDefiningOp(), slots.lookup(read.getResult())});
      }
    if (dot->hasAttr(warp::kAsyncAttribute))
      products[dot.getResult()] = event.product;
    else
      products.erase(dot.getResult());
    add(std::move(event));
  }

  // ---- Control flow.

  void pass(Value from, Value to) {
    if (isa<IntegerType, IndexType>(to.getType()))
      numbers[to] = number(from);
    auto found = products.find(from);
    if (found == products.end()) {
      products.erase(to);
    } else {
      int64_t product = found->second; // the map may move
      products[to] = product;
    }
  }

  void passAll(ValueRange from, ValueRange to) {
    // At once: one value may take the place of another.
    llvm::SmallVector<std::pair<int64_t, int64_t>> state;
    for (Value value : from) {
      auto product = products.find(value);
      state.push_back({isa<IntegerType, IndexType>(value.getType()) ? number(value) : 0,
                       product == products.end() ? -1 : product->second});
    }
    for (auto [value, known] : llvm::zip(to, state)) {
      if (isa<IntegerType, IndexType>(value.getType()))
        numbers[value] = known.first;
      if (known.second < 0)
        products.erase(value);
      else
        products[value] = known.second;
    }
  }

  void runLoop(scf::ForOp loop) {
    int64_t at = number(loop.getLowerBound()), end = number(loop.getUpperBound()), by = number(loop.getStep());
    bool hasRun = at < end;
    passAll(loop.getInitArgs(), loop.getRegionIterArgs());
    for (; at < end && by > 0 && steps <= kMostSteps; at += by) {
      numbers[loop.getInductionVar()] = at;
      runBlock(*loop.getBody());
      passAll(loop.getYieldedValues(), loop.getRegionIterArgs());
    }
    passAll(loop.getRegionIterArgs(), loop.getResults());
    if (hasRun && loop->hasAttr(warp::kDrainAttribute))
      add({.op = loop});
  }

  void runBranch(scf::IfOp branch) {
    Region &taken = number(branch.getCondition()) ? branch.getThenRegion() : branch.getElseRegion();
    if (taken.empty())
      return;
    runBlock(taken.front());
    passAll(taken.front().getTerminator()->getOperands(), branch.getResults());
  }

  void runWhile(scf::WhileOp loop) {
    passAll(loop.getInits(), loop.getBeforeArguments());
    while (steps <= kMostSteps) {
      runBlock(*loop.getBeforeBody());
      auto condition = loop.getConditionOp();
      if (!number(condition.getCondition()))
        return passAll(condition.getArgs(), loop.getResults());
      passAll(condition.getArgs(), loop.getAfterArguments());
      runBlock(*loop.getAfterBody());
      passAll(loop.getYieldOp()->getOperands(), loop.getBeforeArguments());
    }
  }

  // ---- Scalars.

  int64_t number(Value value) {
    auto known = numbers.find(value);
    return known == numbers.end() ? size : known->second;
  }

  static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
    using P = arith::CmpIPredicate;
    switch (predicate) {
    case P::eq: return a == b;
    case P::ne: return a != b;
    case P::slt: return a < b;
    case P::sle: return a <= b;
    case P::sgt: return a > b;
    case P::sge: return a >= b;
    case P::ult: return uint64_t(a) < uint64_t(b);
    case P::ule: return uint64_t(a) <= uint64_t(b);
    case P::ugt: return uint64_t(a) > uint64_t(b);
    case P::uge: return uint64_t(a) >= uint64_t(b);
    }
    return false;
  }

  // Only sums of pointers that are known are known.
  void computeAddress(tile::AddPtrOp op) {
    auto known = numbers.find(op.getPtr());
    auto type = dyn_cast<tile::PtrType>(op.getType());
    if (known == numbers.end() || !type || !type.getPointee().isIntOrFloat())
      return;
    int64_t address = known->second;
    numbers[op.getResult()] = address + number(op.getOffset()) * bytesInMemory(type.getPointee());
  }

  int64_t loaded(tile::LoadOp op) {
    auto known = numbers.find(op.getPtr());
    bool isThere = assumed.load && known != numbers.end() && (!op.getMask() || number(op.getMask()));
    unsigned bits = op.getType().getIntOrFloatBitWidth();
    std::optional<int64_t> value = isThere ? assumed.load(uint64_t(known->second), (bits + 7) / 8) : std::nullopt;
    return value ? signExtended(*value, bits) : bits == 1 ? 1 : size;
  }

  // What is not computed here is taken to be `size`.
  void compute(Operation *op) {
    if (auto sum = dyn_cast<tile::AddPtrOp>(op))
      return computeAddress(sum);
    if (op->getNumResults() != 1 || !isa<IntegerType, IndexType>(op->getResult(0).getType()))
      return;
    auto operand = [&](unsigned i) { return number(op->getOperand(i)); };
    numbers[op->getResult(0)] =
        llvm::TypeSwitch<Operation *, int64_t>(op)
            .Case<arith::ConstantOp>([&](auto constant) {
              auto value = dyn_cast<IntegerAttr>(constant.getValue());
              return value ? value.getType().isInteger(1) ? int64_t(value.getValue().getBoolValue()) : value.getInt()
                           : size;
            })
            .Case<arith::AddIOp>([&](auto) { return operand(0) + operand(1); })
            .Case<arith::SubIOp>([&](auto) { return operand(0) - operand(1); })
            .Case<arith::MulIOp>([&](auto) { return operand(0) * operand(1); })
            .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return operand(1) ? operand(0) / operand(1) : 0; })
            .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return operand(1) ? operand(0) % operand(1) : 0; })
            .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return std::min(operand(0), operand(1)); })
            .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return std::max(operand(0), operand(1)); })
            .Case<arith::XOrIOp>([&](auto) { return operand(0) ^ operand(1); })
            .Case<arith::AndIOp>([&](auto) { return operand(0) & operand(1); })
            .Case<arith::OrIOp>([&](auto) { return operand(0) | operand(1); })
            .Case<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp, tile::HintOp>(
                [&](auto) { return operand(0); })
            .Case<arith::CmpIOp>(
                [&](auto each) { return int64_t(compare(each.getPredicate(), operand(0), operand(1))); })
            .Case<arith::SelectOp>([&](auto) { return operand(0) ? operand(1) : operand(2); })
            .Case<tile::ProgramIdOp>([&](auto id) { return std::min<int64_t>(1, assumed.grid[id.getAxis()] - 1); })
            .Case<tile::NumProgramsOp>([&](auto programs) { return assumed.grid[programs.getAxis()]; })
            .Case<tile::LoadOp>([&](auto load) { return loaded(load); })
            .Default([&](auto) { return op->getResult(0).getType().isInteger(1) ? 1 : size; });
  }

  const Assumed &assumed;
  int64_t size, nextProduct = 0;
  size_t steps = 0;
  std::vector<Event> *events = nullptr;
  llvm::DenseMap<Value, int64_t> numbers, products, slots;
};

} // namespace

std::optional<Flight> traceFlight(func::FuncOp kernel, const Assumed &assumed) { return Tracer(assumed).run(kernel); }

} // namespace nereid::gpu
