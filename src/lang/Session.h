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
  bool isFinal = false;   // a budget is spent: nothing catches it, for going on would only take longer
};

enum class Platform { Cuda, Hip, Cpu };

// What `if`s about versions, platforms and the environment see.
struct TargetDescription {
  Platform platform = Platform::Cuda;
  int capability = 90; // 80, 90, 100 …
  int warpSize = 32;
  std::string tritonVersion = "3.6.0";

  bool isCuda() const { return platform == Platform::Cuda; }
  bool isHopperOrLater() const { return isCuda() && capability >= 90; }
  // As Triton names it: "cuda", "hip", "cpu".
  const char *backend() const;
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

  // Compile-time work is bounded by what it costs. A step is work of about 100 ns: an expression, an item that is
  // compared or printed, 64 bytes of text that are searched. Fails when the budget is spent, or when the work is nested
  // too deeply for the stack of the machine.
  void step(uint64_t steps = 1);
  // Counts the bytes of a value that is made; what is let go of later is not given back.
  void make(uint64_t bytes);
  // Steps of work on values that is done far from any session (comparing, printing): counted by the one that evaluates
  // on this thread, if there is one.
  static void charge(uint64_t steps);
  // A failure there; by default of what compile-time Python does not support.
  [[noreturn]] static void refuse(std::string message, std::string pythonType = "NotImplementedError");

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

  // One budget for all that is entered while it stands, not one for each function or module.
  class Together {
  public:
    explicit Together(Session &session) : session(session) {
      if (!session.together++)
        session.steps = session.bytes = 0;
    }
    ~Together() { --session.together; }
    Together(const Together &) = delete;

  private:
    Session &session;
  };

  // Work that may be given up: it has a quarter of the steps that are left, and whoever catches its failure goes on.
  class Share {
  public:
    explicit Share(Session &session) : session(session), start(session.shareStart), limit(session.limit) {
      session.shareStart = std::min(session.steps, session.limit);
      session.limit = session.shareStart + (session.limit - session.shareStart) / 4;
    }
    ~Share() {
      session.shareStart = start;
      session.limit = limit;
    }
    Share(const Share &) = delete;
    bool isSpent() const { return session.steps > session.limit; }

  private:
    Session &session;
    uint64_t start, limit; // of the work around it
  };

  const std::vector<Frame> &stack() const { return frames; }

  static constexpr uint64_t kMaxSteps = 5'000'000; // the imports of the largest repositories take 2 million
  static constexpr uint64_t kMaxBytes = uint64_t(512) << 20;
  static constexpr size_t kMaxDepth = 200;
  static constexpr size_t kMaxStackBytes = size_t(4) << 20; // half of what a thread has

private:
  // With AddressSanitizer a step takes ten times as long and a value several times the memory: the fuzzers' 2 s and 1 GiB are to mean what
  // they mean without it.
#ifdef __SANITIZE_ADDRESS__
  static constexpr uint64_t kSlowness = 10;
#else
  static constexpr uint64_t kSlowness = 1;
#endif
  static constexpr uint64_t kAllSteps = kMaxSteps / kSlowness, kAllBytes = kMaxBytes / kSlowness;

  [[noreturn]] void exhaust(std::string message, std::string pythonType);

  std::vector<Frame> frames;
  uint64_t steps = 0, bytes = 0; // since the outermost function or module was entered
  uint64_t shareStart = 0, limit = kAllSteps;
  unsigned together = 0;
  Session *outer = nullptr; // the session that was at work on this thread when this one began
  uintptr_t stackBase = 0;
};

} // namespace nereid::lang
