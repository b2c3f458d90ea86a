#include "view/CostJson.h"

#include "view/ToJson.h"

#include "jit/Report.h"
#include "jit/count/Verdicts.h"
#include "jit/tune/TuneStore.h"

#include <algorithm>

namespace nereid::view {

using llvm::json::Array;
using llvm::json::Object;

// About a second of the interpreter.
static constexpr double kMostWork = 2e8;

static double workOf(const ViewRequest &request, const interp::Trace &trace) {
  double most = 0;
  for (const interp::ProgramTrace &program : trace.programs)
    most = std::max(most, program.work);
  return most * request.grid[0] * request.grid[1] * request.grid[2];
}

static Result<jit::Counted> countLaunch(const ViewRequest &request, const CodeView &code) {
  return jit::countBound(request.module, request.binding, request.grid, request.settings,
                         {.target = request.gpu ? request.gpu->name : "cpu",
                          .assembling = {false, code.registers, code.spilledBytes, code.fp32Lines}});
}

static Object countsJson(const interp::Counts &counts) {
  Object object;
  for (const interp::CounterRow &row : interp::counters())
    if (counts.*row.value)
      object[llvm::StringRef(row.name)] = int64_t(counts.*row.value);
  return object;
}

static Object rooflineJson(const jit::Counted &counted) {
  const jit::DeviceRow &device = counted.device;
  const jit::Roofline &roofline = counted.roofline;
  const interp::Counts &total = counted.counts.total;
  // The roof is that of the arithmetic that the kernel does most of.
  double peak = device.fp32;
  if (total.tensorFlops * 2 > total.flops)
    peak = total.tensorFp8 * 2 > total.tensorFlops    ? device.tensorFp8
           : total.tensorInt8 * 2 > total.tensorFlops ? device.tensorInt8
           : total.tensorTf32 * 2 > total.tensorFlops ? device.tensorTf32
                                                      : device.tensorFp16;
  return Object{{"device", device.isThisMachine ? "this CPU" : device.name},
                {"bandwidth", device.memoryBytes},
                {"peak", peak},
                {"intensity", roofline.intensity},
                {"flops", total.flops},
                {"seconds", roofline.seconds()},
                {"bound", roofline.bound()}};
}

// A line of the launch, 0 where it is none of a file.
static uint32_t placeOf(const std::string &file, unsigned line, Places &places) {
  return line ? places.intern({{places.fileNumber(file), line, 1}}) : 0;
}

// Where time is lost and what to try; and what the code for a GPU does at lines.
static Array verdictsJson(const jit::Counted &counted, Places &places) {
  Array list;
  for (const jit::Verdict &verdict : jit::verdictsOn(counted))
    list.push_back(Object{{"place", placeOf(verdict.file, verdict.line, places)},
                          {"message", cleanText(verdict.message)},
                          {"advice", cleanText(verdict.advice)}});
  return list;
}

static Array notesJson(const jit::Counted &counted, Places &places) {
  Array list;
  if (counted.code)
    for (const jit::CountedCode::Note &note : counted.code->notes())
      list.push_back(Object{{"place", placeOf(note.file, note.line, places)}, {"text", cleanText(note.text)}});
  return list;
}

static Object countedJson(const jit::Counted &counted, Places &places) {
  Array lines;
  for (const interp::LineCounts &line : counted.counts.lines) {
    uint32_t place = places.intern({{places.fileNumber(line.file), line.line, 1}});
    lines.push_back(Object{{"place", place}, {"counts", countsJson(line.counts)}});
  }
  return Object{{"target", counted.target},
                {"total", countsJson(counted.counts.total)},
                {"lines", std::move(lines)},
                {"verdicts", verdictsJson(counted, places)},
                {"notes", notesJson(counted, places)},
                {"cacheHitRate", counted.cacheHitRate()},
                {"roofline", rooflineJson(counted)}};
}

// The kernel's configurations, with times where somebody has tuned it on this machine.
static Array configurationsJson(const ViewRequest &request) {
  Array list;
  const lang::Function &kernel = *request.binding.kernel;
  if (!kernel.autotune || kernel.autotune->configs.empty()) // those of an unknown package are not known
    return list;
  std::optional<jit::Tuning> tuning;
  if (std::optional<Digest> key = jit::tuningKey(request.module, request.binding, request.settings, nullptr))
    tuning = jit::loadTuning(*key, kernel.autotune->configs.size());
  for (unsigned i = 0; i < kernel.autotune->configs.size(); ++i) {
    Object row{{"text", cleanText(jit::textOf(kernel.autotune->configs[i]))},
               {"shown", request.binding.usesConfig && i == request.settings.config.value_or(0)}};
    if (tuning) {
      row["best"] = tuning->best == i;
      for (const jit::Trial &trial : tuning->trials)
        if (trial.config == i && trial.problem.empty())
          row["seconds"] = trial.seconds;
        else if (trial.config == i)
          row["problem"] = cleanText(trial.problem);
    }
    list.push_back(std::move(row));
  }
  return list;
}

Object costJson(const ViewRequest &request, const CodeView &code, const interp::Trace *trace, Places &places) {
  Object cost{{"configurations", configurationsJson(request)}};
  if (!trace || trace->failure) {
    std::string problem = trace ? cleanText(jit::renderFailure(request.module, trace->failure)) : "";
    cost["notCounted"] =
        "the launch did not end well" + (problem.empty() ? "" : ": " + problem.substr(0, problem.find('\n')));
  } else if (workOf(request, *trace) > kMostWork) {
    cost["notCounted"] =
        "the launch is too large to be counted for a page: `nereid count` with the same words counts it";
  } else if (Result<jit::Counted> counted = countLaunch(request, code); !counted) {
    cost["notCounted"] = cleanText(counted.error().message);
  } else {
    cost["counted"] = countedJson(*counted, places);
  }
  return cost;
}

} // namespace nereid::view
