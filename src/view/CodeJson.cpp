// CodeJson.cpp: stages, passes, layouts, the pipeline and shared memory for the page.
#include "view/ToJson.h"

#include <algorithm>

namespace nereid::view {

using llvm::json::Array;
using llvm::json::Object;

std::string cleanText(std::string_view text) {
  std::string copy(text);
  return llvm::json::isUTF8(copy) ? copy : llvm::json::fixUTF8(copy);
}

Array placesJson(const Places &places) {
  Array list;
  for (const Places::Lines &lines : places.all()) {
    Array flat;
    for (const SourceLine &line : lines) {
      flat.push_back(line.file);
      flat.push_back(line.line);
    }
    list.push_back(std::move(flat));
  }
  return list;
}

// A stage may take so much of a page. Code that is longer was unrolled, and repeats itself.
static constexpr size_t kMostStageBytes = 400'000;

static Array stagesJson(const std::vector<StageText> &stages) {
  Array list;
  for (const StageText &stage : stages) {
    Object object{{"name", stage.name}, {"title", stage.title}};
    if (stage.text.empty())
      object["missing"] = cleanText(stage.missing);
    std::string text = stage.text;
    std::vector<uint32_t> places = stage.places;
    if (text.size() > kMostStageBytes) {
      text.resize(text.rfind('\n', kMostStageBytes) + 1);
      auto lines = size_t(std::ranges::count(text, '\n'));
      object["missing"] = "the lines behind these, of " + std::to_string(places.size()) + " in all";
      places.resize(lines);
    }
    object["text"] = cleanText(text);
    object["places"] = Array(places);
    list.push_back(std::move(object));
  }
  return list;
}

static Array passesJson(const std::vector<PassText> &passes) {
  Array list;
  for (const PassText &pass : passes)
    list.push_back(Object{{"pass", pass.pass}, {"text", cleanText(pass.text)}});
  return list;
}

static Array layoutsJson(const std::vector<TileLayout> &layouts) {
  Array list;
  for (const TileLayout &layout : layouts) {
    Array uses;
    for (const auto &[op, place] : layout.uses)
      uses.push_back(Array{op, place});
    Array bits{layout.registerBits, layout.laneBits, layout.warpBits, layout.blockBits};
    list.push_back(Object{{"text", layout.text},
                          {"element", layout.element},
                          {"shape", Array(layout.shape)},
                          {"bits", std::move(bits)},
                          {"bases", Array(layout.bases)},
                          {"uses", std::move(uses)}});
  }
  return list;
}

static const char *nameOf(PlanEvent::Role role) {
  switch (role) {
  case PlanEvent::Role::All: return "all warps";
  case PlanEvent::Role::Producer: return "producer";
  case PlanEvent::Role::Consumer: return "consumers";
  case PlanEvent::Role::After: return "all warps, behind";
  }
  return "";
}

static Array planJson(const std::vector<PlanEvent> &events) {
  Array list;
  for (const PlanEvent &event : events)
    list.push_back(Object{{"role", nameOf(event.role)},
                          {"kind", event.kind},
                          {"op", event.op},
                          {"place", event.place},
                          {"buffer", event.buffer},
                          {"slot", event.slot},
                          {"round", event.round},
                          {"product", event.product}});
  return list;
}

static Array sharedJson(const std::vector<SharedRange> &ranges) {
  Array list;
  for (const SharedRange &range : ranges)
    list.push_back(Object{{"offset", range.offset},
                          {"bytes", range.bytes},
                          {"begin", range.begin},
                          {"end", range.end},
                          {"place", range.place}});
  return list;
}

Object codeJson(const CodeView &view) {
  return Object{{"stages", stagesJson(view.stages)},
                {"tilePasses", passesJson(view.tilePasses)},
                {"gpuPasses", passesJson(view.gpuPasses)},
                {"layouts", layoutsJson(view.layouts)},
                {"plan", planJson(view.plan)},
                {"planCut", view.isPlanCut},
                {"shared", sharedJson(view.shared)},
                {"sharedBytes", view.sharedBytes},
                {"warps", view.numWarps},
                {"stagesTaken", view.numStages},
                {"threads", view.threads},
                {"registers", view.registers},
                {"spilledBytes", view.spilledBytes},
                {"remarks", cleanText(view.remarks)}};
}

} // namespace nereid::view
