// Launch.cpp: workers, turns and failures of one run of a grid.
#include "interp/Launch.h"

#include "interp/Elementwise.h"
#include "interp/check/Checker.h"
#include "runtime/cpu/Kernel.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace nereid::interp {

// Programs that may wait for each other at the same time; each has a thread and a frame.
static constexpr size_t kMaxLive = 1024;
// Turns that may pass round without any change that counts before the launch is said to hang.
static constexpr uint64_t kMaxIdleTurns = 2000;
static constexpr auto kMaxIdleTime = std::chrono::seconds(20);

Launch::Launch(const Program &program, const std::vector<Argument> &arguments, const LaunchOptions &options)
    : program(program), arguments(arguments), options(options), allocations(options.allocations),
      watch(options.limits) {
  std::sort(allocations.begin(), allocations.end(),
            [](const Allocation &a, const Allocation &b) { return a.data < b.data; });
  if (options.check)
    checker = std::make_unique<Checker>(program, *this, *options.check);
  observer = checker ? checker.get() : options.observer;
}

Launch::~Launch() = default;

const Allocation *Launch::nearest(uint64_t address) const {
  auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                [](uint64_t address, const Allocation &allocation) {
                                  return address < reinterpret_cast<uint64_t>(allocation.data);
                                });
  if (after == allocations.begin())
    return after == allocations.end() ? nullptr : &*after;
  auto before = std::prev(after);
  uint64_t end = reinterpret_cast<uint64_t>(before->data) + before->bytes;
  if (after == allocations.end() || address < end || address - end <= reinterpret_cast<uint64_t>(after->data) - address)
    return &*before;
  return &*after;
}

const Allocation *Launch::find(uint64_t address, size_t bytes) const {
  const Allocation *near = nearest(address);
  if (!near)
    return nullptr;
  uint64_t offset = address - reinterpret_cast<uint64_t>(near->data);
  return offset < near->bytes && bytes <= near->bytes - offset ? near : nullptr;
}

bool Launch::goesOn(Machine &machine, const Instruction *instruction) {
  if (mustStop())
    return false;
  if (!watch.state().stop.load(std::memory_order_relaxed) || watch.goesOn())
    return true;
  Failure ended{Failure::Kind::Cancelled, cpu::describe(watch.cause(), options.limits.timeout), {}, machine.program};
  if (instruction)
    ended.place = program.placeOf(*instruction);
  report(ended);
  return false;
}

void Launch::report(const Failure &failure) {
  std::lock_guard lock(mutex);
  if (!firstFailure)
    firstFailure = failure;
  stop = true;
  turnChanged.notify_all();
}

