// A bug of ours, made on purpose: a pass leaves IR that does not verify. Every way in says that it is an internal error, and leaves
// a file with all that shows it again.
#include "Command.h"

#include "codegen/RunPasses.h"
#include "jit/Backend.h"
#include "jit/Evaluate.h"
#include "jit/Reproducer.h"
#include "jit/Signature.h"
#include "nereid/nereid.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace nereid {

namespace {

constexpr const char *kText = "import triton\n"
                              "import triton.language as tl\n"
                              "\n"
                              "@triton.jit\n"
                              "def twice(x, n, BLOCK: tl.constexpr):\n"
                              "    at = tl.arange(0, BLOCK)\n"
                              "    tl.store(x + at, tl.load(x + at, at < n) * 2, at < n)\n";

std::string faultyPass;

// Takes the arguments out of the function's type.
void spoil(llvm::StringRef pass, mlir::Operation *op) {
  if (pass != faultyPass)
    return;
  auto none = mlir::FunctionType::get(op->getContext(), {}, {});
  op->walk([&](mlir::func::FuncOp function) { function.setFunctionType(none); });
}

class InternalError : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "nereid-internal-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    setenv("TMPDIR", folder.c_str(), 1);
    setenv("NEREID_CACHE_DIR", folder.c_str(), 1);
    std::ofstream(folder + "/kernel.py") << kText;
    codegen::setPassFault(spoil);
  }
  void TearDown() override {
    codegen::setPassFault(nullptr);
    unsetenv("TMPDIR");
    std::filesystem::remove_all(folder);
  }

  // The file that a message names.
  std::string reproducerOf(const std::string &message) {
    EXPECT_NE(message.find("internal error in Nereid"), std::string::npos) << message;
    size_t begin = message.find(folder + "/nereid-internal-error-");
    EXPECT_NE(begin, std::string::npos) << message;
    if (begin == std::string::npos)
      return "";
    std::ifstream file(message.substr(begin, message.find('\n', begin) - begin));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  void expectReproducer(const std::string &message, const std::string &signature, const std::string &kind) {
    std::string text = reproducerOf(message);
    for (const std::string &part :
         {std::string("after ") + faultyPass, std::string("kernel: twice\n"), "signature: " + signature + "\n",
          std::string("num_warps: 4\n"), "---- IR before `" + faultyPass + "`\n", std::string("func.func @twice("),
          kind, std::string("---- source: "), std::string(kText)})
      EXPECT_NE(text.find(part), std::string::npos) << "no `" << part << "` in:\n" << text;
  }

  Result<jit::Launched> launch(const char *device) {
    auto module = jit::KernelModule::parse("kernel.py", kText);
    EXPECT_TRUE(module);
    jit::Settings settings;
    settings.device = device, settings.grid = {1};
    Tensor x = *Tensor::zeros(DType::Fp32, {16});
    return jit::launch(**module, *(*module)->find("twice"), {x, 16, 16}, settings);
  }

  std::string folder;
};

} // namespace

TEST_F(InternalError, InTheTilePasses) {
  faultyPass = "tile-merge-select";
  Result<jit::Launched> launched = launch("interp");
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().status, Status::Internal);
  expectReproducer(launched.error().message, "x=*fp32:16, n=i32:16, BLOCK=16", "tile.load");
}

TEST_F(InternalError, InTheCpuPlan) {
  faultyPass = "tile-separate-strips";
  Result<jit::Launched> launched = launch("cpu");
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().status, Status::Internal);
  expectReproducer(launched.error().message, "x=*fp32:16, n=i32:16, BLOCK=16", "target: x86_64");
}

TEST_F(InternalError, OfTheCommandLine) {
  faultyPass = "warp-order-memory";
  std::ostringstream out, err;
  tool::Console console{out, err, false};
  std::vector<std::string> words{
      "compile", folder + "/kernel.py", "-s", "x=*fp32:16, n=i32, BLOCK=1024", "--emit", "ptx", "--target", "sm_80"};
  EXPECT_EQ(tool::runCommand(words, console), tool::kInternal);
  expectReproducer(err.str(), "x=*fp32:16, n=i32, BLOCK=1024", "target: sm_80");
  EXPECT_EQ(out.str(), "");
}

TEST_F(InternalError, OfTheInterfacesOfCAndCpp) {
  faultyPass = "tile-separate-strips";
  auto module = Module::parse("kernel.py", kText);
  ASSERT_TRUE(module) << module.error().message;
  auto kernel = module->kernel("twice");
  ASSERT_TRUE(kernel) << kernel.error().message;
  Tensor x = *Tensor::zeros(DType::Fp32, {16});
  Result<void> launched = kernel->on(Device::cpu())(Grid{1}, x, 16, 16);
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().status, Status::Internal);
  EXPECT_EQ(int(launched.error().status), int(NEREID_INTERNAL));
  expectReproducer(launched.error().message, "x=*fp32:16, n=i32:16, BLOCK=16", "tile.store");
}

TEST_F(InternalError, SaysTuplesAsSignaturesAreRead) {
  auto module = jit::KernelModule::parse("kernel.py", "import triton\n"
                                                      "\n"
                                                      "@triton.jit\n"
                                                      "def pair(out, extra, kept, more=None):\n"
                                                      "    pass\n");
  ASSERT_TRUE(module);
  std::string text = "out=(*fp32:16, (i32, 1)), extra=(fp16,), kept=(1, 2), more=None";
  auto read = jit::parseSignature(**module, text);
  ASSERT_TRUE(read) << read.error().message;
  auto kernel = (*module)->find("pair");
  auto binding = jit::bind(**module, *kernel, *read, {});
  ASSERT_TRUE(binding) << binding.error().message;
  auto specialization = jit::specialize(*binding);
  ASSERT_TRUE(specialization) << specialization.error().message;
  EXPECT_EQ(jit::signatureOf(**kernel, specialization->specs), text);
}

TEST_F(InternalError, IsNoOtherError) {
  codegen::setPassFault(nullptr);
  Result<jit::Launched> launched = launch("cpu");
  EXPECT_TRUE(launched) << launched.error().message;
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    EXPECT_EQ(entry.path().string().find("internal-error"), std::string::npos);
}

} // namespace nereid
