// Evaluate.h: one program on two devices or more, and whether they agree; or compiled alone, and whether that works.
#pragma once

#include "Program.h"

#include <functional>

namespace nereid::differ {

struct EvaluateOptions {
  // More than one are tested with commas between them: "cpu,cuda". For those that are only compiled nothing runs on the other.
  std::string device = "cpu", against = "interp";
  bool assembles = false; // what is only compiled goes through the assembler, too
  bool check = false;     // also run under the checker: a finding makes the program invalid
  unsigned threads = 0;   // of each device; 0: all cores
  std::string planted;    // for tests, "FROM=TO": a bug of `device`, which takes one text for the other
  double timeout = 30;    // seconds of processor time, in a process of its own
  std::string moduleFile; // the name that messages give the program
};

struct Verdict {
  enum class Kind : uint8_t {
    Same,
    Different, // the results differ
    Refused,   // the device did not compile or run it
    Crashed,   // the process died, or the GPU gave up the kernel
    Hung,      // no result in time
    Invalid,   // the reference did not run it: a mistake of the generator
  };
  Kind kind = Kind::Same;
  std::string detail;
  bool isFinding() const { return kind != Kind::Same && kind != Kind::Invalid; }
};
std::string_view nameOf(Verdict::Kind kind);

// In this process: generated code that crashes takes it along. `referenceDone` is called between the two devices: a
// crash before it is one of the reference.
Verdict evaluate(const Case &testCase, const EvaluateOptions &options, const std::function<void()> &referenceDone);
// The verdict on a process that died.
Verdict crashVerdict(bool isReferenceDone, int waitStatus);
// In a process of its own, which is ended when it takes too long.
Verdict evaluateApart(const Case &testCase, const EvaluateOptions &options);

// The names in a list with commas.
std::vector<std::string> devicesIn(const std::string &list);
// Whether this build knows the device.
bool hasDevice(const std::string &name);
bool isGpu(const std::string &name);
// Whether any device of a list runs what it compiles.
bool runsAny(const std::string &list);

} // namespace nereid::differ
