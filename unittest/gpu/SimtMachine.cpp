#include "SimtMachine.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

namespace nereid::gpu {

using namespace llvm;

static unsigned bitsOf(Type *type) {
  Type *scalar = type->getScalarType();
  return scalar->isPointerTy() ? 64 : scalar->getScalarSizeInBits();
}
static uint64_t cut(uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1); }
static int64_t signedOf(uint64_t value, unsigned bits) {
  return bits >= 64 ? int64_t(value) : int64_t(value << (64 - bits)) >> (64 - bits);
}
static bool isSharedPointer(Type *type) { return type->getScalarType()->getPointerAddressSpace() == 3; }

SimtMachine::SimtMachine(Function &function, unsigned count, unsigned sharedBytes, std::vector<uint8_t> &global)
    : function(function), threads(count), shared(sharedBytes, 0xEE), global(global) {
  for (unsigned i = 0; i < count; ++i) {
    threads[i].index = i;
    threads[i].next = function.getEntryBlock().begin();
    threads[i].seen.assign(count + 1, 0);
    threads[i].seen[i] = 1;
  }
}

bool SimtMachine::fail(const std::string &message) {
  if (problem.empty())
    problem = message;
  return false;
}

bool SimtMachine::run(const std::vector<uint64_t> &given) {
  arguments = given;
  for (;;) {
    bool isDone = true;
    for (Thread &thread : threads) {
      runUntilWait(thread);
      isDone &= thread.isDone;
    }
    if (!problem.empty())
      return false;
    if (isDone)
      return true;
    if (!meet())
      return fail("threads wait at different places");
  }
}

// ---- One thread.

SimtMachine::Lanes SimtMachine::valueOf(Thread &thread, const Value *value) {
  unsigned count = 1;
  if (auto *vector = dyn_cast<FixedVectorType>(value->getType()))
    count = vector->getNumElements();
  if (auto *number = dyn_cast<ConstantInt>(value))
    return Lanes(count, number->getValue().getZExtValue());
  if (auto *number = dyn_cast<ConstantFP>(value))
    return Lanes(count, number->getValueAPF().bitcastToAPInt().getZExtValue());
  if (isa<GlobalVariable>(value) || isa<ConstantAggregateZero>(value) || isa<ConstantPointerNull>(value))
    return Lanes(count, 0);
  if (isa<UndefValue>(value)) // poison, too: visible where it is used
    return Lanes(count, cut(0xBADBADBADBADBADBull, bitsOf(value->getType())));
  if (auto *constant = dyn_cast<Constant>(value); constant && isa<FixedVectorType>(value->getType())) {
    Lanes lanes;
    for (unsigned i = 0; i < count; ++i)
      lanes.push_back(scalar(thread, constant->getAggregateElement(i)));
    return lanes;
  }
  if (auto *gep = dyn_cast<GEPOperator>(value); gep && isa<Constant>(value)) {
    APInt offset(64, 0);
    gep->accumulateConstantOffset(function.getParent()->getDataLayout(), offset);
    return {scalar(thread, gep->getPointerOperand()) + offset.getZExtValue()};
  }
  if (auto *expression = dyn_cast<ConstantExpr>(value)) {
    uint64_t left = scalar(thread, expression->getOperand(0));
    bool isSum = expression->getOpcode() == Instruction::Add;
    if (isSum || expression->getOpcode() == Instruction::PtrToInt)
      return {cut(left + (isSum ? scalar(thread, expression->getOperand(1)) : 0), bitsOf(value->getType()))};
  }
  if (auto *argument = dyn_cast<Argument>(value))
    return {arguments[argument->getArgNo()]};
  auto found = thread.values.find(value);
  if (found != thread.values.end())
    return found->second;
  std::string text;
  raw_string_ostream(text) << *value;
  fail("no value for " + text);
  return Lanes(count, 0);
}

static bool isCombined(const CallInst &call) {
  return call.getCalledFunction() && call.getCalledFunction()->getName().starts_with("llvm.nvvm.redux.sync.");
}

