// TraceJson.cpp: what programs did, for the page.
#include "view/ToJson.h"

#include "jit/Report.h"

#include <map>

namespace nereid::view {

using llvm::json::Array;
using llvm::json::Object;

namespace {

// All values of a page; a page is to be read on a phone.
constexpr size_t kValueBytes = 1'200'000;
constexpr size_t kAccessRuns = 60'000;

class Writer {
public:
  Writer(const interp::Trace &trace, Places &places) : trace(trace), places(places) {}

  Object write(jit::KernelModule &module) {
    Array programs;
    for (const interp::ProgramTrace &program : trace.programs)
      programs.push_back(programJson(program));
    Array names;
    for (const interp::Trace::Name &name : trace.names)
      names.push_back(Array{cleanText(name.text), name.frame});
    Object object{{"names", std::move(names)},
                  {"tensors", tensorsJson()},
                  {"programs", std::move(programs)},
                  {"boxes", boxesJson()},
                  {"output", cleanText(trace.output.substr(0, 20000))}};
    if (trace.failure)
      object["failure"] = cleanText(jit::renderFailure(module, trace.failure));
    return object;
  }

private:
  // A place of the trace among those of the stages.
  uint32_t number(uint32_t place) {
    auto [known, isNew] = numbers.try_emplace(place, 0);
    if (!isNew)
      return known->second;
    Places::Lines lines;
    const runtime::Place &innermost = trace.places[place];
    auto add = [&](const runtime::Place &each) {
      if (each.line)
        lines.push_back({places.fileNumber(each.file), each.line, each.column});
    };
    add(innermost);
    for (const runtime::Place &caller : innermost.callers)
      add(caller);
    return known->second = places.intern(std::move(lines));
  }

  Array tensorsJson() {
    Array list;
    for (const runtime::Allocation &tensor : trace.tensors) {
      interp::Grid2D grid = interp::gridOf(tensor);
      list.push_back(Object{{"name", cleanText(tensor.name)},
                            {"shape", Array(tensor.shape)},
                            {"strides", Array(tensor.strides)},
                            {"elementBytes", tensor.elementBytes},
                            {"rows", grid.rows},
                            {"columns", grid.columns},
                            {"count", int64_t(tensor.bytes / std::max(1u, tensor.elementBytes))}});
    }
    return list;
  }

  Array boxesJson() {
    Array list;
    for (const interp::TouchedBox &box : trace.boxes)
      list.push_back(Array{box.program, number(box.place), box.tensor, box.isStore ? 1 : 0, box.top, box.left,
                           box.bottom, box.right});
    return list;
  }

  Array runsJson(const std::vector<interp::ElementRun> &runs) {
    Array flat;
    for (const interp::ElementRun &run : runs) {
      if (runsLeft == 0)
        break;
      --runsLeft;
      for (int64_t part : {run.first, run.length, run.count, run.stride})
        flat.push_back(part);
    }
    return flat;
  }

  Object accessJson(const interp::TracedAccess &access) {
    static constexpr const char *kKinds[] = {"load", "store", "atomic"};
    return Object{{"kind", kKinds[size_t(access.kind)]},
                  {"place", number(access.place)},
                  {"tensor", access.tensor},
                  {"touched", runsJson(access.touched)},
                  {"masked", runsJson(access.masked)},
                  {"count", access.count},
                  {"maskedCount", access.maskedCount},
                  {"outside", access.masksOutside},
                  {"cut", access.isCut || runsLeft == 0}};
  }

  Object programJson(const interp::ProgramTrace &program) {
    Array steps, values, accesses;
    for (const interp::TraceStep &step : program.steps) {
      Array assigned;
      for (const auto &[name, value] : step.assigned) {
        assigned.push_back(name);
        assigned.push_back(value);
      }
      steps.push_back(Array{number(step.place), step.frame, std::move(assigned), Array(step.accesses)});
    }
    // Each program has the same share of the page.
    size_t budget = kValueBytes / std::max<size_t>(1, trace.programs.size());
    for (const interp::TracedValue &value : program.values)
      values.push_back(valueJson(value, trace.tensors, budget));
    for (const interp::TracedAccess &access : program.accesses)
      accesses.push_back(accessJson(access));
    return Object{{"program", Array{program.program[0], program.program[1], program.program[2]}},
                  {"steps", std::move(steps)},
                  {"values", std::move(values)},
                  {"accesses", std::move(accesses)},
                  {"cut", program.isCut}};
  }

  const interp::Trace &trace;
  Places &places;
  std::map<uint32_t, uint32_t> numbers;
  size_t runsLeft = kAccessRuns;
};

} // namespace

Object traceJson(const interp::Trace &trace, jit::KernelModule &module, Places &places) {
  return Writer(trace, places).write(module);
}

} // namespace nereid::view
