// DiagnosticsTest.cpp: every wrong kernel of test/errors gives exactly one error: at the expected place, with the expected
// words and notes, and without a word that only the compiler's authors know. NEREID_UPDATE_ERRORS=1 writes what is said
// now into the files instead of comparing: look at the difference before you commit it.
#include "ErrorCase.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace nereid::test {

namespace fs = std::filesystem;

// test/errors of the checkout that this program was built in.
static fs::path errorFolder() {
  for (fs::path folder = fs::read_symlink("/proc/self/exe").parent_path(); folder != folder.root_path();
       folder = folder.parent_path())
    if (fs::exists(folder / "test" / "errors" / "names.py"))
      return folder / "test" / "errors";
  return {};
}

static std::vector<ErrorCase> allCases() {
  std::vector<fs::path> files;
  if (fs::path folder = errorFolder(); !folder.empty())
    for (const auto &entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".py")
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<ErrorCase> cases;
  for (const fs::path &file : files)
    for (ErrorCase &each : readErrorCases(file.string()))
      cases.push_back(std::move(each));
  return cases;
}

static std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

// Words of the implementation: no user has to know them.
static void expectPlainWords(const Diagnostic &diagnostic) {
  static constexpr std::string_view kInternal[] = {"tile.",
                                                   "arith.",
                                                   "mlir",
                                                   "MLIR",
                                                   "scf",
                                                   "func.",
                                                   "cf.",
                                                   "ub.",
                                                   "LLVM",
                                                   "llvm",
                                                   "Value",
                                                   "nullptr",
                                                   "monostate",
                                                   "std::",
                                                   "AST",
                                                   "ssa",
                                                   "SSA",
                                                   "verif",
                                                   "dialect",
                                                   "emitter",
                                                   "memref",
                                                   "vector<",
                                                   "internal error in Nereid",
                                                   "operand #",
                                                   "result #",
                                                   "0x"};
  for (std::string_view word : kInternal)
    EXPECT_EQ(diagnostic.message.find(word), std::string::npos) << "`" << word << "` in: " << diagnostic.message;
  ASSERT_FALSE(diagnostic.message.empty());
  EXPECT_FALSE(std::isupper(static_cast<unsigned char>(diagnostic.message[0]))) << diagnostic.message;
  EXPECT_NE(diagnostic.message.back(), '.') << diagnostic.message;
  for (const Diagnostic &note : diagnostic.notes)
    expectPlainWords(note);
}

// What gtest prints for a case that fails.
void PrintTo(const ErrorCase &errorCase, std::ostream *stream) { *stream << errorCase.title; }

class Errors : public testing::TestWithParam<ErrorCase> {};

TEST_P(Errors, SaysWhatIsExpected) {
  const ErrorCase &errorCase = GetParam();
  Diagnostics said = errorCase.compile((errorFolder() / "Inputs").string());
  if (errorCase.isAtAnyPlace())
    EXPECT_EQ(messagesOf(errorCase.annotate(said)), messagesOf(errorCase.lines)) << said.render();
  else
    EXPECT_EQ(joined(errorCase.annotate(said)), joined(errorCase.lines))
        << errorCase.file << ":" << errorCase.line << "\n"
        << said.render();
  size_t errors = 0;
  for (const Diagnostic &diagnostic : said.all()) {
    errors += diagnostic.severity == Severity::Error;
    expectPlainWords(diagnostic);
  }
  EXPECT_EQ(errors, errorCase.isAccepted() ? 0u : 1u) << errorCase.file << ":" << errorCase.line;
}

static std::string testName(const testing::TestParamInfo<ErrorCase> &info) {
  std::string name = fs::path(info.param.file).stem().string() + "_" + std::to_string(info.param.line) + "_";
  for (char c : info.param.title)
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (name.back() != '_')
      name += '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Errors, testing::ValuesIn(allCases()), testName);

TEST(ErrorFiles, HoldAtLeast220WrongKernels) {
  size_t wrong = 0;
  for (const ErrorCase &each : allCases())
    wrong += !each.isAccepted();
  EXPECT_GE(wrong, 220u);
}

TEST(ErrorFiles, AreUpdatedOnDemand) {
  if (!std::getenv("NEREID_UPDATE_ERRORS"))
    GTEST_SKIP() << "set NEREID_UPDATE_ERRORS=1 to write the files";
  std::map<std::string, std::string> texts;
  for (const ErrorCase &each : allCases()) {
    std::string &text = texts[each.file];
    if (text.empty())
      text = joined(each.prefix);
    text += joined(each.annotate(each.compile((errorFolder() / "Inputs").string())));
  }
  for (const auto &[file, text] : texts)
    std::ofstream(file) << text;
}

} // namespace nereid::test