void Launch::write(const std::string &text) {
  if (text.empty())
    return;
  std::lock_guard lock(mutex);
  if (options.output)
    options.output(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

Failure Launch::checkArguments() const {
  auto bad = [](std::string message) { return Failure{Failure::Kind::BadLaunch, std::move(message), {}, {}}; };
  if (arguments.size() != program.parameters.size())
    return bad("the kernel takes " + std::to_string(program.parameters.size()) + " arguments, got " +
               std::to_string(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    unsigned rank = program.parameters[i].rank;
    if (arguments[i].shape.size() != rank || arguments[i].strides.size() != rank)
      return bad("argument " + std::to_string(i) + " needs " + std::to_string(rank) + " extents and strides, got " +
                 std::to_string(arguments[i].shape.size()) + " and " + std::to_string(arguments[i].strides.size()));
  }
  if (options.shuffleSeed && total > (uint64_t(1) << 28))
    return bad("a grid of " + std::to_string(total) + " programs is too large to shuffle");
  return {};
}

void Launch::placeConstants(Machine &machine, std::byte *frame) const {
  machine.frame = frame;
  for (const Constant &constant : program.constants)
    for (uint32_t i = 0; i < constant.repeat; ++i)
      std::memcpy(frame + constant.offset + i * constant.pattern.size(), constant.pattern.data(),
                  constant.pattern.size());
}

// Constants and arguments stay in the frame from one program to the next.
void Launch::prepare(Machine &machine, std::byte *frame) const {
  placeConstants(machine, frame);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Slot &slot = program.parameters[i].slot;
    const Argument &argument = arguments[i];
    if (slot.element == Element::I1) {
      *machine.at<bool>(slot.offset) = argument.value & 1;
    } else if (slot.element == Element::Descriptor) {
      auto &descriptor = *machine.at<Descriptor>(slot.offset);
      descriptor = {argument.value, {}, {}, uint8_t(argument.shape.size()), argument.padding == Padding::NaN};
      std::copy(argument.shape.begin(), argument.shape.end(), descriptor.shape);
      std::copy(argument.strides.begin(), argument.strides.end(), descriptor.strides);
    } else {
      std::memcpy(frame + slot.offset, &argument.value, byteSize(slot.element));
    }
  }
}

// A Fisher-Yates shuffle with its own generator (splitmix64), so that a seed means the same order everywhere.
void Launch::orderPrograms() {
  if (!options.programs.empty()) {
    order = options.programs;
    total = order.size();
    return;
  }
  if (!options.shuffleSeed)
    return;
  order.resize(total);
  for (uint64_t i = 0; i < total; ++i)
    order[i] = uint32_t(i);
  uint64_t state = *options.shuffleSeed;
  for (uint64_t i = total; i > 1; --i) {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    std::swap(order[i - 1], order[(z ^ (z >> 31)) % i]);
  }
}

bool Launch::nextProgram(std::array<uint32_t, 3> &program) {
  uint64_t index = next.fetch_add(1);
  if (index >= total)
    return false;
  if (!order.empty())
    index = order[index];
  uint64_t plane = uint64_t(options.grid[0]) * options.grid[1];
  program = {uint32_t(index % options.grid[0]), uint32_t(index % plane / options.grid[0]), uint32_t(index / plane)};
  return true;
}

void Launch::waitForTurn(std::unique_lock<std::mutex> &lock, unsigned turnId) {
  turnChanged.wait(lock, [&] { return turn == turnId || stop; });
}

namespace {

// Zeroed memory for the values of one program, at a multiple of 64.
class FrameMemory {
public:
  explicit FrameMemory(size_t bytes) : memory(static_cast<std::byte *>(std::calloc(bytes + 64, 1)), &std::free) {}
  explicit operator bool() const { return memory != nullptr; }
  std::byte *begin() const { return memory.get() + (64 - reinterpret_cast<uintptr_t>(memory.get()) % 64) % 64; }

private:
  std::unique_ptr<std::byte, decltype(&std::free)> memory;
};

Failure outOfMemory(size_t bytes) {
  return {Failure::Kind::BadLaunch, "not enough memory: a program needs " + std::to_string(bytes) + " bytes", {}, {}};
}

} // namespace

void Launch::runProgram(Machine &machine) {
  if (observer)
    observer->beginProgram(machine);
  machine.execute(program.body);
  if (observer)
    observer->endProgram(machine);
}

void Launch::work(unsigned turnId) {
  if (takesTurns) {
    std::unique_lock lock(mutex);
    waitForTurn(lock, turnId);
  }
  Machine machine{program, *this};
  FrameMemory memory(program.frameBytes), shadow(observer && observer->needsShadow() ? program.frameBytes : 0);
  if (!memory || !shadow) {
    report(outOfMemory(program.frameBytes));
  } else {
    prepare(machine, memory.begin());
    if (observer) {
      machine.shadow = observer->needsShadow() ? shadow.begin() : nullptr;
      machine.observer = observer;
      observer->prepare(machine);
    }
    while (goesOn(machine, nullptr) && nextProgram(machine.program)) {
      machine.steps = machine.spins = 0;
      machine.promisesHold = true;
      runProgram(machine);
      write(machine.output);
      machine.output.clear();
      if (machine.stopped) {
        if (machine.failure)
          report(machine.failure);
        break;
      }
      finished.fetch_add(1);
      noteProgress();
    }
  }
  if (!takesTurns)
    return;
  std::lock_guard lock(mutex);
  auto me = std::find(live.begin(), live.end(), turnId);
  auto after = live.erase(me);
  if (!live.empty())
    turn = after == live.end() ? live.front() : *after;
  turnChanged.notify_all();
}

// Call with the mutex held. False when the system has no thread left.
bool Launch::startWorker() {
  unsigned id = nextTurnId++;
  try {
    threads.emplace_back([this, id] { work(id); });
  } catch (const std::system_error &) {
    return false;
  }
  live.push_back(id);
  return true;
}

bool Launch::failDeadlock(Machine &machine, const Instruction &instruction) {
  machine.fail(Failure::Kind::Deadlock, instruction,
               "this program waits here for a value that no other program writes");
  return false;
}

bool Launch::passTurn(Machine &machine, const Instruction &instruction) {
  std::unique_lock lock(mutex);
  unsigned me = turn;
  if (next.load() < total && live.size() < kMaxLive && startWorker()) {
    // One more program is under way, and gets its turn.
  } else if (++machine.spins > kMaxIdleTurns) {
    lock.unlock();
    return failDeadlock(machine, instruction);
  } else if (live.size() == 1) {
    // Nobody else can change what this program waits for, but it may do so itself: it gets some more trips.
    return true;
  }
  auto after = std::next(std::find(live.begin(), live.end(), me));
  turn = after == live.end() ? live.front() : *after;
  turnChanged.notify_all();
  waitForTurn(lock, me);
  return !stop;
}

bool Launch::waitBesideOthers(Machine &machine, const Instruction &instruction) {
  std::this_thread::yield();
  if (!goesOn(machine, &instruction))
    return false;
  if (machine.spins++ % 256 != 0)
    return true;
  auto now = std::chrono::steady_clock::now();
  if (machine.spins == 1)
    machine.idleSince = now;
  if (now - machine.idleSince > kMaxIdleTime)
    return failDeadlock(machine, instruction);
  std::lock_guard lock(mutex);
  if (next.load() < total && threads.size() < kMaxLive && !stop)
    startWorker();
  return !stop;
}

bool Launch::giveWay(Machine &machine, const Instruction &instruction) {
  // A trip that changed something, here or in another program, is not idle.
  if (uint64_t now = progress.load(); now != machine.seenProgress) {
    machine.seenProgress = now;
    machine.spins = 0;
    return true;
  }
  bool goesOn = takesTurns ? passTurn(machine, instruction) : waitBesideOthers(machine, instruction);
  machine.stopped |= !goesOn;
  return goesOn;
}

LaunchResult Launch::run() {
  LaunchResult result;
  uint64_t plane = uint64_t(options.grid[0]) * options.grid[1];
  if (options.grid[2] && plane > (uint64_t(1) << 62) / options.grid[2]) {
    result.failure = {Failure::Kind::BadLaunch, "the grid is too large", {}, {}};
    return result;
  }
  total = plane * options.grid[2];
  if ((result.failure = checkArguments()))
    return result;
  orderPrograms();
  if (observer)
    observer->begin(program, *this);
  unsigned workers = options.threads            ? options.threads
                     : program.isOrderSensitive ? 1
                                                : std::max(1u, std::thread::hardware_concurrency());
  workers = unsigned(std::min<uint64_t>({observer ? 1 : workers, std::max<uint64_t>(total, 1), kMaxLive}));
  takesTurns = workers == 1;
  {
    std::lock_guard lock(mutex);
    for (unsigned i = 1; i < workers; ++i)
      startWorker();
    if (takesTurns)
      live.push_back(nextTurnId++);
  }
  work(0);
  // Workers may start others while they wait, so take them from the list one by one.
  for (std::unique_lock lock(mutex); !threads.empty();) {
    std::thread thread = std::move(threads.front());
    threads.pop_front();
    lock.unlock();
    thread.join();
    lock.lock();
  }
  result.failure = firstFailure;
  result.programsRun = finished;
  if (checker)
    result.reports = checker->takeReports();
  return result;
}

LaunchResult run(const Program &program, const std::vector<Argument> &arguments, const LaunchOptions &options) {
  return Launch(program, arguments, options).run();
}

// One operation runs here and now: nobody else takes turns, and what it waits for no one writes.
Failure Launch::evaluate(std::span<const void *const> inputs, std::span<void *const> outputs,
                         const std::array<uint32_t, 3> &index) {
  FrameMemory memory(program.frameBytes);
  if (!memory)
    return outOfMemory(program.frameBytes);
  live.push_back(nextTurnId++);
  Machine machine{program, *this};
  machine.program = index;
  placeConstants(machine, memory.begin());
  for (size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(machine.frame + program.parameters[i].slot.offset, inputs[i], program.parameters[i].slot.bytes());
  machine.execute(program.body);
  write(machine.output);
  if (machine.failure)
    return machine.failure;
  for (size_t i = 0; i < outputs.size(); ++i)
    std::memcpy(outputs[i], machine.frame + program.results[i].offset, program.results[i].bytes());
  return {};
}

Failure evaluate(const Program &program, std::span<const void *const> inputs, std::span<void *const> outputs,
                 const std::array<uint32_t, 3> &index, const LaunchOptions &options) {
  static const std::vector<Argument> kNone;
  return Launch(program, kNone, options).evaluate(inputs, outputs, index);
}

std::vector<size_t> parameterBytes(const Program &program) {
  std::vector<size_t> bytes;
  for (const Parameter &parameter : program.parameters)
    bytes.push_back(parameter.slot.bytes());
  return bytes;
}

std::vector<size_t> resultBytes(const Program &program) {
  std::vector<size_t> bytes;
  for (const Slot &slot : program.results)
    bytes.push_back(slot.bytes());
  return bytes;
}

void runNumPrograms(Machine &machine, const Instruction &instruction) {
  auto axis = static_cast<const NumberPayload &>(*instruction.payload).value;
  std::fill_n(machine.at<uint32_t>(instruction.result), machine.countOf(instruction),
              machine.launch.launchOptions().grid[axis]);
}

} // namespace nereid::interp
