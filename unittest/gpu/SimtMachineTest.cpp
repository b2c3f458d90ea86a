// The simulator itself: it must see the races that barriers prevent, and threads that miss each other.
#include "SimtMachine.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace nereid::gpu;

static std::string problemOf(const std::string &between, const std::string &prefix = "") {
  std::string text = R"(
    @memory = external addrspace(3) global [0 x i8], align 16
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
    declare void @llvm.nvvm.bar.warp.sync(i32)
    define void @kernel(ptr addrspace(1) %out) {
    entry:
      %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %mine = getelementptr i32, ptr addrspace(3) @memory, i32 %t
      store i32 %t, ptr addrspace(3) %mine
      %other = xor i32 %t, )" +
                     prefix + R"(
      br label %middle
    middle:
    )" + between + R"(
      br label %last
    last:
      %theirs = getelementptr i32, ptr addrspace(3) @memory, i32 %other
      %v = load i32, ptr addrspace(3) %theirs
      %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
      store i32 %v, ptr addrspace(1) %p
      ret void
    })";
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  if (!module)
    return error.getMessage().str();
  std::vector<uint8_t> global(64 * 4);
  SimtMachine machine(*module->getFunction("kernel"), 64, 64 * 4, global);
  machine.run({SimtMachine::kGlobalStart});
  if (machine.problem.empty() && global[0] != (prefix == "32" ? 32 : 1))
    return "wrong value";
  return machine.problem;
}

TEST(SimtMachine, racesAndBarriers) {
  const std::string block = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
  const std::string warp = "call void @llvm.nvvm.bar.warp.sync(i32 -1)\n";
  EXPECT_EQ(problemOf(block, "1"), "");
  EXPECT_EQ(problemOf(block, "32"), "");
  EXPECT_EQ(problemOf(warp, "1"), "");
  EXPECT_EQ(problemOf("", "1").substr(0, 5), "race:");
  EXPECT_EQ(problemOf(warp, "32").substr(0, 5), "race:");
  EXPECT_EQ(problemOf("%first = icmp eq i32 %t, 0\nbr i1 %first, label %alone, label %others\nalone:\n" + block +
                          "br label %last\nothers:\n" + block,
                      "1"),
            "threads wait at different places");
}
