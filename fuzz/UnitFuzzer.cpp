// UnitFuzzer.cpp: bytes as the unit.json of a course and as a learner's progress. A unit that is accepted holds together: what its goals and its
// timed launch name is there, and every output has a tolerance. Progress is read whatever the file says.
// libraries: nereidTool
#include "TokenMutator.h"

#include "learn/State.h"
#include "learn/Timing.h"
#include "learn/Unit.h"

#include <cstdio>
#include <cstdlib>

using namespace nereid;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

static void readUnit(const std::string &text) {
  Result<learn::Unit> unit = learn::parseUnit("unit.json", text);
  if (!unit) {
    require(!unit.error().message.empty());
    return;
  }
  require(!unit->tests.empty() && !unit->outputs.empty() && !unit->kernel.empty());
  for (const learn::Test &test : unit->tests) {
    require(!test.steps.empty() && !test.referenceSteps.empty());
    for (const std::string &output : unit->outputs)
      require(test.tolerance.at(output) >= 0);
  }
  for (const learn::Goal &goal : unit->goals)
    require(goal.test < unit->tests.size());
  (void)learn::timedTest(*unit);
}

static void readProgress(const std::string &text) {
  constexpr const char *kPath = "learn.json"; // in the fuzzer's own folder
  FILE *file = std::fopen(kPath, "wb");
  require(file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fclose(file) == 0);
  std::string note;
  (void)learn::StateFile(kPath).read("a course", note);
  std::remove(kPath);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  readUnit(text);
  readProgress(text);
  return 0;
}
