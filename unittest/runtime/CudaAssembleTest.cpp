// The assembler's words read, programs run without a shell, and PTX to machine code where this machine has a ptxas.
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/AssembledLines.h"
#include "runtime/cuda/CodeBytes.h"
#include "runtime/cuda/FindPtxas.h"
#include "runtime/cuda/Subprocess.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

namespace nereid::cuda {

static const std::string kPtx = ".version 8.0\n.target sm_80\n.address_size 64\n"       // 1-3
                                ".visible .entry first()\n{\n\t.loc 1 5 1\n\tret;\n}\n" // 4-8
                                ".visible .entry kernel(.param .u64 x)\n{\n"            // 9-10
                                "\t.loc 2 17 9\n\tnonsense.u32 a, b;\n\tret;\n}\n"      // 11-14
                                "\t.file 1 \"/home/me/other.py\"\n\t.file 2 \"/home/me/kernel.py\"\n";

TEST(CudaAssemble, AProblemLeadsToItsSourceLine) {
  PtxProblem problem =
      readPtxLog("ptxas /tmp/k.ptx, line 12; error   : Not a name of any known instruction: 'nonsense'\n"
                 "ptxas fatal   : Ptx assembly aborted due to errors\n",
                 kPtx);
  EXPECT_EQ(problem.message, "Not a name of any known instruction: 'nonsense'");
  EXPECT_EQ(problem.ptxLine, 12u);
  EXPECT_EQ(problem.ptxText, "nonsense.u32 a, b;");
  EXPECT_EQ(problem.file, "/home/me/kernel.py");
  EXPECT_EQ(problem.line, 17u);
  EXPECT_EQ(problem.column, 9u);
}

TEST(CudaAssemble, TooFewRegistersAreExplained) {
  PtxProblem problem =
      readPtxLog("ptxas fatal   : (C7602) Insufficient registers (128) to compile instruction at line 12 in "
                 "function k. Try to compile with register target of 154 or higher.\n"
                 "ptxas fatal   : Ptx assembly aborted due to errors\n",
                 kPtx);
  EXPECT_EQ(problem.message, "a thread has 128 registers, and this takes 154 or more: smaller tiles or fewer warps do");
  EXPECT_EQ(problem.ptxLine, 12u);
  EXPECT_EQ(problem.line, 17u);
  std::string wide = std::string(kPtx) + "\n" + std::string(500, 'x');
  uint32_t last = uint32_t(std::count(wide.begin(), wide.end(), '\n')) + 1;
  EXPECT_EQ(readPtxLog("ptxas x, line " + std::to_string(last) + "; error : no", wide).ptxText,
            std::string(120, 'x') + " …");
}

TEST(CudaAssemble, WithoutAMarkThereIsNoSourceLine) {
  PtxProblem problem = readPtxLog("ptxas app, line 10; error : no", kPtx);
  EXPECT_EQ(problem.line, 0u); // the mark above belongs to another kernel
  EXPECT_EQ(describe(problem, "kernel"),
            "error: the PTX of `kernel` cannot be assembled: no\nnote: line 10 of the PTX: `{`\n");
  EXPECT_EQ(readPtxLog("", kPtx).message, "");
  EXPECT_EQ(readPtxLog("ptxas x, line 9999; error : far", kPtx).ptxText, "");
}

TEST(CudaAssemble, RemarksAreWhatCostsSpeed) {
  std::string log = "ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized\n"
                    "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
                    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "    112 bytes stack frame, 192 bytes spill stores, 192 bytes spill loads\n";
  EXPECT_EQ(remarksOf(log),
            "ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized\n"
            "112 bytes stack frame, 192 bytes spill stores, 192 bytes spill loads\n");
}

TEST(CudaAssemble, ResourcesAreRead) {
  Resources used = resourcesOf(
      "ptxas info    : Function properties for k\n"
      "    112 bytes stack frame, 192 bytes spill stores, 192 bytes spill loads\n"
      "ptxas info    : Used 166 registers, used 16 barriers, 112 bytes cumulative stack size, 1024 bytes smem\n");
  EXPECT_EQ(used.registers, 166u);
  EXPECT_EQ(used.localBytes, 112u);
  EXPECT_EQ(used.sharedBytes, 1024u);
  EXPECT_EQ(resourcesOf("").registers, 0u);
  EXPECT_EQ(
      resourcesOf(
          "ptxas info    : (C7515) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
          "non wgmma instructions defining accumulator registers of a wgmma in the function 'k'\n"
          "ptxas info    : Used 141 registers, used 1 barriers\n")
          .registers,
      141u);
}

TEST(CudaAssemble, Programs) {
  Result<Finished> echoed = runProgram("/bin/echo", {"$HOME", "a b;c"});
  ASSERT_TRUE(echoed);
  EXPECT_EQ(echoed->output, "$HOME a b;c\n"); // no shell looked at it
  EXPECT_EQ(runProgram("/bin/false", {})->status, 1);
  int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::string path = "/proc/self/fd/" + std::to_string(file);
  EXPECT_EQ(runProgram("/bin/cat", {path}, {file})->status, 0);
  EXPECT_EQ(runProgram("/bin/cat", {path})->status, 1); // closed there
  close(file);
  Result<Finished> missing = runProgram("/nonexistent/ptxas", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "error: `/nonexistent/ptxas` cannot be started: No such file or directory\n");
}

TEST(CudaAssemble, MachineCodeNamesTheLinesOfItsPtx) {
  if (findPtxas().path.empty())
    GTEST_SKIP() << "there is no ptxas on this machine";
  std::string kernel = "f", target = "sm_90a";
  std::string ptx =
      ".version 8.3\n.target sm_90a\n.address_size 64\n\t.file\t1 \"a.py\"\n.visible .entry f(.param .u64 p)\n"
      "{\n\t.reg .b64 %rd<2>;\n\t.reg .f32 %f<6>;\n\t.loc 1 3 1\n\tld.param.u64 %rd1, [p];\n"
      "\tld.global.f32 %f1, [%rd1];\n"
      "\tmul.rn.f32 %f2, %f1, %f1;\n" // 12
      "\tadd.rn.f32 %f3, %f1, 0f3F800000;\n"
      "\tadd.rn.f32 %f4, %f1, 0f40000000;\n" // nothing needs it
      "\tfma.rn.f32 %f5, %f2, %f2, %f3;\n"   // 15
      "\tst.global.f32 [%rd1], %f5;\n\tret;\n}\n";
  Result<Assembled> assembled = assemble({kernel, ptx, target});
  ASSERT_TRUE(assembled) << assembled.error().message;
  std::vector<std::pair<uint32_t, uint32_t>> lines;
  for (auto [line, instructions, guarded] : fp32LinesOf(assembled->image)) {
    lines.emplace_back(line, instructions);
    EXPECT_EQ(guarded, 0u);
  }
  EXPECT_EQ(lines, (std::vector<std::pair<uint32_t, uint32_t>>{{12, 1}, {13, 1}, {15, 1}}));
  EXPECT_TRUE(fp32LinesOf({}).empty());
}

TEST(CudaAssemble, RealPtx) {
  if (findPtxas().path.empty())
    GTEST_SKIP() << "there is no ptxas on this machine";
  std::string good = kPtx, target = "sm_80", kernel = "kernel";
  good.erase(good.find("\tnonsense"), std::string("\tnonsense.u32 a, b;\n").size());
  Result<Assembled> assembled = assemble({kernel, good, target});
  ASSERT_TRUE(assembled) << assembled.error().message;
  ASSERT_GT(assembled->image.size(), 4u);
  EXPECT_EQ(assembled->image[1], std::byte('E')); // ELF
  EXPECT_GT(codeBytesOf(assembled->image), 0u);
  EXPECT_EQ(codeBytesOf(assembled->image) % 128, 0u);
  for (size_t size = 0; size < assembled->image.size(); size += 61) // what is cut off is not read
    EXPECT_LE(codeBytesOf(std::span(assembled->image).first(size)), size);
  for (size_t size = 0; size < assembled->image.size(); size += 7)
    fp32LinesOf(std::span(assembled->image).first(size));
  std::optional<PtxProblem> problem;
  Result<Assembled> refused = assemble({kernel, kPtx, target}, &problem);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, Status::BadInput);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->line, 17u);
  std::string unknown = "sm_999";
  Result<Assembled> tooNew = assemble({kernel, good, unknown});
  ASSERT_FALSE(tooNew);
  EXPECT_EQ(tooNew.error().status, Status::Environment); // the driver may know it
}

} // namespace nereid::cuda
