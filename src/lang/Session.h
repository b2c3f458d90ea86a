// Session.h: one compilation: where we are in the source, how errors leave, and the bounds on compile-time work.
#pragma once

#include "support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nereid::lang {

// Thrown by Session::fail inside src/lang, and caught at its boundary. Compile-time Python may catch it too
// (try/except), by the name of the Python exception it stands for.
struct CompileError {
  Diagnostic diagnostic;  // with the same Python type
  std::string pythonType; // ValueError, TypeError, AssertionError …
};

// What `if`s about versions, platforms and the environment see.
struct TargetDescription {
  std::string backend = "cuda"; // cuda, hip or cpu
  int capability = 90;          // 80, 90, 100 …
  int warpSize = 32;
  std::string tritonVersion = "3.6.0";
};

class Session {
public:
  Session(Diagnostics &diagnostics, TargetDescription target = {})
      : diagnostics(diagnostics), target(std::move(target)) {}

  Diagnostics &diagnostics;
  const TargetDescription target;

  // A user's mistake at the current place. Each note is a line of help. The calls that led here are added as notes.
  [[noreturn]] void fail(std::string message, std::vector<std::string> notes = {},
                         std::string pythonType = "ValueError");
  [[noreturn]] void failAt(SourceRange range, std::string message, std::vector<std::string> notes = {},
                           std::string pythonType = "ValueError");
  // The same with a diagnostic that has notes with places of their own.
  [[noreturn]] void failWith(Diagnostic diagnostic, std::string pythonType = "ValueError");
  void warn(std::string message);
  // What was thrown, on the way out of src/lang.
  void report(CompileError error) { diagnostics.add(std::move(error.diagnostic)); }

  // Counts one step of compile-time evaluation; fails when there were too many, or when they are nested too deeply for
  // the stack of the machine.
  void step(uint64_t steps = 1);

  SourceRange place() const { return frames.empty() ? SourceRange{} : frames.back().place; }
  SourceRef source() const { return frames.empty() ? nullptr : frames.back().source; }
  size_t depth() const { return frames.size(); }

  // The expression or statement being worked on.
  class At {
  public:
    At(Session &session, SourceRange range);
    ~At();
    At(const At &) = delete;

  private:
    Session &session;
    SourceRange saved;
  };
  // A function (or module) being entered; calls nested too deeply fail.
  class Enter {
  public:
    Enter(Session &session, SourceRef source, std::string name, SourceRange range);
    ~Enter();
    Enter(const Enter &) = delete;

  private:
    Session &session;
  };

  struct Frame {
    SourceRef source;
    std::string function;
    SourceRange place;
    SourceRange call; // the call of a builtin that is being emitted
  };

  // A call of a builtin, whose arguments may be places of their own.
  class Calling {
  public:
    explicit Calling(Session &session) : session(session) {
      if (!session.frames.empty())
        saved = std::exchange(session.frames.back().call, session.place());
    }
    ~Calling() {
      if (!session.frames.empty())
        session.frames.back().call = saved;
    }
    Calling(const Calling &) = delete;

  private:
    Session &session;
    SourceRange saved;
  };

  const std::vector<Frame> &stack() const { return frames; }

  static constexpr uint64_t kMaxSteps = 5'000'000; // the imports of the largest repositories take 2 million
  static constexpr size_t kMaxDepth = 200;
  static constexpr size_t kMaxStackBytes = size_t(4) << 20; // half of what a thread has

private:
  std::vector<Frame> frames;
  uint64_t steps = 0; // since the outermost function or module was entered
  uintptr_t stackBase = 0;
};

} // namespace nereid::lang
