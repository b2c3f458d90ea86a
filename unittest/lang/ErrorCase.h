// ErrorCase.h: the wrong kernels of test/errors. A file is a list of cases; every case is a small kernel file of its own:
//
//   # --- a keyword that `load` does not have
//   # sig: p=*fp32, BLOCK=64
//   @triton.jit
//   def kernel(p, BLOCK: tl.constexpr):
//       tl.load(p + tl.arange(0, BLOCK), msk=None)
//   #                                    ^~~~~~~~ error: `load` has no parameter `msk`
//   #   note: did you mean `mask`?
//
// What stands before the first case (imports, helpers) belongs to every case. The line under a mistake repeats what is
// underlined and said; a note without a place follows it. A case that must compile says `# accepted`; one whose error may
// come at any step of a loop says `# at any place`.
#pragma once

#include "compiler/Compiler.h"

#include <set>
#include <string>
#include <vector>

namespace nereid::test {

struct ErrorCase {
  std::string file; // its path
  std::string title;
  unsigned line = 0;                      // of its title, 1-based
  std::vector<std::string> prefix, lines; // of the file, and of the case (its title is the first)

  // Compiles the last jit function of the case; gives all that was said.
  Diagnostics compile(const std::string &importPath) const;
  // The lines of the case without their expectations, and with those that `said` stands for.
  std::vector<std::string> annotate(const Diagnostics &said) const;
  bool isAccepted() const;
  bool isAtAnyPlace() const;

private:
  std::string signature() const;
  std::string text() const; // padded, so that its lines have the numbers that they have in the file
};

// What is said by the expectations among `lines`, without their places.
std::multiset<std::string> messagesOf(const std::vector<std::string> &lines);

std::vector<ErrorCase> readErrorCases(const std::string &path);

} // namespace nereid::test
