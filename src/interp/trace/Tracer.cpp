#include "interp/trace/Tracer.h"

#include "interp/Atomic.h"
#include "interp/Launch.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nereid::interp {

Tracer::Tracer(TraceOptions options, Trace &trace) : options(std::move(options)), trace(trace) {
  if (trace.frames.empty())
    trace.frames.push_back("");
  frameNumbers.emplace("", 0);
}

void Tracer::begin(const Program &started, Launch &running) {
  program = &started;
  launch = &running;
  trace.places = started.places;
  trace.tensors = running.launchOptions().allocations;
}

void Tracer::beginProgram(Machine &machine) {
  const std::array<uint32_t, 3> &grid = launch->launchOptions().grid, &at = machine.program;
  State &state = states[&machine];
  state = {.number = at[0] + uint64_t(grid[0]) * (at[1] + uint64_t(grid[1]) * at[2])};
  if (std::ranges::find(options.programs, at) == options.programs.end())
    return;
  trace.programs.push_back({.program = at});
  state.record = &trace.programs.back();
}

void Tracer::endProgram(Machine &machine) { done.insert(states[&machine].number); }

// What led to a place, as a key.
uint32_t Tracer::frameOf(uint32_t place) {
  auto [known, isNew] = frameOfPlace.try_emplace(place, 0);
  if (!isNew)
    return known->second;
  std::string key;
  for (const Place &caller : program->places[place].callers)
    key += caller.file + ":" + std::to_string(caller.line) + ":" + std::to_string(caller.column) + ";";
  auto [frame, isNewFrame] = frameNumbers.try_emplace(key, uint32_t(trace.frames.size()));
  if (isNewFrame)
    trace.frames.push_back(key);
  return known->second = frame->second;
}

static double workOf(const Fact &fact, uint32_t count) {
  if (fact.flow != Flow::Dot || fact.operands.size() < 2 || !count)
    return count;
  // M x K and K x N give M x N.
  return count * std::sqrt(double(fact.operands[0].count) * fact.operands[1].count / count);
}

void Tracer::run(Machine &machine, const Instruction &instruction) {
  State &state = states[&machine];
  if (instruction.run == runNote)
    return state.record ? note(state, machine, instruction) : void();
  // Pointers and masks may lie where the result will.
  access(state, machine, instruction);
  instruction.run(machine, instruction);
  elements += instruction.count;
  if (state.record)
    state.record->work += workOf(machine.factOf(instruction), instruction.count);
  if (!state.record && elements > options.mostElements && !hasEnough) {
    hasEnough = true;
    machine.stopped |= !options.runsAll;
  }
}

void Tracer::note(State &state, Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const NotePayload &>(*instruction.payload);
  const Fact &fact = machine.factOf(instruction);
  ProgramTrace &record = *state.record;
  if (record.isCut)
    return;
  uint32_t frame = frameOf(fact.place);
  if (payload.name.empty()) {
    if (record.steps.size() == options.mostSteps) {
      record.isCut = true;
      if (!options.runsAll) {
        done.insert(state.number);
        machine.stopped = true;
      }
      return;
    }
    record.steps.push_back({.place = fact.place, .frame = frame});
    return;
  }
  if (record.steps.empty()) // the arguments
    record.steps.push_back({.place = fact.place, .frame = frame});
  TracedValue value{.text = payload.text, .isSigned = payload.isSigned, .isConstant = fact.operands.empty()};
  if (!value.isConstant) {
    const Slot &slot = fact.operands[0];
    value.element = slot.element;
    value.shape = payload.shape;
    if (state.bytes + slot.bytes() <= options.mostBytes) {
      state.bytes += slot.bytes();
      value.bytes.assign(machine.frame + slot.offset, machine.frame + slot.offset + slot.bytes());
    }
  }
  auto [name, isNew] = nameNumbers.try_emplace({payload.name, frame}, uint32_t(trace.names.size()));
  if (isNew)
    trace.names.push_back({payload.name, frame});
  record.steps.back().assigned.push_back({name->second, uint32_t(record.values.size())});
  record.values.push_back(std::move(value));
}

void Tracer::access(State &state, Machine &machine, const Instruction &instruction) {
  if (!state.record && (hasEnough || trace.boxes.size() >= options.mostBoxes))
    return;
  TracedAccess seen = look(machine, instruction);
  if (!seen.count)
    return;
  seen.place = machine.factOf(instruction).place;
  addBox(state, seen, instruction);
  if (!state.record || state.record->isCut)
    return;
  ProgramTrace &record = *state.record;
  if (record.steps.empty())
    record.steps.push_back({.place = seen.place, .frame = frameOf(seen.place)});
  record.steps.back().accesses.push_back(uint32_t(record.accesses.size()));
  record.accesses.push_back(std::move(seen));
}

void Tracer::addBox(const State &state, const TracedAccess &seen, const Instruction &instruction) {
  if (seen.tensor < 0 || seen.touched.empty() || trace.boxes.size() >= options.mostBoxes)
    return;
  int64_t columns = gridOf(trace.tensors[size_t(seen.tensor)]).columns;
  TouchedBox box{.program = state.number, .place = seen.place, .tensor = uint16_t(seen.tensor)};
  box.isStore = seen.kind != TracedAccess::Kind::Load;
  box.top = box.left = INT64_MAX;
  for (const ElementRun &run : seen.touched)
    for (int64_t first : {run.first, run.first + (run.count - 1) * run.stride}) {
      int64_t last = first + run.length - 1;
      bool isSeveralRows = first / columns != last / columns;
      box.top = std::min(box.top, first / columns);
      box.bottom = std::max(box.bottom, last / columns);
      box.left = std::min(box.left, isSeveralRows ? 0 : first % columns);
      box.right = std::max(box.right, isSeveralRows ? columns - 1 : last % columns);
    }
  trace.boxes.push_back(box);
}

} // namespace nereid::interp
