#include "lang/Session.h"

#include <algorithm>

namespace nereid::lang {

const char *TargetDescription::backend() const {
  switch (platform) {
  case Platform::Cuda: return "cuda";
  case Platform::Hip: return "hip";
  case Platform::Cpu: return "cpu";
  }
  return "";
}

void Session::fail(std::string message, std::vector<std::string> notes, std::string pythonType) {
  failAt(place(), std::move(message), std::move(notes), std::move(pythonType));
}

void Session::failAt(SourceRange range, std::string message, std::vector<std::string> notes, std::string pythonType) {
  Diagnostic diagnostic{Severity::Error, source(), range, std::move(message), {}};
  for (std::string &note : notes)
    diagnostic.notes.push_back({Severity::Note, nullptr, {}, std::move(note), {}});
  failWith(std::move(diagnostic), std::move(pythonType));
}

// Parts of the language that are written in the language: users cannot see them.
static bool isEmbedded(const SourceRef &source) { return source && source->name().starts_with("triton/"); }

void Session::failWith(Diagnostic diagnostic, std::string pythonType) {
  SourceRange call = frames.empty() ? SourceRange{} : frames.back().call;
  bool isInCall = call.begin <= diagnostic.range.begin && diagnostic.range.end <= call.end;
  diagnostic.around = isInCall ? call : place();
  size_t innermost = frames.size(); // one past the frame that the message is about
  if (isEmbedded(diagnostic.source))
    while (innermost > 1 && isEmbedded(diagnostic.source)) {
      --innermost;
      diagnostic.source = frames[innermost - 1].source;
      diagnostic.range = diagnostic.around = frames[innermost - 1].place;
    }
  // The innermost calls say most; a long chain is cut, and recursion shown once.
  constexpr size_t kMaxCallNotes = 4;
  size_t shown = 0;
  for (size_t i = innermost; i > 1 && shown < kMaxCallNotes; --i) {
    const Frame &caller = frames[i - 2], &callee = frames[i - 1];
    bool isStart = i == 2 && caller.function == callee.function; // the kernel itself, which no line calls
    if (isStart || !caller.source || caller.place.end <= caller.place.begin)
      continue;
    Diagnostic note{Severity::Note, caller.source, caller.place, "in the call of `" + callee.function + "`", {}};
    auto isSame = [&](const Diagnostic &other) {
      return other.source == note.source && other.range.begin == note.range.begin && other.message == note.message;
    };
    if (std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(), isSame))
      continue;
    diagnostic.notes.push_back(std::move(note));
    ++shown;
  }
  diagnostic.pythonType = pythonType;
  // An exception takes about 5 us, and 1 us for each call that it leaves; whoever catches it and goes on has to pay for it.
  uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  steps += 50 + (!frames.empty() && stackBase > here ? std::min(stackBase - here, kMaxStackBytes) / 64 : 0);
  throw CompileError{std::move(diagnostic), std::move(pythonType)};
}

void Session::warn(std::string message) {
  for (const Diagnostic &earlier : diagnostics.all()) // one warning for each place, however often it is emitted
    if (earlier.source == source() && earlier.range.begin == place().begin && earlier.message == message)
      return;
  diagnostics.report(Severity::Warning, source(), place(), std::move(message));
}

void Session::exhaust(std::string message, std::string pythonType) {
  try {
    fail(std::move(message), {"is there an endless loop, one that unrolls very often, or a very large value?"},
         std::move(pythonType));
  } catch (CompileError &error) {
    error.isFinal = true;
    throw;
  }
}

void Session::step(uint64_t count) {
  steps = std::min(steps + std::min(count, limit + 1), limit + 1);
  if (steps > limit)
    exhaust("compile-time evaluation takes more than " + std::to_string(limit - shareStart) + " steps", "TimeoutError");
  uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  // Outside of all functions (an expression given for a launch) the base may be that of another thread's stack.
  if (!frames.empty() && stackBase > here && stackBase - here > kMaxStackBytes)
    fail("the code is nested too deeply", {"split it into several statements or functions"}, "RecursionError");
}

void Session::make(uint64_t count) {
  bytes = std::min(bytes + std::min(count, kAllBytes + 1), kAllBytes + 1);
  if (bytes > kAllBytes)
    exhaust("compile-time values take more than " + std::to_string(kAllBytes >> 20) + " MiB", "MemoryError");
}

static thread_local Session *atWork = nullptr;

void Session::charge(uint64_t count) {
  if (atWork)
    atWork->step(count);
}

void Session::refuse(std::string message, std::string pythonType) {
  if (atWork)
    atWork->fail(std::move(message), {}, std::move(pythonType));
  throw CompileError{{Severity::Error, nullptr, {}, std::move(message), {}}, std::move(pythonType)};
}

Session::At::At(Session &session, SourceRange range) : session(session), saved(session.place()) {
  if (!session.frames.empty())
    session.frames.back().place = range;
}

Session::At::~At() {
  if (!session.frames.empty())
    session.frames.back().place = saved;
}

Session::Enter::Enter(Session &session, SourceRef source, std::string name, SourceRange range) : session(session) {
  if (session.frames.size() >= kMaxDepth)
    session.fail("calls are nested more than " + std::to_string(kMaxDepth) + " deep",
                 {"recursion needs an end that is known at compile time"}, "RecursionError");
  if (session.frames.empty()) {
    session.outer = std::exchange(atWork, &session);
    if (!session.together)
      session.steps = session.bytes = 0;
    session.stackBase = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  }
  session.frames.push_back({std::move(source), std::move(name), range});
}

Session::Enter::~Enter() {
  session.frames.pop_back();
  if (session.frames.empty())
    atWork = session.outer;
}

} // namespace nereid::lang
