// Tiles taken apart: no vector is computed that is wider than a register, and every thread computes what it did before.
#include "RunPtx.h"

#include "gpu/nvidia/Ptx.h"
#include "gpu/nvidia/SplitTiles.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include "gtest/gtest.h"

#include <random>

using namespace nereid::gpu;

static bool isTooWide(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector)
    return false;
  return vector->getElementType()->isIntegerTy(1) || vector->getPrimitiveSizeInBits() != 32;
}

// Runs the kernel before and after, on 32 threads with 16 bytes of memory for each.
static void expectSame(const std::string &text, bool checksWidths = true) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(text, error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  llvm::Function &function = *module->getFunction("kernel");
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  std::vector<uint8_t> global(32 * 16); // in one place, which may be part of what is computed
  auto run = [&] {
    for (unsigned i = 0; i < global.size(); ++i)
      global[i] = uint8_t(i * 37 + 11);
    nereid::Result<std::string> ptx = emitPtx(*llvm::CloneModule(*module), Options());
    EXPECT_TRUE(ptx) << ptx.error().message;
    std::string problem = runPtx(*ptx, 32, 0, global, {reinterpret_cast<uint64_t>(global.data())}).problem;
    EXPECT_EQ(problem, "") << *ptx;
    return global;
  };
  std::vector<uint8_t> before = run();
  llvm::FunctionAnalysisManager analyses;
  SplitTilesPass().run(function, analyses);
  std::string shown;
  llvm::raw_string_ostream stream(shown);
  stream << function;
  ASSERT_FALSE(llvm::verifyFunction(function, &stream)) << shown;
  EXPECT_EQ(run(), before) << shown;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    bool isWork = llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::CastInst, llvm::PHINode,
                            llvm::GetElementPtrInst, llvm::CallInst>(instruction);
    EXPECT_FALSE(checksWidths && isWork && isTooWide(instruction.getType())) << shown;
  }
}

TEST(SplitTiles, truthValuesOneByOne) {
  expectSame(R"(
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
  })");
}

// Loads and stores stay whole; pairs of halves of a word stay pairs, also where they are seen as words.
TEST(SplitTiles, pairsStayTogether) {
  expectSame(R"(
  declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  declare <4 x i32> @llvm.umin.v4i32(<4 x i32>, <4 x i32>)
  define void @kernel(ptr addrspace(1) %out) {
    %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %p = getelementptr <8 x i16>, ptr addrspace(1) %out, i32 %t
    %a = load <8 x i16>, ptr addrspace(1) %p
    %b = add <8 x i16> %a, <i16 1, i16 2, i16 3, i16 4, i16 5, i16 6, i16 7, i16 8>
    %swapped = shufflevector <8 x i16> %b, <8 x i16> %a, <8 x i32> <i32 1, i32 0, i32 3, i32 10, i32 5, i32 4, i32 7, i32 15>
    %sum = xor <8 x i16> %swapped, %a
    %word = bitcast <8 x i16> %sum to <4 x i32>
    %low = call <4 x i32> @llvm.umin.v4i32(<4 x i32> %word, <4 x i32> splat (i32 -2000000000))
    %long = zext <8 x i16> %sum to <8 x i32>
    %scaled = mul <8 x i32> %long, splat (i32 5)
    %short = trunc <8 x i32> %scaled to <8 x i16>
    %back = bitcast <8 x i16> %short to <4 x i32>
    %less = icmp ult <4 x i32> %low, %back
    %chosen = select <4 x i1> %less, <4 x i32> %low, <4 x i32> %back
    %some = insertelement <4 x i32> %chosen, i32 %t, i64 2
    store <4 x i32> %some, ptr addrspace(1) %p
    ret void
  })");
}

TEST(SplitTiles, aroundLoops) {
  expectSame(R"(
  declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  define void @kernel(ptr addrspace(1) %out) {
  entry:
    %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %first = insertelement <4 x i32> <i32 poison, i32 1, i32 2, i32 3>, i32 %t, i64 0
    br label %loop
  loop:
    %k = phi i32 [ 0, %entry ], [ %next, %loop ]
    %sum = phi <4 x i32> [ %first, %entry ], [ %later, %loop ]
    %bytes = phi <4 x i8> [ <i8 1, i8 2, i8 3, i8 4>, %entry ], [ %more, %loop ]
    %more = add <4 x i8> %bytes, splat (i8 77)
    %grown = zext <4 x i8> %more to <4 x i32>
    %moved = shufflevector <4 x i32> %sum, <4 x i32> poison, <4 x i32> <i32 3, i32 0, i32 1, i32 2>
    %added = add <4 x i32> %moved, %grown
    %later = insertelement <4 x i32> %added, i32 %k, i32 1
    %next = add i32 %k, 1
    %again = icmp ult i32 %next, 5
    br i1 %again, label %loop, label %done
  done:
    %places = getelementptr i32, ptr addrspace(1) %out, <4 x i32> %later
    %number = ptrtoint <4 x ptr addrspace(1)> %places to <4 x i64>
    %cut = trunc <4 x i64> %number to <4 x i32>
    %p = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
    store <4 x i32> %cut, ptr addrspace(1) %p
    ret void
  })");
}

