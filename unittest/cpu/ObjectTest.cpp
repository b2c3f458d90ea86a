// ObjectTest.cpp: machine code for each kind of CPU from one module.
#include "cpu/Object.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace nereid::cpu {

static std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context, const std::string &text) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module;
}

// Through a stack slot, with an address computed twice: what the emitter leaves for the passes.
static const char *const kAddRows = R"(
define void @addRows(ptr noalias %p, ptr noalias %q, i64 %n) {
  %slot = alloca <16 x float>, align 64
  br label %loop
loop:
  %i = phi i64 [0, %0], [%next, %loop]
  %a = getelementptr float, ptr %p, i64 %i
  %x = load <16 x float>, ptr %a, align 4
  store <16 x float> %x, ptr %slot, align 64
  %y = load <16 x float>, ptr %q, align 4
  %z = load <16 x float>, ptr %slot, align 64
  %sum = fadd <16 x float> %y, %z
  %b = getelementptr float, ptr %p, i64 %i
  store <16 x float> %sum, ptr %b, align 4
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
})";

static std::string assemblyFor(std::string_view cpu, const std::string &text) {
  std::optional<Target> target = findTarget(cpu);
  EXPECT_TRUE(target);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(context, text);
  optimize(*module, *target);
  Result<std::string> assembly = emitAssembly(*module, *target);
  EXPECT_TRUE(assembly) << assembly.error().message;
  return assembly ? *assembly : "";
}

TEST(Object, VectorsHaveTheWidthOfTheTarget) {
  std::string plain = assemblyFor("x86-64", kAddRows), v3 = assemblyFor("x86-64-v3", kAddRows);
  std::string v4 = assemblyFor("x86-64-v4", kAddRows), arm = assemblyFor("aarch64", kAddRows);
  EXPECT_EQ(plain.find("ymm"), std::string::npos);
  EXPECT_NE(plain.find("addps"), std::string::npos);
  EXPECT_NE(v3.find("ymm"), std::string::npos);
  EXPECT_NE(v3.find("vzeroupper"), std::string::npos);
  EXPECT_EQ(v3.find("zmm"), std::string::npos);
  EXPECT_NE(v4.find("zmm"), std::string::npos);
  EXPECT_NE(assemblyFor("sapphirerapids", kAddRows).find("zmm"), std::string::npos);
  EXPECT_NE(arm.find("fadd\tv"), std::string::npos) << arm;
}

TEST(Object, PassesRemoveSlotsAndInvariants) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(context, kAddRows);
  optimize(*module, *findTarget("x86-64-v4"));
  unsigned slots = 0, loads = 0;
  for (llvm::BasicBlock &block : *module->getFunction("addRows"))
    for (llvm::Instruction &instruction : block) {
      slots += instruction.getOpcode() == llvm::Instruction::Alloca;
      loads += instruction.getOpcode() == llvm::Instruction::Load;
    }
  EXPECT_EQ(slots, 0u);
  EXPECT_EQ(loads, 2u);
}

TEST(Object, HostIsElf) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(context, kAddRows);
  optimize(*module, hostTarget());
  Result<std::vector<std::byte>> object = emitObject(*module, hostTarget());
  ASSERT_TRUE(object) << object.error().message;
  ASSERT_GT(object->size(), 64u);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(object->data()), 4), "\x7f"
                                                                            "ELF");
}

TEST(Object, BadInlineAssemblyIsAnError) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      parse(context, "define void @f() {\n call void asm sideeffect \"mov.u32 $$0, %tid.x;\", \"\"()\n ret void\n}\n");
  Result<std::vector<std::byte>> object = emitObject(*module, *findTarget("x86-64"));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().status, Status::BadInput);
  EXPECT_NE(object.error().message.find("no machine code for x86-64: "), std::string::npos) << object.error().message;
}

TEST(Target, Names) {
  EXPECT_EQ(findTarget("x86-64")->vectorBits, 128u);
  EXPECT_EQ(findTarget("x86-64-v3")->vectorBits, 256u);
  EXPECT_EQ(findTarget("x86-64-v4")->vectorBits, 512u);
  EXPECT_TRUE(findTarget("sapphirerapids")->hasAmxBf16 && findTarget("sapphirerapids")->hasAmxInt8);
  EXPECT_EQ(findTarget("native")->key(), hostTarget().key());
  EXPECT_EQ(findTarget("cpu")->key(), hostTarget().key());
  EXPECT_FALSE(findTarget("sm_90a"));
  EXPECT_FALSE(findTarget(""));
  EXPECT_NE(findTarget("x86-64-v3")->key(), findTarget("x86-64-v4")->key());
}

TEST(Target, FeaturesOneByOne) {
  Target avx = *findTarget("x86-64-v2+avx");
  EXPECT_TRUE(avx.hasAvx && avx.hasRounding);
  EXPECT_FALSE(avx.hasFma || avx.hasF16c || avx.hasAvx512 || avx.vectorBits > 128);
  EXPECT_EQ(avx.requiredFeatures(), "sse3,ssse3,sse4.1,sse4.2,popcnt,avx");
  EXPECT_EQ(findTarget("x86-64+fma+avx2")->key(), findTarget("x86-64+avx2+fma")->key());
  EXPECT_EQ(findTarget("x86-64+avx2")->vectorBits, 256u);
  EXPECT_FALSE(findTarget("x86-64+avx2")->hasFma);
  EXPECT_FALSE(findTarget("x86-64")->hasRounding);
  EXPECT_TRUE(findTarget("x86-64+sse4.1")->hasRounding);
  EXPECT_TRUE(findTarget("x86-64-v3+avxvnni")->hasVnni);
  EXPECT_FALSE(findTarget("x86-64-v4+avxvnni")->hasVnni);
  EXPECT_TRUE(findTarget("x86-64-v4+amx-int8")->hasAmxInt8);
  EXPECT_FALSE(findTarget("x86-64-v4+amx-int8")->hasAmxBf16);
  for (const char *wrong : {"x86-64+avx3", "x86-64+", "x86-64++avx", "haswell", "x86-64-v5", "aarch64+avx", "+avx"})
    EXPECT_FALSE(findTarget(wrong)) << wrong;
}

// A CPU with parts of AVX-512 only counts as one without: registers of 512 bits need all the common ones.
TEST(Target, PartsOfAvx512) {
  EXPECT_EQ(findTarget("x86-64-v3+avx512f+avx512cd")->key(), findTarget("x86-64-v3")->key());
  EXPECT_EQ(findTarget("x86-64-v3+avx512bw+avx512dq+avx512vl")->vectorBits, 512u);
}

// No instruction of code for a target needs more than the target names.
TEST(Target, CodeKeepsToTheFeatures) {
  EXPECT_EQ(assemblyFor("x86-64-v2", kAddRows).find("vaddps"), std::string::npos);
  EXPECT_NE(assemblyFor("x86-64-v2+avx", kAddRows).find("vaddps"), std::string::npos);
}

TEST(Target, RunsHere) {
  EXPECT_TRUE(hostTarget().runsHere());
  EXPECT_EQ(findTarget("x86-64")->runsHere(), hostTarget().isX86);
  EXPECT_EQ(findTarget("aarch64")->runsHere(), !hostTarget().isX86);
  if (!hostTarget().hasAmxBf16)
    EXPECT_FALSE(findTarget("x86-64+amx-bf16")->runsHere());
}

} // namespace nereid::cpu
