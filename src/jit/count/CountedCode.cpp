#include "jit/count/CountedCode.h"

#include "compiler/Compile.h"
#include "interp/ptx/Fp32Work.h"
#include "jit/Obtain.h"
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/CodeBytes.h"

#include <algorithm>
#include <future>

namespace nereid::jit {

static constexpr uint32_t kSystemShared = 1024; // bytes that the system takes for each program

static void findOccupancy(CountedCode &code, const DeviceRow &device) {
  constexpr uint32_t kRegisterUnit = 8; // registers of a warp go together
  uint32_t resident = UINT32_MAX;
  auto limit = [&](uint32_t fits, const char *what) {
    if (fits < resident) {
      resident = fits;
      code.limitedBy = what;
    }
  };
  if (device.programs)
    limit(device.programs, "programs");
  if (device.threads && code.threads)
    limit(device.threads / code.threads, "threads");
  if (device.sharedBytes)
    limit(device.sharedBytes / (code.sharedBytes + kSystemShared), "shared memory");
  if (code.registers && code.threads) {
    uint32_t each = (code.registers + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
    limit(device.registers / (each * code.threads), "registers");
  }
  code.residentPrograms = resident == UINT32_MAX ? 1 : std::max<uint32_t>(1, resident);
  if (device.threads)
    code.occupancy = std::min(1.0, double(code.residentPrograms) * code.threads / device.threads);
}

uint64_t firstCacheBytes(const CountedCode &code, const DeviceRow &device) {
  // Shared memory is a part of the same memory, in one of these sizes.
  constexpr uint64_t kKilobyte = 1024, kSizes[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  uint64_t needed = uint64_t(code.residentPrograms) * (code.sharedBytes + kSystemShared), taken = needed;
  for (uint64_t size : kSizes)
    if (size * kKilobyte >= needed) {
      taken = size * kKilobyte;
      break;
    }
  return device.firstCacheBytes > taken ? device.firstCacheBytes - taken : 0;
}

static void keepLines(CountedCode &code) {
  const std::vector<std::string> &files = code.followed->kernel.files;
  code.executed.clear();
  for (const interp::ptx::WalkedLine &line : code.walked->lines)
    code.executed.push_back({line.file < files.size() ? files[line.file] : "", line.line, line.counts});
}

static void walkAll(CountedCode &code) {
  auto &[kernel, options, memory] = *code.followed;
  interp::ptx::Walked walked = interp::ptx::walk(kernel, options, memory);
  if (!walked.isWhole)
    return;
  code.walked = std::move(walked);
  keepLines(code);
}

// The walk did not need to wait for the assembler; what an instruction is on the machine is known only now.
static void takeMachineCode(CountedCode &code, std::span<const cuda::Fp32Line> fp32Lines) {
  if (!code.followed)
    return;
  std::vector<interp::ptx::AssembledLine> lines;
  for (auto [line, instructions, guarded] : fp32Lines)
    lines.push_back({line, instructions, guarded});
  interp::ptx::takeAssembled(code.followed->kernel, lines);
  if (!code.walked)
    return;
  interp::ptx::countWork(code.followed->kernel, *code.walked);
  keepLines(code);
}

// Before the launch has written anything: loops may depend on the tensors.
static void follow(CountedCode &code, const cuda::Artifact &artifact, const Specialization &specialization,
                   const std::array<uint32_t, 3> &grid) {
  std::string problem;
  std::optional<interp::ptx::Kernel> kernel = interp::ptx::readKernel(artifact.ptx, artifact.name, problem);
  if (!kernel)
    return;
  code.followed = std::make_shared<CountedCode::Followed>();
  code.followed->kernel = std::move(*kernel);
  interp::ptx::WalkOptions &options = code.followed->options;
  options.grid = grid;
  options.threads = artifact.threads;
  for (const cuda::Parameter &parameter : artifact.parameters) {
    bool isWord = parameter.kind == cuda::Parameter::Kind::Word && parameter.index < specialization.arguments.size();
    options.parameters.push_back(isWord ? specialization.arguments[parameter.index].value : 0);
  }
  for (const runtime::Allocation &allocation : specialization.allocations) {
    auto begin = reinterpret_cast<uint64_t>(allocation.data);
    code.followed->memory.allow(begin, begin + allocation.bytes);
  }
  walkAll(code);
}

void followAgain(CountedCode &code, std::span<const interp::ReadOfWritten> reads) {
  bool isOther = false;
  for (const interp::ReadOfWritten &read : reads)
    isOther |= code.followed && code.followed->memory.learn(read.program, read.address, read.value, read.isAtomic);
  if (isOther)
    walkAll(code);
}

// Registers come from the assembler, and differ from one assembler to another.
static std::string cacheTarget(const gpu::Target &target, const Assembling &assembling) {
  return "count " + target.name + (assembling.isAsked() ? " by " + cuda::describeAssembler() : "");
}

// What the assembler says of all products, at each of them.
static std::string remarksOnProducts(const gpu::CodeFacts &facts, std::string_view assembler) {
  std::string remarks;
  if (assembler.find("wgmma.mma_async instructions are serialized") == assembler.npos)
    return remarks;
  for (const gpu::ProductFact &product : facts.products)
    if (product.instruction == "wgmma")
      remarks += product.place.file + ":" + std::to_string(product.place.line) + ":" +
                 std::to_string(product.place.column) +
                 ": remark: products wait for each other: the assembler found their sums changed while they run\n";
  return remarks;
}

Result<CountedCode> codeFor(KernelModule &module, const Binding &binding, const std::array<uint32_t, 3> &grid,
                            const gpu::Target &target, const DeviceRow &device, const Assembling &assembling) {
  Result<Specialization> specialization = specialize(binding);
  if (!specialization)
    return specialization.error();
  CountedCode code;
  bool isFollowed = false;
  CompileCountCode compile = [&](KernelModule &, const CodeRequest &) -> Result<CountCode> {
    Result<TileCode> tile = emitTile(module, binding, *specialization); // its warnings are the launch's
    if (!tile)
      return tile.error();
    compiler::CodeOptions options{.shape = binding.options.shape,
                                  .choices = binding.choices,
                                  .usesTensorMaps = specialization->usesTensorMaps,
                                  .remarks = true};
    CountCode made;
    Result<cuda::Artifact> artifact =
        compiler::compileGpu(std::move(tile->tile), target, options, &made.artifact.facts);
    if (!artifact)
      return artifact.error();
    made.artifact.code = std::move(*artifact);
    // The assembler is a process of its own: warps are followed meanwhile.
    std::future<Result<cuda::Assembled>> assembled;
    const cuda::Artifact &ptx = made.artifact.code;
    if (assembling.isAsked())
      assembled = std::async(std::launch::async, [&] {
        cuda::AssembleRequest request = compiler::assembleRequest(ptx.name, ptx);
        return cuda::assemble(request); // with lines: fp32LinesOf asks for them
      });
    follow(code, ptx, *specialization, grid);
    isFollowed = true;
    if (Result<cuda::Assembled> result = assembled.valid() ? assembled.get() : Error{}) {
      made.artifact.code.resources = result->resources;
      made.artifact.codeBytes = cuda::codeBytesOf(result->image);
      made.artifact.fp32Lines = cuda::fp32LinesOf(result->image);
      made.artifact.code.remarks += remarksOnProducts(made.artifact.facts, result->remarks);
    }
    return made;
  };
  Result<CountCode> found =
      obtainCode(module, {binding, *specialization, cacheTarget(target, assembling)}, DiskCache::shared(), compile);
  if (!found)
    return found.error();
  const cuda::Artifact &artifact = found->artifact.code;
  if (!isFollowed)
    follow(code, artifact, *specialization, grid);
  takeMachineCode(code, assembling.isAsked() ? found->artifact.fp32Lines : assembling.fp32Lines);
  code.facts = std::move(found->artifact.facts);
  code.codeBytes = found->artifact.codeBytes;
  code.remarks = artifact.remarks;
  code.threads = artifact.threads;
  code.sharedBytes = artifact.sharedBytes + artifact.resources.sharedBytes;
  code.registers = assembling.isAsked() ? artifact.resources.registers : assembling.registers;
  code.spillBytes = assembling.isAsked() ? artifact.resources.localBytes : assembling.spillBytes;
  findOccupancy(code, device);
  return code;
}

std::vector<interp::AccessPlan> plansOf(const gpu::CodeFacts &facts) {
  std::vector<interp::AccessPlan> plans;
  for (const gpu::AccessFact &fact : facts.accesses)
    plans.push_back({fact.place.file, fact.place.line, fact.place.column, fact.isWrite, fact.elements, fact.order,
                     fact.requestElements, fact.repeats, fact.goesAroundFirstCache});
  return plans;
}

static std::string describe(const gpu::AccessFact &fact) {
  using Kind = gpu::AccessFact::Kind;
  std::string bytes = std::to_string(fact.accessBytes) + " bytes";
  std::string ring =
      fact.slots > 1 ? ", " + std::to_string(fact.slots) + " tiles in a ring: they come ahead of their use" : "";
  switch (fact.kind) {
  case Kind::Block: return (fact.isWrite ? "TMA writes " : "TMA reads ") + bytes + ring;
  case Kind::AsyncCopy: return "cp.async of " + bytes + " a thread" + ring;
  case Kind::Threads: break;
  }
  if (fact.isScalar)
    return std::string(fact.isAtomic  ? "one thread changes "
                       : fact.isWrite ? "one thread writes "
                                      : "every warp reads ") +
           bytes;
  return std::string(fact.isAtomic ? "atomics" : fact.isWrite ? "writes" : "reads") + " of " + bytes + " a thread";
}

static std::string describe(const gpu::ProductFact &fact) {
  std::string shape;
  for (int64_t extent : fact.shape)
    shape += (shape.empty() ? "" : "x") + std::to_string(extent);
  return "a product of " + shape + " by " + fact.instruction;
}

static std::string describe(const gpu::MoveFact &fact) {
  using Kind = gpu::MoveFact::Kind;
  std::string through = std::to_string(fact.sharedBytes) + " bytes of shared memory";
  if (fact.conflicts)
    through +=
        ", " + std::to_string(fact.conflicts) + " bank conflicts in " + std::to_string(fact.accesses) + " accesses";
  if (fact.barriers)
    through += fact.barriers == 1 ? ", a barrier" : ", " + std::to_string(fact.barriers) + " barriers";
  switch (fact.kind) {
  case Kind::Registers: return "a tile changes its layout inside of threads";
  case Kind::Shuffles: return "a tile changes its layout by " + std::to_string(fact.shuffles) + " shuffles a thread";
  case Kind::Shared: return "a tile changes its layout through " + through;
  case Kind::ToBuffer: return "a tile goes to " + through;
  case Kind::FromBuffer: return "a tile comes from " + through;
  }
  return {};
}

// "kernel.py:98:17: remark: this product does not use wgmma: …"
static std::vector<CountedCode::Note> notesOf(std::string_view remarks) {
  constexpr std::string_view kMark = ": remark: ";
  std::vector<CountedCode::Note> notes;
  while (!remarks.empty()) {
    std::string_view line = remarks.substr(0, remarks.find('\n'));
    remarks.remove_prefix(std::min(line.size() + 1, remarks.size()));
    size_t mark = line.find(kMark), column = line.rfind(':', mark - 1);
    size_t number = column == line.npos ? line.npos : line.rfind(':', column - 1);
    if (mark == line.npos || number == line.npos)
      continue;
    notes.push_back({std::string(line.substr(0, number)),
                     unsigned(std::strtoul(std::string(line.substr(number + 1)).c_str(), nullptr, 10)),
                     std::string(line.substr(mark + kMark.size()))});
  }
  return notes;
}

std::vector<CountedCode::Note> CountedCode::notes() const {
  std::vector<Note> notes;
  auto add = [&](const auto &list) {
    for (const auto &fact : list)
      if (Note note{fact.place.file, fact.place.line, describe(fact)};
          note.line && std::ranges::find(notes, note) == notes.end())
        notes.push_back(std::move(note));
  };
  add(facts.accesses);
  if (facts.hasTma)
    for (const gpu::AccessFact &fact : facts.accesses)
      if (Note note{fact.place.file, fact.place.line, "not by TMA: the tile has pointers of its own, not a descriptor"};
          fact.kind == gpu::AccessFact::Kind::AsyncCopy && std::ranges::find(notes, note) == notes.end())
        notes.push_back(std::move(note));
  add(facts.products);
  add(facts.moves);
  for (Note &note : notesOf(remarks))
    if (std::ranges::find(notes, note) == notes.end())
      notes.push_back(std::move(note));
  std::ranges::stable_sort(notes, {}, &Note::line);
  return notes;
}

} // namespace nereid::jit