static bool isMeeting(const CallInst &call) {
  if (isCombined(call))
    return true;
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
  case Intrinsic::nvvm_shfl_sync_idx_i32:
  case Intrinsic::nvvm_shfl_sync_up_i32:
  case Intrinsic::nvvm_shfl_sync_down_i32:
  case Intrinsic::nvvm_bar_warp_sync:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_count:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all: return true;
  default: {
    StringRef name = call.getCalledFunction() ? call.getCalledFunction()->getName() : "";
    return name.contains("ldmatrix") || name.contains("stmatrix");
  }
  }
}

void SimtMachine::runUntilWait(Thread &thread) {
  while (!thread.isDone && !thread.waitsAt && problem.empty()) {
    Instruction &instruction = *thread.next;
    auto *call = dyn_cast<CallInst>(&instruction);
    if (call && (isMeeting(*call) || (isPhaseWait(*call) && !hasPhaseEnded(thread, *call)))) {
      thread.waitsAt = call;
      return;
    }
    execute(thread, instruction);
  }
}

void SimtMachine::jump(Thread &thread, BasicBlock *from, BasicBlock *to) {
  std::vector<std::pair<const Value *, Lanes>> updates;
  for (PHINode &phi : to->phis())
    updates.push_back({&phi, valueOf(thread, phi.getIncomingValueForBlock(from))});
  for (auto &[phi, lanes] : updates)
    thread.values[phi] = lanes;
  thread.next = to->getFirstNonPHIIt();
}

void SimtMachine::execute(Thread &thread, Instruction &instruction) {
  if (isa<ReturnInst>(instruction)) {
    thread.isDone = true;
    return;
  }
  if (auto *branch = dyn_cast<BranchInst>(&instruction)) {
    unsigned taken = branch->isConditional() && !scalar(thread, branch->getCondition()) ? 1 : 0;
    return jump(thread, branch->getParent(), branch->getSuccessor(taken));
  }
  ++thread.next;
  if (auto *write = dyn_cast<StoreInst>(&instruction)) {
    Type *type = write->getValueOperand()->getType();
    return store(thread, scalar(thread, write->getPointerOperand()), isSharedPointer(write->getPointerOperandType()),
                 (bitsOf(type) + 7) / 8, valueOf(thread, write->getValueOperand()));
  }
  Lanes result = compute(thread, instruction);
  if (!instruction.getType()->isVoidTy())
    thread.values[&instruction] = result;
}

SimtMachine::Lanes SimtMachine::compute(Thread &thread, Instruction &instruction) {
  auto operand = [&](unsigned i) { return valueOf(thread, instruction.getOperand(i)); };
  if (auto *binaryOp = dyn_cast<BinaryOperator>(&instruction))
    return binary(*binaryOp, operand(0), operand(1));
  if (auto *castOp = dyn_cast<CastInst>(&instruction))
    return cast(*castOp, operand(0));
  if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
    return address(thread, *gep);
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return plainCall(thread, *call);
  switch (instruction.getOpcode()) {
  case Instruction::Freeze: return operand(0);
  case Instruction::ExtractElement: return {operand(0)[operand(1)[0]]};
  case Instruction::ExtractValue: return {operand(0)[cast<ExtractValueInst>(instruction).getIndices()[0]]};
  case Instruction::InsertElement: {
    Lanes lanes = operand(0);
    lanes[operand(2)[0]] = operand(1)[0];
    return lanes;
  }
  case Instruction::ShuffleVector: {
    Lanes both = operand(0), right = operand(1), result;
    both.insert(both.end(), right.begin(), right.end());
    for (int lane : cast<ShuffleVectorInst>(instruction).getShuffleMask())
      result.push_back(lane < 0 ? 0xBAD : both[lane]);
    return result;
  }
  case Instruction::Select: {
    Lanes condition = operand(0), yes = operand(1), no = operand(2);
    for (unsigned i = 0; i < yes.size(); ++i)
      if (!condition[condition.size() == 1 ? 0 : i])
        yes[i] = no[i];
    return yes;
  }
  case Instruction::ICmp: {
    auto &compare = cast<ICmpInst>(instruction);
    unsigned bits = bitsOf(compare.getOperand(0)->getType());
    Lanes left = operand(0), right = operand(1);
    for (unsigned i = 0; i < left.size(); ++i)
      left[i] = ICmpInst::compare(APInt(bits, left[i]), APInt(bits, right[i]), compare.getPredicate());
    return left;
  }
  case Instruction::Load: {
    auto &read = cast<LoadInst>(instruction);
    auto *vector = dyn_cast<FixedVectorType>(read.getType());
    return load(thread, scalar(thread, read.getPointerOperand()), isSharedPointer(read.getPointerOperandType()),
                (bitsOf(read.getType()) + 7) / 8, vector ? vector->getNumElements() : 1);
  }
  case Instruction::AtomicRMW: return {addAtomically(thread, ::llvm::cast<AtomicRMWInst>(instruction))};
  default: fail("the simulator does not know `" + std::string(instruction.getOpcodeName()) + "`"); return Lanes(1, 0);
  }
}

