// What the cache key covers: the same question is answered from the disk, any other one is compiled. The compiler is a
// counting one that emits tile IR (so that imports are followed as they really are) and gives it back as the "object".
#include "jit/Obtain.h"
#include "jit/Evaluate.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace nereid::jit {

namespace fs = std::filesystem;

class ObtainTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "nereid-obtain-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    top = pattern;
  }
  void TearDown() override { fs::remove_all(top); }

  void write(const std::string &name, const std::string &text) {
    fs::create_directories(fs::path(top + "/" + name).parent_path());
    std::ofstream(top + "/" + name) << text;
  }

  Result<Code> compile(KernelModule &module, const CodeRequest &request) {
    ++compilations;
    compiler::TileModule tile =
        module.compiler.compile(*request.binding.kernel, request.specialization.specs, request.binding.options);
    if (!tile.module)
      return module.takeError();
    Code code;
    code.artifact.name = request.binding.kernel->name;
    std::string text = tile.text();
    code.artifact.object.resize(text.size());
    std::memcpy(code.artifact.object.data(), text.data(), text.size());
    return code;
  }

  struct Question {
    std::string file = "main.py", kernel = "kernel", target = "cpu";
    std::vector<Argument> arguments;
    Settings settings;
    bool mayOverlap = false;
    std::vector<std::string> importPaths;
  };
  // As a new process would: everything is loaded again. Gives the IR, or the error.
  std::string ask(const Question &question) {
    compiler::CompilerOptions options;
    options.loader.importPaths = question.importPaths;
    auto module = KernelModule::load(top + "/" + question.file, options);
    return module ? ask(**module, question) : module.error().message;
  }
  std::string ask(KernelModule &module, const Question &question) {
    auto kernel = module.find(question.kernel);
    if (!kernel)
      return kernel.error().message;
    auto values = hostValues(module, question.arguments);
    if (!values)
      return values.error().message;
    auto binding = jit::bind(module, *kernel, std::move(*values), question.settings);
    if (!binding)
      return binding.error().message;
    auto specialization = specialize(*binding);
    if (!specialization)
      return specialization.error().message;
    DiskCache cache({.folder = top + "/cache"});
    auto code = obtainCode(module, {*binding, *specialization, question.target, question.mayOverlap}, cache,
                           [&](KernelModule &m, const CodeRequest &r) { return compile(m, r); });
    if (!code)
      return code.error().message;
    return {reinterpret_cast<const char *>(code->artifact.object.data()), code->artifact.object.size()};
  }
  // How many compilations a question costs.
  int cost(const Question &question) {
    int before = compilations;
    last = ask(question);
    EXPECT_EQ(last.find("error"), std::string::npos) << last;
    return compilations - before;
  }

  std::string top, last;
  int compilations = 0;
};

static const char *const kScale = R"(
import triton
import triton.language as tl

@triton.jit
def kernel(x, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * scale, i < n)
)";

TEST_F(ObtainTest, everythingThatChangesTheCodeIsInTheKey) {
  write("main.py", kScale);
  Tensor x = *Tensor::zeros(DType::Fp32, {64}), half = *Tensor::zeros(DType::Fp16, {64});
  Question question{.arguments = {x, 64, 2.0, 32}};
  EXPECT_EQ(cost(question), 1);
  std::string first = last;
  EXPECT_EQ(cost(question), 0);
  EXPECT_EQ(last, first);
  auto with = [&](auto change) {
    Question other = question;
    change(other);
    return other;
  };
  std::vector<Question> others = {
      with([&](Question &q) { q.arguments[0] = half; }),
      with([&](Question &q) { q.arguments[0] = Tensor::borrow(x.data() + 4, DType::Fp32, {8}); }), // 16 does not divide
      with([&](Question &q) { q.arguments[1] = 63; }),
      with([&](Question &q) { q.arguments[1] = 1; }),
      with([&](Question &q) { q.arguments[1] = int64_t(1) << 40; }),
      with([&](Question &q) { q.arguments[2] = 2; }),
      with([&](Question &q) { q.arguments[3] = 64; }),
      with([&](Question &q) { q.target = "another cpu"; }),
      with([&](Question &q) { q.mayOverlap = true; }),
      with([&](Question &q) { q.settings.shape.numWarps = 8; }),
      with([&](Question &q) { q.settings.debug = true; }),
      with([&](Question &q) { q.importPaths = {"/somewhere"}; }),
  };
  for (size_t i = 0; i < others.size(); ++i) {
    EXPECT_EQ(cost(others[i]), 1) << "question " << i;
    EXPECT_EQ(cost(others[i]), 0) << "question " << i;
  }
  // What cannot change the code is not in it.
  EXPECT_EQ(cost(with([&](Question &q) { q.arguments[1] = 128; })), 0);
  EXPECT_EQ(cost(with([&](Question &q) { q.arguments[2] = 3.5; })), 0);
  EXPECT_EQ(cost(question), 0);
  write("main.py", std::string(kScale) + "# a comment\n");
  EXPECT_EQ(cost(question), 1);
}

