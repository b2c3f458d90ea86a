// Counter.cpp: which rule an instruction is counted by, and the sums at the end.
#include "interp/count/Counter.h"

#include "interp/Dot.h"
#include "interp/Launch.h"
#include "interp/Reduce.h"
#include "interp/count/Operations.h"

#include <algorithm>

namespace nereid::interp {

void Counter::begin(const Program &program, Launch &launch) {
  this->program = &program;
  facts.assign(program.facts.size(), {});
  grid = launch.launchOptions().grid;
  memory = std::make_unique<Touched>(launch.launchOptions().allocations);
  if (options.caches.bytes)
    waves = std::make_unique<Waves>(options.caches, std::max<uint64_t>(1, options.residentPrograms));
  addFacts(program.body);
  for (const Block &block : program.blocks)
    addFacts(block);
  choosePlans();
  touchedByLine.resize(lines.size());
  for (TouchedByLine &touched : touchedByLine) {
    touched.read.resize(memory->size());
    touched.written.resize(memory->size());
  }
  total.launches = 1;
}

// The innermost place that has a line: of a function of the language, that of its call.
uint32_t Counter::lineIndexOf(const Place &place) {
  const Place *at = &place;
  for (size_t i = 0; !at->line && i < place.callers.size(); ++i)
    at = &place.callers[i];
  auto [found, isNew] = lineIndices.try_emplace({at->file, at->line}, uint32_t(lines.size()));
  if (isNew)
    lines.push_back({at->file, at->line, {}});
  return found->second;
}

// Whether an instruction writes, and how many elements its tile has; nothing where it accesses no memory.
static std::optional<std::pair<bool, uint32_t>> accessBy(const Fact &fact, const Instruction &instruction) {
  if (fact.flow == Flow::Load)
    return std::pair(false, fact.results[0].count);
  if (fact.flow == Flow::Store || fact.flow == Flow::AtomicRmw)
    return std::pair(true, fact.operands[0].count);
  if (auto *descriptor = dynamic_cast<const BlockPayload *>(instruction.payload))
    return std::pair(fact.flow != Flow::DescriptorLoad, descriptor->value.count);
  return std::nullopt;
}

std::vector<const AccessPlan *> Counter::plansAt(const Place &place, bool isWrite, uint32_t count) const {
  std::vector<const AccessPlan *> atPlace, onLine;
  for (const AccessPlan &plan : options.plans)
    if (plan.isWrite == isWrite && plan.count == count && plan.line == place.line && plan.file == place.file)
      (plan.column == place.column ? atPlace : onLine).push_back(&plan);
  return atPlace.empty() ? onLine : atPlace;
}

// Several accesses at one place (of a function that is called more than once, of a loop that is written out) have a plan each, in
// the order of the code. Where the compiler has made more of them (rounds of a loop that run ahead) or fewer, they share the first.
void Counter::choosePlans() {
  std::map<std::tuple<std::string, unsigned, unsigned, bool, uint32_t>, std::vector<uint32_t>> byPlace;
  for (uint32_t i = 0; i < facts.size(); ++i)
    if (auto access = facts[i].instruction ? accessBy(program->facts[i], *facts[i].instruction) : std::nullopt) {
      const Place &place = program->places[program->facts[i].place];
      byPlace[{place.file, place.line, place.column, access->first, access->second}].push_back(i);
    }
  for (const auto &[key, found] : byPlace) {
    std::vector<const AccessPlan *> plans =
        plansAt(program->places[program->facts[found[0]].place], std::get<3>(key), std::get<4>(key));
    for (size_t i = 0; i < found.size() && !plans.empty(); ++i)
      facts[found[i]].plan = plans[plans.size() == found.size() ? i : 0];
  }
}

void Counter::addFacts(const Block &block) {
  for (const Instruction &instruction : block.instructions) {
    const Fact &fact = program->facts[instruction.fact];
    Known &known = facts[instruction.fact];
    known.instruction = &instruction;
    known.rule = ruleOf(fact, instruction);
    known.line = lineIndexOf(program->places[fact.place]);
  }
}

Counter::Rule Counter::ruleOf(const Fact &fact, const Instruction &instruction) {
  switch (fact.flow) {
  case Flow::Load: return &Counter::countLoad;
  case Flow::Store: return &Counter::countStore;
  case Flow::AtomicRmw:
  case Flow::AtomicCas:
  case Flow::AtomicPoll: return &Counter::countAtomic;
  case Flow::DescriptorLoad:
  case Flow::DescriptorStore:
  case Flow::DescriptorReduce: return &Counter::countBlock;
  case Flow::Dot: return &Counter::countProduct;
  default: break;
  }
  if (dynamic_cast<const DotScaledPayload *>(instruction.payload))
    return &Counter::countProduct;
  if (auto *combine = dynamic_cast<const CombinePayload *>(instruction.payload); combine && combine->single)
    return &Counter::countCombine;
  return nullptr;
}

void Counter::beginProgram(Machine &machine) {
  accesses[&machine].clear();
  currentMachine = nullptr;
}

void Counter::endProgram(Machine &machine) {
  ++total.programs;
  if (waves)
    waves->addProgram(std::move(accesses[&machine]), total);
  accesses.erase(&machine);
  currentMachine = nullptr;
}

void Counter::run(Machine &machine, const Instruction &instruction) {
  Known &known = facts[instruction.fact];
  known.elements += machine.countOf(instruction);
  if (known.rule) {
    if (currentMachine != &machine) {
      currentMachine = &machine;
      current = &accesses[&machine];
    }
    (this->*known.rule)(machine, instruction);
  }
  instruction.run(machine, instruction);
}

void Counter::countProduct(Machine &, const Instruction &instruction) {
  lines[facts[instruction.fact].line].counts += costOfProduct(instruction);
}

// A loop takes the place of the region's instructions.
void Counter::countCombine(Machine &, const Instruction &instruction) {
  const auto &payload = static_cast<const CombinePayload &>(*instruction.payload);
  for (const Instruction &inner : payload.region->instructions) {
    facts[inner.fact].elements += uint64_t(payload.extent - 1) * payload.lanes;
    facts[inner.fact].line = facts[instruction.fact].line;
  }
}

static void scaleBy(Counts &counts, uint64_t factor) {
  for (const CounterRow &row : counters())
    counts.*row.value *= factor;
}

CountResult Counter::take() {
  for (const Known &known : facts) {
    if (!known.instruction || !known.elements || known.rule)
      continue;
    const Fact &fact = program->facts[known.instruction->fact];
    Counts cost = costOfElement(fact, *known.instruction);
    // A histogram looks at each element of its source, and computes as many as it has bins.
    bool isHistogram = fact.flow == Flow::Histogram;
    scaleBy(cost, isHistogram ? known.elements / fact.results[0].count * fact.operands[0].count : known.elements);
    lines[known.line].counts += cost;
  }
  CountResult result;
  // Distinct bytes of the launch are not the sum of those of its lines.
  for (LineCounts &line : lines) {
    Counts counts = line.counts;
    counts.uniqueBytesRead = counts.uniqueBytesWritten = 0;
    total += counts;
  }
  if (waves)
    waves->finish(total);
  result.total = total;
  result.uniqueSectorsRead = memory->sectorsRead();
  std::erase_if(lines, [](const LineCounts &line) {
    return std::ranges::all_of(counters(), [&](const CounterRow &row) { return line.counts.*row.value == 0; });
  });
  std::ranges::sort(lines, {},
                    [](const LineCounts &line) { return std::pair(std::string_view(line.file), line.line); });
  result.lines = std::move(lines);
  result.reads = std::move(reads);
  return result;
}

} // namespace nereid::interp