uint64_t SimtMachine::addAtomically(Thread &thread, const AtomicRMWInst &op) {
  uint64_t pointer = scalar(thread, op.getPointerOperand()), old = 0;
  unsigned bytes = bitsOf(op.getType()) / 8;
  uint8_t *data = memory(pointer, isSharedPointer(op.getPointerOperand()->getType()), bytes);
  if (!data || op.getOperation() != AtomicRMWInst::Add) {
    fail("the simulator knows no other atomic operation than addition");
    return 0;
  }
  std::memcpy(&old, data, bytes);
  uint64_t sum = old + scalar(thread, op.getValOperand());
  std::memcpy(data, &sum, bytes);
  for (unsigned i = 0; i < bytes; ++i)
    touch(thread, pointer + i, Access::Atomic);
  return old;
}

SimtMachine::Lanes SimtMachine::binary(const BinaryOperator &op, const Lanes &left, const Lanes &right) {
  unsigned bits = bitsOf(op.getType());
  Lanes result;
  for (unsigned i = 0; i < left.size(); ++i) {
    uint64_t a = left[i], b = right[i], value = 0;
    switch (op.getOpcode()) {
    case Instruction::Add: value = a + b; break;
    case Instruction::Sub: value = a - b; break;
    case Instruction::Mul: value = a * b; break;
    case Instruction::And: value = a & b; break;
    case Instruction::Or: value = a | b; break;
    case Instruction::Xor: value = a ^ b; break;
    case Instruction::Shl: value = a << b; break;
    case Instruction::LShr: value = a >> b; break;
    case Instruction::AShr: value = signedOf(a, bits) >> b; break;
    case Instruction::UDiv: value = b ? a / b : 0; break;
    case Instruction::URem: value = b ? a % b : 0; break;
    default: fail("the simulator does not know `" + std::string(op.getOpcodeName()) + "`");
    }
    result.push_back(cut(value, bits));
  }
  return result;
}

SimtMachine::Lanes SimtMachine::cast(const CastInst &op, const Lanes &operand) {
  unsigned from = bitsOf(op.getSrcTy()), to = bitsOf(op.getDestTy());
  Lanes result;
  if (op.getOpcode() == Instruction::BitCast && from != to) {
    // Elements regrouped: little-endian.
    std::vector<uint8_t> bytes;
    for (uint64_t value : operand)
      for (unsigned byte = 0; byte < from / 8; ++byte)
        bytes.push_back(value >> 8 * byte);
    for (unsigned i = 0; i < bytes.size(); i += to / 8) {
      uint64_t value = 0;
      std::memcpy(&value, bytes.data() + i, to / 8);
      result.push_back(value);
    }
    return result;
  }
  for (uint64_t value : operand)
    result.push_back(cut(op.getOpcode() == Instruction::SExt ? uint64_t(signedOf(value, from)) : value, to));
  return result;
}

