// ErrorTest.cpp: where errors point, what is kept of a file that has some, and the limits. The wording of each message is
// tested in test/syntax/error-*.py.
#include "Parsing.h"

#include <ctime>

namespace nereid::syntax {

TEST(Error, PointsAtTheWordInQuestion) {
  EXPECT_EQ(Parsed("x = (1, 2 3)\n").place(), "3");
  EXPECT_EQ(Parsed("f(a) = 1\n").place(), "f(a)");
  EXPECT_EQ(Parsed("x = 'abc\n").place(), "'abc");
  EXPECT_EQ(Parsed("f(a=1, b + c)\n").place(), "b + c");
  EXPECT_EQ(Parsed("x = 0777\n").place(), "0777");
  EXPECT_EQ(Parsed("x = '\\x4g'\n").place(), "\\x4");
}

TEST(Error, ABracketThatNobodyClosesIsTheError) {
  Parsed parsed("x = [1,\n     2\ny = 3\n");
  EXPECT_EQ(parsed.message(), "`[` is never closed");
  EXPECT_EQ(parsed.place(), "[");
  EXPECT_EQ(parsed.errorCount(), 1u);
  ASSERT_EQ(parsed.file.body.size(), 1u); // y = 3 is understood
}

TEST(Error, NotePointsAtTheOpeningBracket) {
  Parsed parsed("f(a,\n  b c)\n");
  const Diagnostic &diagnostic = parsed.diagnostics.all().at(0);
  ASSERT_EQ(diagnostic.notes.size(), 1u);
  EXPECT_EQ(diagnostic.notes[0].range.begin, 1u);
}

TEST(Error, RecoversAtTheNextStatement) {
  Parsed parsed("a = 1 +\nb = 2\ndef f(x)\n    return x x\n    y = 3\nc = 4\n");
  EXPECT_EQ(parsed.errorCount(), 3u);
  ASSERT_EQ(parsed.file.body.size(), 3u); // b, f, c
  const auto *function = static_cast<const FunctionDef *>(parsed.statement(1));
  EXPECT_EQ(function->body.size(), 1u); // y = 3
}

TEST(Error, SkipsTheBlockOfABrokenHeader) {
  Parsed parsed("while x y:\n    if a:\n        b c\n    d e\nf = 1\n");
  EXPECT_EQ(parsed.errorCount(), 1u);
  EXPECT_EQ(parsed.file.body.size(), 1u);
}

TEST(Error, RecoversBehindAnFString) {
  Parsed parsed("x = f'''{a b}\nnot code {1 2}\n''' + 1\ny = 2\n");
  EXPECT_EQ(parsed.errorCount(), 1u);
  EXPECT_EQ(parsed.file.body.size(), 1u);
}

TEST(Error, GivesUpAfterFifty) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "x = $\n";
  Parsed parsed(text);
  EXPECT_EQ(parsed.errorCount(), 51u);
  EXPECT_EQ(parsed.message(50), "too many errors; the rest of the file is not checked");
}

static std::string repeat(std::string_view part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += part;
  return text;
}

TEST(Limit, DeepNestingIsOneError) {
  for (const char *part :
       {"(",   "[",      "{",   "-", "not ",         "lambda: ",     "f(",     "x[",     "a + (",   "a.b(",
        "f'{", "f'{a:{", "a**", "*", "x if x else ", "[x for x in ", "await ", "yield ", "(yield ", "x := ("}) {
    Parsed parsed(repeat(part, 10000));
    EXPECT_GE(parsed.errorCount(), 1u) << part;
    EXPECT_LE(parsed.errorCount(), 2u) << part;
    dumpAst(parsed.file);
  }
}

TEST(Limit, LongChainsAreBounded) {
  for (const char *part : {" + a", ".a", "()", "[0]", " if a else a", " ** a", " and a < a"}) {
    Parsed parsed("a" + repeat(part, 200));
    EXPECT_EQ(parsed.errorCount(), 0u) << part;
    dumpAst(parsed.file);
  }
  for (const char *part : {" + a", ".a", "()", "[0]", " if a else a", " ** a"})
    EXPECT_EQ(Parsed("a" + repeat(part, 100000)).errorCount(), 1u) << part;
  EXPECT_EQ(Parsed("if a: pass\n" + repeat("elif a: pass\n", 100000)).errorCount(), 1u);
}

TEST(Limit, WideIsNotDeep) {
  EXPECT_EQ(Parsed("x = [" + repeat("(a + b or c), ", 20000) + "]\n").errorCount(), 0u);
  EXPECT_EQ(Parsed("a" + repeat(" and a", 20000)).errorCount(), 0u);
  EXPECT_EQ(Parsed("a" + repeat(" < a", 20000)).errorCount(), 0u);
  EXPECT_EQ(Parsed(repeat("x = a.b.c(d)[0]\n", 20000)).errorCount(), 0u);
  EXPECT_EQ(Parsed("x = " + repeat("'a' f'{b}' ", 5000)).errorCount(), 0u);
}

TEST(Limit, ALargeFileIsRefusedAtOnce) {
  Diagnostics diagnostics;
  std::clock_t begin = std::clock(); // of the processor: others share it
  EXPECT_EQ(makeSource("large.py", std::string(size_t(100) << 20, 'a'), diagnostics), nullptr);
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 2);
  EXPECT_EQ(diagnostics.all().at(0).message, "`large.py` is too large for a source file (the limit is 16 MiB)");
}

TEST(Limit, BytesThatAreNotText) {
  EXPECT_EQ(Parsed(std::string("x\0y", 3)).message(), "a source file cannot contain a null byte");
  EXPECT_EQ(Parsed("x = '\xff'\n").message(),
            "this byte is not valid UTF-8; save the file as UTF-8 or declare its encoding");
}

} // namespace nereid::syntax
