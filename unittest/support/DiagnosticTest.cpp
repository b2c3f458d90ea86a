// DiagnosticTest.cpp: how a diagnostic looks on a terminal.
#include "support/Diagnostic.h"

#include <gtest/gtest.h>

namespace nereid {

static std::string rendered(std::string text, uint32_t begin, uint32_t end) {
  Diagnostics diagnostics;
  diagnostics.error(std::make_shared<Source>("k.py", std::move(text)), {begin, end}, "message");
  return diagnostics.render();
}

TEST(Diagnostic, UnderlinesTheRange) {
  EXPECT_EQ(rendered("a\nxy = zw\n", 7, 9), "k.py:2:6: error: message\nxy = zw\n     ^~\n");
  EXPECT_EQ(rendered("\tab", 1, 3), "k.py:1:2: error: message\n\tab\n\t^~\n");
}

TEST(Diagnostic, CountsCharactersNotBytes) {
  EXPECT_EQ(rendered("éé + é", 7, 9), "k.py:1:8: error: message\néé + é\n     ^\n");
}

TEST(Diagnostic, EndsWithTheLineAndTheFile) {
  EXPECT_EQ(rendered("ab\ncd", 1, 5), "k.py:1:2: error: message\nab\n ^\n");
  EXPECT_EQ(rendered("ab", 2, 2), "k.py:1:3: error: message\nab\n  ^\n");
  EXPECT_EQ(rendered("", 0, 0), "k.py:1:1: error: message\n\n^\n");
}

TEST(Diagnostic, ShowsNothingThatATerminalWouldObey) {
  EXPECT_EQ(rendered("a\x1b[2J\xff", 0, 1), "k.py:1:1: error: message\na?[2J?\n^\n");
}

TEST(Diagnostic, CutsLongLinesAroundTheRange) {
  std::string text(1000, 'a');
  text[500] = 'B';
  std::string out = rendered(text, 500, 501);
  EXPECT_LT(out.size(), 300u);
  size_t line = out.find('\n') + 1, caret = out.find('^') - (out.find('\n', line) + 1);
  EXPECT_EQ(out[line + caret], 'B');
}

TEST(Diagnostic, SuggestsOnlyNearNames) {
  EXPECT_EQ(nearestName("sofmax", {"softmax", "matmul"}), "softmax");
  EXPECT_EQ(nearestName("x", {"softmax", "matmul"}), "");
}

} // namespace nereid