SimtMachine::Lanes SimtMachine::address(Thread &thread, const GetElementPtrInst &op) {
  const DataLayout &data = function.getParent()->getDataLayout();
  auto *vector = dyn_cast<FixedVectorType>(op.getType());
  Lanes result = valueOf(thread, op.getPointerOperand());
  if (vector)
    result.resize(vector->getNumElements(), result.front());
  for (auto step = gep_type_begin(op), end = gep_type_end(op); step != end; ++step) {
    unsigned bits = bitsOf(step.getOperand()->getType());
    Lanes index = valueOf(thread, step.getOperand());
    int64_t size = data.getTypeAllocSize(step.getIndexedType()).getFixedValue();
    for (unsigned i = 0; i < result.size(); ++i)
      result[i] += signedOf(index[index.size() == 1 ? 0 : i], bits) * size;
  }
  return result;
}

SimtMachine::Lanes SimtMachine::plainCall(Thread &thread, CallInst &call) {
  if (call.isInlineAsm()) {
    runAssembly(thread, call);
    return {0};
  }
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32:
  case Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32: return {0};
  case Intrinsic::nvvm_read_ptx_sreg_tid_x: return {thread.index};
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x: return {0};
  case Intrinsic::ctpop: return {uint64_t(popcount(scalar(thread, call.getArgOperand(0))))};
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::smin:
  case Intrinsic::smax: {
    Lanes left = valueOf(thread, call.getArgOperand(0)), right = valueOf(thread, call.getArgOperand(1));
    auto &choice = cast<MinMaxIntrinsic>(call);
    unsigned bits = bitsOf(call.getType()->getScalarType());
    for (unsigned i = 0; i < left.size(); ++i)
      if (ICmpInst::compare(APInt(bits, right[i]), APInt(bits, left[i]), choice.getPredicate()))
        left[i] = right[i];
    return left;
  }
  case Intrinsic::fma: {
    float numbers[3];
    for (unsigned i = 0; i < 3; ++i) {
      uint64_t bits = scalar(thread, call.getArgOperand(i));
      std::memcpy(&numbers[i], &bits, 4);
    }
    float result = numbers[0] * numbers[1] + numbers[2]; // the tests have whole numbers
    uint64_t bits = 0;
    std::memcpy(&bits, &result, 4);
    return {bits};
  }
  case Intrinsic::assume:
  case Intrinsic::dbg_value: return {0};
  default: break;
  }
  fail("the simulator does not know the call of `" +
       (call.getCalledFunction() ? call.getCalledFunction()->getName().str() : "inline assembly") + "`");
  return Lanes(1, 0);
}

// ---- Memory.

uint8_t *SimtMachine::memory(uint64_t pointer, bool isShared, unsigned bytes) {
  std::vector<uint8_t> &space = isShared ? shared : global;
  uint64_t offset = isShared ? pointer : pointer - kGlobalStart;
  if (offset + bytes > space.size() || offset % bytes) {
    fail("an access of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of " +
         std::to_string(space.size()) + (isShared ? " in shared memory" : " in global memory"));
    return nullptr;
  }
  return space.data() + offset;
}

SimtMachine::Lanes SimtMachine::load(Thread &thread, uint64_t pointer, bool isShared, unsigned bytes, unsigned count) {
  Lanes result(count, 0);
  uint8_t *data = memory(pointer, isShared, bytes * count);
  if (!data)
    return result;
  for (unsigned i = 0; i < count; ++i)
    std::memcpy(&result[i], data + i * bytes, bytes);
  for (unsigned i = 0; isShared && i < bytes * count; ++i)
    touch(thread, pointer + i, Access::Read);
  return result;
}

void SimtMachine::store(Thread &thread, uint64_t pointer, bool isShared, unsigned bytes, const Lanes &values) {
  uint8_t *data = memory(pointer, isShared, bytes * values.size());
  if (!data)
    return;
  std::vector<uint8_t> written(bytes * values.size());
  for (unsigned i = 0; i < values.size(); ++i)
    std::memcpy(written.data() + i * bytes, &values[i], bytes);
  // Threads that hold copies may write the same twice.
  for (unsigned i = 0; isShared && i < written.size(); ++i)
    touch(thread, pointer + i, written[i] == data[i] ? Access::SameAgain : Access::Write);
  std::memcpy(data, written.data(), written.size());
}