// What fits one register is no vector to take apart, but its operands may be.
TEST(SplitTiles, resultsOfOneRegister) {
  expectSame(R"(
  declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  define void @kernel(ptr addrspace(1) %out) {
    %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %p = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
    %a = load <4 x i32>, ptr addrspace(1) %p
    %b = mul <4 x i32> %a, <i32 3, i32 5, i32 7, i32 9>
    %bytes = trunc <4 x i32> %b to <4 x i8>
    %more = add <4 x i8> %bytes, <i8 1, i8 2, i8 3, i8 4>
    store <4 x i8> %more, ptr addrspace(1) %p
    %e = extractelement <4 x i8> %bytes, i64 2
    %other = insertelement <4 x i8> %bytes, i8 %e, i64 0
    %word = bitcast <4 x i8> %other to i32
    %low = shufflevector <4 x i32> %b, <4 x i32> poison, <2 x i32> <i32 3, i32 1>
    %halves = trunc <2 x i32> %low to <2 x i16>
    %swapped = shufflevector <2 x i16> %halves, <2 x i16> poison, <2 x i32> <i32 1, i32 0>
    %sum = add <2 x i16> %halves, %swapped
    %second = bitcast <2 x i16> %sum to i32
    %q1 = getelementptr i32, ptr addrspace(1) %p, i32 1
    store i32 %word, ptr addrspace(1) %q1
    %q2 = getelementptr i32, ptr addrspace(1) %p, i32 2
    store i32 %second, ptr addrspace(1) %q2
    ret void
  })");
}

namespace {

// Vectors of all widths and lengths, made from each other at random; the last ones are added up and stored.
class RandomProgram {
public:
  RandomProgram(llvm::LLVMContext &context, unsigned seed) : builder(context), random(seed) {
    llvm::Type *pointer = builder.getPtrTy(1);
    module = std::make_unique<llvm::Module>("random", context);
    auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false);
    auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", *module);
    builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
    llvm::Value *thread = builder.CreateIntrinsic(builder.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
    address = builder.CreateGEP(vector(32, 4), function->getArg(0), thread);
    values.push_back(builder.CreateLoad(vector(32, 4), address));
    values.push_back(builder.CreateLoad(vector(16, 8), address));
    values.push_back(builder.CreateLoad(vector(8, 16), address));
    for (unsigned i = 0; i < 60; ++i)
      values.push_back(next());
    llvm::Value *sum = builder.getInt32(0);
    for (llvm::Value *value : llvm::ArrayRef(values).take_back(20)) {
      auto *type = llvm::cast<llvm::FixedVectorType>(value->getType());
      for (unsigned i = 0; i < type->getNumElements(); ++i) {
        llvm::Value *element = builder.CreateZExtOrTrunc(builder.CreateExtractElement(value, i), builder.getInt32Ty());
        sum = builder.CreateAdd(builder.CreateMul(sum, builder.getInt32(31)), element);
      }
    }
    llvm::Value *result = builder.CreateInsertElement(values[0], sum, uint64_t(1));
    builder.CreateStore(result, address);
    builder.CreateRetVoid();
  }

  std::string text() const {
    std::string shown;
    llvm::raw_string_ostream(shown) << *module;
    return shown;
  }

private:
  llvm::FixedVectorType *vector(unsigned bits, unsigned count) {
    return llvm::FixedVectorType::get(builder.getIntNTy(bits), count);
  }
  unsigned below(unsigned n) { return random() % n; }
  llvm::Value *any() { return values[below(values.size())]; }
  llvm::Value *like(llvm::Value *model) { // a vector of this type
    for (unsigned tries = 0; tries < 40; ++tries)
      if (llvm::Value *other = any(); other->getType() == model->getType())
        return other;
    return model;
  }

  llvm::Value *next() {
    llvm::Value *a = any(), *b = like(a);
    auto *type = llvm::cast<llvm::FixedVectorType>(a->getType());
    unsigned count = type->getNumElements(), bits = type->getScalarSizeInBits();
    switch (below(9)) {
    case 0: return builder.CreateAdd(a, b);
    case 1: return builder.CreateXor(a, b);
    case 2: return builder.CreateICmpULT(a, b);
    case 3: {
      llvm::Value *condition = builder.CreateICmpSLT(a, b);
      return builder.CreateSelect(condition, b, a);
    }
    case 4: {
      constexpr unsigned kBits[] = {1, 8, 16, 32, 64};
      auto *to = vector(kBits[below(5)], count);
      return below(2) ? builder.CreateZExtOrTrunc(a, to) : builder.CreateSExtOrTrunc(a, to);
    }
    case 5: {
      llvm::SmallVector<int> lanes(1u << below(5));
      for (int &lane : lanes)
        lane = int(below(2 * count));
      return builder.CreateShuffleVector(a, b, lanes);
    }
    case 6:
      return builder.CreateInsertElement(a, builder.CreateExtractElement(b, uint64_t(below(count))),
                                         uint64_t(below(count)));
    case 7: return builder.CreateIntrinsic(type, llvm::Intrinsic::umin, {a, b});
    default: {
      unsigned other = bits * count < 32 ? bits : 8u << below(3);
      return bits == 1 || bits * count % other ? builder.CreateSub(a, b)
                                               : builder.CreateBitCast(a, vector(other, bits * count / other));
    }
    }
  }

  llvm::IRBuilder<> builder;
  std::mt19937 random;
  std::unique_ptr<llvm::Module> module;
  std::vector<llvm::Value *> values;
  llvm::Value *address;
};

} // namespace

TEST(SplitTiles, randomPrograms) {
  for (unsigned seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    llvm::LLVMContext context;
    expectSame(RandomProgram(context, seed).text(), /*checksWidths=*/false);
  }
}
