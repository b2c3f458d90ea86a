// Masks taken apart: no vector of truth values is left, and every thread computes what it did before.
#include "SimtMachine.h"

#include "gpu/nvidia/ScalarMasks.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace nereid::gpu;

static const char *kText = R"(
  declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  define void @kernel(ptr addrspace(1) %out) {
    %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %i = insertelement <4 x i32> poison, i32 %t, i64 0
    %s = shufflevector <4 x i32> %i, <4 x i32> poison, <4 x i32> zeroinitializer
    %x = xor <4 x i32> %s, <i32 1, i32 2, i32 4, i32 8>
    %a = icmp ult <4 x i32> %x, <i32 9, i32 9, i32 20, i32 20>
    %b = icmp ne <4 x i32> %x, <i32 3, i32 4, i32 5, i32 6>
    %m = and <4 x i1> %a, %b
    %wide = shufflevector <4 x i1> %m, <4 x i1> %a, <8 x i32> <i32 0, i32 5, i32 2, i32 7, i32 poison, i32 1, i32 3, i32 6>
    %n = or <8 x i1> %wide, zeroinitializer
    %e0 = extractelement <8 x i1> %n, i64 0
    %e1 = extractelement <8 x i1> %n, i64 1
    %e2 = extractelement <8 x i1> %n, i64 5
    %z0 = zext i1 %e0 to i32
    %z1 = select i1 %e1, i32 2, i32 0
    %z2 = select i1 %e2, i32 4, i32 0
    %o = or i32 %z0, %z1
    %v = or i32 %o, %z2
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
    store i32 %v, ptr addrspace(1) %p
    ret void
  })";

TEST(ScalarMasks, sameValuesWithoutVectors) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(kText, error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  llvm::Function &function = *module->getFunction("kernel");
  auto run = [&] {
    std::vector<uint8_t> global(32 * 4);
    SimtMachine machine(function, 32, 0, global);
    EXPECT_TRUE(machine.run({SimtMachine::kGlobalStart})) << machine.problem;
    return global;
  };
  std::vector<uint8_t> before = run();
  llvm::FunctionAnalysisManager analyses;
  ScalarMasksPass().run(function, analyses);
  EXPECT_EQ(run(), before);
  for (llvm::Instruction &instruction : function.getEntryBlock()) {
    bool isLogic = llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::ShuffleVectorInst>(instruction);
    EXPECT_FALSE(isLogic && instruction.getType()->isVectorTy() &&
                 instruction.getType()->getScalarType()->isIntegerTy(1));
  }
}
