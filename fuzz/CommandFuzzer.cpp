// CommandFuzzer.cpp: bytes as a command line, words separated by line ends. Whatever they say, the command ends with
// one of its four exit statuses.
//
// libraries: nereidTool
#include "Command.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>

using namespace nereid;

// Numbers of more digits, and those that are computed, ask for much work: who asks for gigabytes or for millions of programs
// gets them.
static bool asksForMuch(std::string_view text, int digits) {
  return std::count_if(text.begin(), text.end(), isdigit) > digits || text.find('*') != text.npos ||
         text.find("<<") != text.npos;
}

// Commands that write files, look outside of the working directory or measure for seconds are left out, and so is the
// CPU: compiled code does not check its accesses, so a wrong size on the command line is a wild store. Tensors, blocks and grids
// are small.
static bool isAllowed(const std::string &word, const std::string &before) {
  if (size_t extents = word.find('['); extents != std::string::npos && asksForMuch(word.substr(extents), 6))
    return false;
  if ((before == "--grid" || word.starts_with("--grid=")) && asksForMuch(word, 2))
    return false;
  if (word.starts_with("B=") && asksForMuch(word, 5))
    return false;
  return word != "bench" && word != "tune" && word != "learn" && word != "clear" && word != "cpu" && word != "--open" &&
         !word.ends_with("=cpu") && !word.starts_with("--save") && !word.starts_with("--output") &&
         !word.starts_with("-o") && word.find("..") == std::string::npos && word.find('/') == std::string::npos;
}

static constexpr const char *kKernel = "kernel.py";

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  setenv("NEREID_DEVICE", "interp", 1);
  // A kernel that the words may name; the working directory is the fuzzer's own.
  if (FILE *file = std::fopen(kKernel, "w")) {
    std::fputs("import triton\nimport triton.language as tl\n\n@triton.jit\ndef f(x, n, B: tl.constexpr = 16):\n"
               "    i = tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(x + i, i, mask=i < n)\n",
               file);
    std::fclose(file);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<std::string> words;
  std::istringstream lines(std::string(reinterpret_cast<const char *>(data), size));
  for (std::string line; std::getline(lines, line) && words.size() < 64;) {
    if (!isAllowed(line, words.empty() ? "" : words.back()))
      return 0;
    words.push_back(line);
  }
  std::ostringstream out, err;
  tool::Console console{out, err, false, 64};
  int status = tool::runCommand(words, console);
  if (status < 0 || status > 3)
    std::abort();
  // Every refusal says why.
  if (status == tool::kBadInput && err.str().empty() && out.str().empty())
    std::abort();
  return 0;
}
