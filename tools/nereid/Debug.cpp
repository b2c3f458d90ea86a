// Debug.cpp: `nereid debug`: a program of a kernel statement by statement, forward and backward, in the terminal or from a script.
#include "DebugSession.h"
#include "LaunchWords.h"
#include "ProgramNumbers.h"

#include "jit/Evaluate.h"

#include <istream>

namespace nereid::tool {

namespace {

int runDebug(const Words &words, Console &console) {
  int status = kFine;
  std::optional<LaunchWords> launch = readLaunch(words, console, status);
  if (!launch)
    return status;
  launch->settings.debug = true; // asserts are looked at
  launch->settings.dotPrecision = jit::usualDotPrecision("interp");
  Result<std::vector<jit::NamedHostValue>> values = jit::hostValues(*launch->module, launch->arguments);
  if (!values)
    return report(console, values.error());
  Result<jit::Binding> binding = jit::bind(*launch->module, launch->kernel, std::move(*values), launch->settings);
  if (!binding)
    return report(console, binding.error());
  binding->options.sanitizeOverflow = false;
  Result<std::array<uint32_t, 3>> grid = jit::evaluateGrid(*launch->module, *binding, launch->settings);
  if (!grid)
    return report(console, grid.error());
  Result<jit::Specialization> specialization = jit::specialize(*binding);
  if (!specialization)
    return report(console, specialization.error());
  if (!(*grid)[0] || !(*grid)[1] || !(*grid)[2])
    return fail(console, "the grid " + programText(*grid) + " has no program");
  std::optional<std::array<uint32_t, 3>> program = readProgram(words.value("--program").value_or("0"), *grid, console);
  if (!program)
    return kBadInput;
  DebugSession session({*launch->module, *binding, *specialization, *grid, launch->settings}, console);
  if (int problem = session.follow(*program))
    return problem;
  for (const std::string &command : words.values("--command"))
    session.obey(command);
  std::string line;
  while (!words.has("--command") && console.in && !session.isOver()) {
    if (console.readsTerminal)
      console.out << "(debug) " << std::flush;
    if (!std::getline(*console.in, line))
      break;
    session.obey(line);
  }
  return session.status();
}

constexpr Option kDebugOptions[] = {
    kGridOption,
    {"--program", "X[,Y[,Z]]", "which program is followed (0)"},
    {"--command", "COMMAND", "obey this instead of standard input; may be given several times"},
    kLetOption,
    kTimeoutOption,
    kSeedOption,
    kConfigOption,
    kWarpsOption,
    kStagesOption,
    kTargetOption,
    kImportOption,
    kStrictOption,
};

constexpr std::string_view kDebugHelp =
    "Runs one program on the interpreter, keeps what it did, and walks through it. A step is a statement that is done: "
    "names\n"
    "hold what they hold behind it. Commands come from standard input, one in a line:\n"
    "  next [N]           N statements on (n; an empty line says the command before again)\n"
    "  back [N]           N statements back (b)\n"
    "  continue           on to the next stop, or to the end (c)\n"
    "  reverse            back to the stop before, or to the beginning (r)\n"
    "  break WHERE        stop at `14`, `nan`, `inf`, `acc > 10` (any element), `14 if k == 3`; alone: list the stops\n"
    "  delete N           without the stop of that number\n"
    "  print NAME[I, J]   what a name holds: all of a small tile, the corner of a large one, a row, an element (p)\n"
    "  names              all names of this function; `*` has just got its value\n"
    "  touched            what the statement loads and stores\n"
    "  where              the line, the calls that led there, the program (w)\n"
    "  list               the source around the line (l)\n"
    "  program X,Y,Z      follow another program\n"
    "  quit               or the end of the input (q)\n"
    "Exit status 2 where a command was none. Arguments are those of `nereid run`; the tensors stay as they are.\n";

} // namespace

constinit const Verb kDebug{"debug",
                            "step through a program of a kernel",
                            "debug FILE.py[:KERNEL] NAME=VALUE… --grid EXPR [options]",
                            kDebugHelp,
                            kDebugOptions,
                            runDebug};

} // namespace nereid::tool
