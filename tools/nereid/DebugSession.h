// DebugSession.h: the commands of `nereid debug`.
#pragma once

#include "Command.h"

#include "view/Stepper.h"
#include "view/TraceRun.h"

#include <memory>

namespace nereid::tool {

class DebugSession {
public:
  DebugSession(const view::TraceRequest &request, Console &console);

  // Runs a program and stands at its beginning; an exit status where that is not possible.
  int follow(const std::array<uint32_t, 3> &program);
  void obey(const std::string &line);
  bool isOver() const { return hasQuit; }
  int status() const { return hasErred ? kBadInput : kFine; }

private:
  void obeyWord(const std::string &word, const std::string &rest);
  void move(const std::string &count, int direction);
  void run(int direction);
  void addStop(const std::string &text);
  void removeStop(const std::string &text);
  void print(const std::string &what);
  void printTile(const interp::TracedValue &value, const std::vector<int64_t> &indices);
  void printRow(const interp::TracedValue &value, size_t first, int64_t count);
  void printNames();
  void printTouched();
  void where();
  void list();
  void showLine();
  void showFailure();
  void complain(const std::string &message, std::vector<std::string> notes = {});
  std::string lineText(const runtime::Place &place);

  view::TraceRequest request;
  Console &console;
  view::KeptMemory memory;
  std::unique_ptr<interp::Trace> trace;
  std::unique_ptr<view::Stepper> stepper;
  std::array<uint32_t, 3> program{};
  std::vector<view::Stop> stops;
  std::string lastLine;
  bool hasQuit = false, hasErred = false;
};

} // namespace nereid::tool