void SimtMachine::join(Clock &into, const Clock &from) {
  into.resize(from.size(), 0);
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

// All of them know what each has done so far.
void SimtMachine::meetClocks(ArrayRef<Thread *> met) {
  Clock all;
  for (Thread *thread : met)
    join(all, thread->seen);
  for (Thread *thread : met) {
    thread->seen = all;
    ++thread->seen[thread->index];
  }
}

void SimtMachine::touch(unsigned agent, const Clock &seen, uint64_t address, Access access) {
  ByteHistory &byte = history[address];
  Stamp now{agent, agent < threads.size() ? seen[agent] : engineTime, access};
  auto isOrdered = [&](const Stamp &stamp) { return stamp.agent == agent || seen[stamp.agent] >= stamp.time; };
  auto name = [&](unsigned who) { return who < threads.size() ? std::to_string(who) : std::string("TMA"); };
  auto complain = [&](const Stamp &other, const char *what) {
    fail("race: threads " + name(other.agent) + " and " + name(agent) + " " + what + " byte " +
         std::to_string(address));
  };
  for (const Stamp &write : byte.writes) {
    bool isHarmless = access == Access::SameAgain || (access == Access::Atomic && write.access == Access::Atomic);
    if (!isOrdered(write) && !isHarmless)
      complain(write, access == Access::Read ? "write and read" : "both write");
  }
  if (access == Access::Read) {
    byte.reads.push_back(now);
    return;
  }
  for (const Stamp &read : byte.reads)
    if (!isOrdered(read))
      complain(read, "read and write");
  byte.reads.clear();
  // Writes that may be together stay so: each of them may race with what comes.
  if (access == Access::Write || byte.writes.empty() || isOrdered(byte.writes.front()))
    byte.writes.clear();
  byte.writes.push_back(now);
}

// ---- Where threads meet.

bool SimtMachine::meet() {
  bool hasMet = meetBlock() || meetNamed();
  hasMet |= wakeWaiting();
  for (unsigned warp = 0; warp < threads.size() / 32; ++warp)
    hasMet |= meetWarp(warp);
  return hasMet;
}

bool SimtMachine::meetBlock() {
  for (Thread &thread : threads)
    if (!thread.waitsAt || thread.waitsAt->getIntrinsicID() != Intrinsic::nvvm_barrier_cta_sync_aligned_all ||
        thread.waitsAt != threads.front().waitsAt)
      return false;
  ++barriers;
  std::vector<Thread *> met;
  for (Thread &thread : threads) {
    met.push_back(&thread);
    thread.waitsAt = nullptr;
    ++thread.next;
  }
  meetClocks(met);
  return true;
}

// A barrier of some of the threads: its number, and how many they are.
bool SimtMachine::meetNamed() {
  std::map<uint64_t, std::vector<Thread *>> waiting;
  for (Thread &thread : threads)
    if (thread.waitsAt && thread.waitsAt->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_count)
      waiting[scalar(thread, thread.waitsAt->getArgOperand(0))].push_back(&thread);
  bool hasMet = false;
  for (auto &[number, met] : waiting) {
    if (met.size() != scalar(*met.front(), met.front()->waitsAt->getArgOperand(1)))
      continue;
    hasMet = true;
    ++barriers;
    for (Thread *thread : met) {
      thread->waitsAt = nullptr;
      ++thread->next;
    }
    meetClocks(met);
  }
  return hasMet;
}

bool SimtMachine::meetWarp(unsigned warp) {
  CallInst *call = threads[warp * 32].waitsAt;
  if (!call || call->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_all ||
      call->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_count || isPhaseWait(*call))
    return false;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (threads[warp * 32 + lane].waitsAt != call)
      return false;
  if (call->getIntrinsicID() == Intrinsic::nvvm_bar_warp_sync) {
    std::vector<Thread *> met;
    for (unsigned lane = 0; lane < 32; ++lane)
      met.push_back(&threads[warp * 32 + lane]);
    meetClocks(met);
  } else if (call->getCalledFunction()->getName().contains("shfl")) {
    shuffleLanes(warp, call);
  } else if (isCombined(*call)) {
    combineLanes(warp, call);
  } else {
    moveMatrices(warp, call);
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    threads[warp * 32 + lane].waitsAt = nullptr;
    ++threads[warp * 32 + lane].next;
  }
  return true;
}

// Where a lane to read from would lie outside of the warp, each keeps its own.
static unsigned sourceOf(const CallInst &call, unsigned lane, unsigned number) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_shfl_sync_bfly_i32: return (lane ^ number) & 31;
  case Intrinsic::nvvm_shfl_sync_up_i32: return lane >= number ? lane - number : lane;
  case Intrinsic::nvvm_shfl_sync_down_i32: return lane + number < 32 ? lane + number : lane;
  default: return number & 31;
  }
}

