// Progress.h: how far long work has come, on a terminal; quiet in a pipe.
#pragma once

#include "Command.h"

namespace nereid::tool {

class Progress {
public:
  explicit Progress(Console &console) : console(console) {}
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;

  // compiling 3 of 20
  void show(const std::string &what, size_t done, size_t total) {
    if (!console.isTerminal)
      return;
    console.err << "\r\033[K" << what << " " << done << " of " << total << std::flush;
    isShown = true;
  }
  void clear() {
    if (isShown)
      console.err << "\r\033[K" << std::flush;
    isShown = false;
  }

private:
  Console &console;
  bool isShown = false;
};

} // namespace nereid::tool