TEST_F(ObtainTest, importedFilesAreInTheKey) {
  write("main.py", "import triton\nimport triton.language as tl\nimport middle\n"
                   "@triton.jit\ndef kernel(x):\n    tl.store(x, middle.twice(tl.load(x)))\n");
  // `leaf` is opened only when a name of `middle` is first needed: while the kernel is compiled.
  write("middle.py", "import triton\nfrom leaf import factor\n@triton.jit\ndef twice(v):\n    return v * factor\n");
  write("leaf.py", "import triton.language as tl\nfactor = tl.constexpr(2.0)\n");
  Question question{.arguments = {*Tensor::zeros(DType::Fp32, {1})}};
  EXPECT_EQ(cost(question), 1);
  std::string two = last;
  EXPECT_EQ(cost(question), 0);
  write("leaf.py", "import triton.language as tl\nfactor = tl.constexpr(3.0)\n");
  EXPECT_EQ(cost(question), 1);
  EXPECT_NE(last, two);
  EXPECT_EQ(cost(question), 0);
  write("leaf.py", "import triton.language as tl\nfactor = tl.constexpr(2.0)\n"); // back again: both are kept
  EXPECT_EQ(cost(question), 0);
  EXPECT_EQ(last, two);
  // A folder `leaf` with an __init__.py goes before leaf.py, as in Python.
  write("leaf/__init__.py", "import triton.language as tl\nfactor = tl.constexpr(5.0)\n");
  EXPECT_EQ(cost(question), 1);
  EXPECT_NE(last, two);
  EXPECT_EQ(cost(question), 0);
  fs::remove_all(top + "/leaf");
  EXPECT_EQ(cost(question), 0);
  EXPECT_EQ(last, two);
  write("middle.py", "import triton\n@triton.jit\ndef twice(v):\n    return v * 7.0\n");
  EXPECT_EQ(cost(question), 1);
}

TEST_F(ObtainTest, functionsAsArguments) {
  write("main.py", "import triton\nimport triton.language as tl\n"
                   "@triton.jit\ndef one(v):\n    return v + 1.0\n"
                   "@triton.jit\ndef two(v):\n    return v + 2.0\n"
                   "def make(k):\n    @triton.jit\n    def inner(v):\n        return v + k\n    return inner\n"
                   "made = [make(tl.constexpr(3.0)), make(tl.constexpr(4.0))]\n"
                   "@triton.jit\ndef kernel(x, f: tl.constexpr):\n    tl.store(x, f(tl.load(x)))\n");
  Tensor x = *Tensor::zeros(DType::Fp32, {1});
  Question one{.arguments = {x, Expression{"one"}}}, two{.arguments = {x, Expression{"two"}}};
  EXPECT_EQ(cost(one), 1);
  std::string first = last;
  EXPECT_EQ(cost(two), 1);
  EXPECT_NE(last, first);
  EXPECT_EQ(cost(one), 0);
  EXPECT_EQ(last, first);
  // A function that another one made has no name: compiled each time, and never mistaken for its sibling.
  Question three{.arguments = {x, Expression{"made[0]"}}};
  EXPECT_EQ(cost(three), 1);
  EXPECT_EQ(cost(three), 1);
}

TEST_F(ObtainTest, damagedEntriesAreCompiledAgain) {
  write("main.py", kScale);
  Question question{.arguments = {*Tensor::zeros(DType::Fp32, {64}), 64, 2.0, 32}};
  EXPECT_EQ(cost(question), 1);
  std::string first = last;
  for (int round = 0; round < 3; ++round) {
    for (const auto &entry : fs::recursive_directory_iterator(top + "/cache"))
      if (entry.path().extension() == ".kernel") {
        std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(100 + round * 50);
        file.put('\x7f');
      }
    EXPECT_EQ(cost(question), 1);
    EXPECT_EQ(last, first);
    EXPECT_EQ(cost(question), 0);
  }
}

TEST_F(ObtainTest, anErrorIsNotKept) {
  write("main.py", "import triton\nimport triton.language as tl\n"
                   "@triton.jit\ndef kernel(x):\n    tl.store(x, missing)\n");
  Question question{.arguments = {*Tensor::zeros(DType::Fp32, {1})}};
  EXPECT_NE(ask(question).find("error"), std::string::npos);
  EXPECT_NE(ask(question).find("error"), std::string::npos);
  EXPECT_EQ(compilations, 2);
}

} // namespace nereid::jit
