// Version.cpp: `nereid version`.
#include "Command.h"

#include "api/Version.h"

namespace nereid::tool {

static int runVersion(const Words &words, Console &console) {
  if (!words.operands.empty())
    return fail(console, "`nereid version` takes no operand, but `" + words.operands[0].substr(0, 80) + "` is given");
  console.out << "nereid " << kVersionText << "\n";
  return kFine;
}

constinit const Verb kVersion{"version", "the version of this program", "version", "Prints the version.\n", {},
                              runVersion};

} // namespace nereid::tool