static uint32_t combined(const CallInst &call, uint32_t a, uint32_t b) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_redux_sync_add: return a + b;
  case Intrinsic::nvvm_redux_sync_and: return a & b;
  case Intrinsic::nvvm_redux_sync_or: return a | b;
  case Intrinsic::nvvm_redux_sync_xor: return a ^ b;
  case Intrinsic::nvvm_redux_sync_max: return uint32_t(std::max(int32_t(a), int32_t(b)));
  case Intrinsic::nvvm_redux_sync_min: return uint32_t(std::min(int32_t(a), int32_t(b)));
  case Intrinsic::nvvm_redux_sync_umax: return std::max(a, b);
  default: return std::min(a, b);
  }
}

void SimtMachine::combineLanes(unsigned warp, CallInst *call) {
  uint32_t all = uint32_t(scalar(threads[warp * 32], call->getArgOperand(0)));
  for (unsigned lane = 1; lane < 32; ++lane)
    all = combined(*call, all, uint32_t(scalar(threads[warp * 32 + lane], call->getArgOperand(0))));
  for (unsigned lane = 0; lane < 32; ++lane)
    threads[warp * 32 + lane].values[call] = {all};
}

void SimtMachine::shuffleLanes(unsigned warp, CallInst *call) {
  Lanes offered, from;
  for (unsigned lane = 0; lane < 32; ++lane) {
    Thread &thread = threads[warp * 32 + lane];
    offered.push_back(scalar(thread, call->getArgOperand(1)));
    from.push_back(sourceOf(*call, lane, unsigned(scalar(thread, call->getArgOperand(2)))));
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    threads[warp * 32 + lane].values[call] = {offered[from[lane]]};
}

// ldmatrix and stmatrix: lane 8 m + r names row r of matrix m; in it lane l has the 32 bits of row l / 4 from column
// 2 (l % 4) on, or with .trans the elements of column l / 4 in the rows 2 (l % 4) and 2 (l % 4) + 1.
void SimtMachine::moveMatrices(unsigned warp, CallInst *call) {
  StringRef name = call->getCalledFunction()->getName();
  bool isStore = name.contains("stmatrix"), isTransposed = name.contains("trans");
  unsigned matrices = name.contains(".x4") ? 4 : name.contains(".x2") ? 2 : 1;
  Lanes rows;
  for (unsigned lane = 0; lane < 32; ++lane) {
    rows.push_back(scalar(threads[warp * 32 + lane], call->getArgOperand(0)));
    if (lane < matrices * 8 && rows.back() % 16)
      fail("a row of a matrix is not aligned to 16 bytes");
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    Thread &thread = threads[warp * 32 + lane];
    Lanes words(matrices, 0);
    for (unsigned matrix = 0; matrix < matrices; ++matrix)
      for (unsigned half = 0; half < 2; ++half) {
        unsigned row = isTransposed ? lane % 4 * 2 + half : lane / 4,
                 column = isTransposed ? lane / 4 : lane % 4 * 2 + half;
        uint64_t address = rows[matrix * 8 + row] + column * 2;
        if (isStore)
          store(thread, address, true, 2, {scalar(thread, call->getArgOperand(1 + matrix)) >> 16 * half & 0xFFFF});
        else
          words[matrix] |= load(thread, address, true, 2, 1)[0] << 16 * half;
      }
    if (!isStore)
      thread.values[call] = words;
  }
}

} // namespace nereid::gpu
