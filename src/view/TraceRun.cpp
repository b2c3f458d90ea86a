#include "view/TraceRun.h"

#include "interp/Control.h"
#include "interp/Interp.h"
#include "interp/Program.h"
#include "jit/Report.h"
#include "lang/emit/EmitNotes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace nereid::view {

using ProgramRef = std::shared_ptr<const interp::Program>;

static uint64_t numberOf(const std::array<uint32_t, 3> &program, const std::array<uint32_t, 3> &grid) {
  return program[0] + uint64_t(grid[0]) * (program[1] + uint64_t(grid[1]) * program[2]);
}

std::vector<std::array<uint32_t, 3>> choosePrograms(const std::array<uint32_t, 3> &grid,
                                                    const std::vector<std::array<uint32_t, 3>> &asked) {
  if (!grid[0] || !grid[1] || !grid[2])
    return {};
  std::vector<std::array<uint32_t, 3>> chosen = asked;
  chosen.push_back({0, 0, 0});
  chosen.push_back({grid[0] / 2, grid[1] / 2, grid[2] / 2});
  chosen.push_back({grid[0] - 1, grid[1] - 1, grid[2] - 1});
  std::ranges::sort(chosen, {}, [&](const auto &program) { return numberOf(program, grid); });
  auto [last, end] = std::ranges::unique(chosen);
  chosen.erase(last, end);
  return chosen;
}

static Result<ProgramRef> translateWithNotes(const TraceRequest &request) {
  compiler::Compiler &compiler = request.module.compiler;
  compiler::TileModule tile;
  tile.module = lang::emitKernelWithNotes(compiler.context(), compiler.session(), *request.binding.kernel,
                                          request.specialization.specs, request.binding.options);
  if (!tile.module)
    return request.module.takeError();
  runtime::Failure failure;
  ProgramRef program = interp::translate(tile.kernel(), failure);
  if (!program)
    return Error{Status::BadInput, jit::renderFailure(request.module, failure)};
  return program;
}

// Whether programs wait for each other: then all of them must run.
static bool waitsForOthers(const interp::Program &program) {
  auto waits = [](const interp::Block &block) {
    return std::ranges::any_of(block.instructions, [&](const interp::Instruction &instruction) {
      auto *loop = dynamic_cast<const interp::WhilePayload *>(instruction.payload);
      return loop && loop->canSpin;
    });
  };
  bool polls = std::ranges::any_of(program.facts,
                                   [](const interp::Fact &fact) { return fact.flow == interp::Flow::AtomicPoll; });
  return polls || waits(program.body) || std::ranges::any_of(program.blocks, waits);
}

namespace {

// Programs that are of interest besides the chosen ones: how they walk over the tensors.
constexpr uint64_t kMostPrograms = 4096;

class Run {
public:
  Run(const TraceRequest &request, const ProgramRef &program, interp::TraceOptions options)
      : request(request), program(program), options(std::move(options)), tracer(prepared(), trace) {}

  interp::Trace run() {
    trace.programs.reserve(options.programs.size());
    if (options.runsAll) {
      launch({});
      return std::move(trace);
    }
    uint64_t total = uint64_t(request.grid[0]) * request.grid[1] * request.grid[2];
    std::set<uint32_t> wanted;
    for (const auto &each : options.programs)
      wanted.insert(uint32_t(numberOf(each, request.grid)));
    if (options.mostBoxes)
      for (uint64_t i = 0; i < std::min(total, kMostPrograms); ++i)
        wanted.insert(uint32_t(i));
    // A launch ends with a program that is cut; the next one goes on behind it.
    while (!wanted.empty() && !trace.failure) {
      size_t before = wanted.size();
      launch({wanted.begin(), wanted.end()});
      std::erase_if(wanted,
                    [&](uint32_t number) { return tracer.isDone(number) || (tracer.isEnough() && !isChosen(number)); });
      if (wanted.size() == before)
        break;
    }
    return std::move(trace);
  }

private:
  const interp::TraceOptions &prepared() {
    options.runsAll = waitsForOthers(*program);
    return options;
  }

  bool isChosen(uint32_t number) const {
    return std::ranges::any_of(options.programs,
                               [&](const auto &each) { return numberOf(each, request.grid) == number; });
  }

  void launch(std::vector<uint32_t> programs) {
    interp::LaunchOptions launched;
    launched.grid = request.grid;
    launched.programs = std::move(programs);
    launched.limits = request.settings.limits;
    launched.allocations = request.specialization.allocations;
    launched.observer = &tracer;
    launched.output = [&](std::string_view text) { trace.output += text; };
    trace.failure = interp::run(*program, request.specialization.arguments, launched).failure;
  }

  const TraceRequest &request;
  const ProgramRef &program;
  interp::TraceOptions options;
  interp::Trace trace;
  interp::Tracer tracer;
};

} // namespace

Result<interp::Trace> traceLaunch(const TraceRequest &request, interp::TraceOptions options) {
  Result<ProgramRef> program = translateWithNotes(request);
  if (!program)
    return program.error();
  return Run(request, *program, std::move(options)).run();
}

KeptMemory::KeptMemory(const std::vector<runtime::Allocation> &tensors) {
  for (const runtime::Allocation &tensor : tensors) {
    auto *from = static_cast<const std::byte *>(tensor.data);
    kept.emplace_back(tensor, std::vector<std::byte>(from, from + tensor.bytes));
  }
}

void KeptMemory::restore() const {
  for (const auto &[tensor, bytes] : kept) // what has not changed may lie where nobody may write
    if (!bytes.empty() && std::memcmp(tensor.data, bytes.data(), bytes.size()) != 0)
      std::memcpy(tensor.data, bytes.data(), bytes.size());
}

} // namespace nereid::view
