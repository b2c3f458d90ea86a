#include "view/Places.h"

#include "mlir/IR/Location.h"

#include <algorithm>

using namespace mlir;

namespace nereid::view {

static constexpr const char *kFile = "view";

uint32_t Places::fileNumber(const std::string &name) {
  auto [found, isNew] = fileNumbers.try_emplace(name, uint32_t(fileNames.size()));
  if (isNew)
    fileNames.push_back(name);
  return found->second;
}

uint32_t Places::intern(Lines lines) {
  std::vector<uint32_t> key;
  for (const SourceLine &line : lines)
    key.insert(key.end(), {line.file, line.line, line.column});
  if (key.empty())
    return 0;
  auto [found, isNew] = numbers.try_emplace(std::move(key), uint32_t(places.size()));
  if (isNew)
    places.push_back(std::move(lines));
  return found->second;
}

void Places::collect(Location loc, Lines &lines) {
  auto add = [&](const SourceLine &line) {
    if (std::ranges::find(lines, line) == lines.end())
      lines.push_back(line);
  };
  if (auto range = dyn_cast<FileLineColRange>(loc)) {
    if (range.getFilename().getValue() != kFile)
      return add({fileNumber(range.getFilename().str()), range.getStartLine(), range.getStartColumn()});
    if (has(range.getStartLine()))
      for (const SourceLine &line : Lines(places[range.getStartLine()]))
        add(line);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collect(call.getCallee(), lines);
    collect(call.getCaller(), lines);
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    collect(named.getChildLoc(), lines);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      collect(part, lines);
  }
}

uint32_t Places::numberOf(Location loc) {
  auto [found, isNew] = known.try_emplace(loc.getAsOpaquePointer(), 0);
  if (isNew) {
    Lines lines;
    collect(loc, lines);
    found->second = intern(std::move(lines));
  }
  return found->second;
}

void Places::number(ModuleOp module) {
  auto file = StringAttr::get(module.getContext(), kFile);
  module.walk([&](Operation *op) {
    if (uint32_t number = numberOf(op->getLoc()))
      op->setLoc(FileLineColLoc::get(file, number, 1));
  });
}

} // namespace nereid::view
