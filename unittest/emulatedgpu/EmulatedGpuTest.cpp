// EmulatedGpuTest.cpp: the emulated GPU finds what a GPU would not tell: each kernel is run as it should be, which gives the right
// numbers, and with one thing left out, which is found by name.
#include "Block.h"
#include "TensorMaps.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace nereid::emulated;

namespace {

std::vector<uint32_t> memory(256);

// Runs a body on `threads` threads with `memory` as its argument, %rd1; 4 KiB of shared memory lie at %r1, and %r2 is the thread.
// Null: it went well.
std::optional<Fault::Kind> faultOf(const std::string &body, uint32_t threads, uint64_t seed = 0) {
  std::string text =
      ".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 shared_memory[];\n"
      ".visible .entry f(\n\t.param .u64 f_param_0\n)\n{\n\t.reg .pred %p<4>;\n\t.reg .b32 %r<16>;\n"
      "\t.reg .b64 %rd<8>;\n\tld.param.b64 %rd1, [f_param_0];\n\tmov.b32 %r1, shared_memory;\n"
      "\tmov.u32 %r2, %tid.x;\n" +
      body + "\tret;\n}\n";
  Module module(text);
  std::vector<uint8_t> parameters(sizeof(uint64_t));
  auto address = reinterpret_cast<uint64_t>(memory.data());
  std::memcpy(parameters.data(), &address, sizeof address);
  try {
    runLaunch(module, module.function("f"), {.threads = threads, .sharedBytes = 4096}, parameters, seed);
  } catch (const Fault &fault) {
    return fault.kind;
  }
  return std::nullopt;
}

std::string without(std::string text, const std::string &line) {
  size_t at = text.find(line);
  EXPECT_NE(at, text.npos) << line;
  return text.erase(at, line.size());
}

constexpr const char *kStoreR9 = R"(
	mul.wide.u32 %rd7, %r2, 4;
	add.s64 %rd7, %rd1, %rd7;
	st.global.b32 [%rd7], %r9;
)";

// Each thread takes the word of the thread with the same lane in the other warp.
const std::string kOtherWarp = std::string(R"(
	shl.b32 %r3, %r2, 2;
	add.s32 %r4, %r1, %r3;
	st.shared.b32 [%r4], %r2;
	bar.sync 0;
	xor.b32 %r5, %r3, 128;
	add.s32 %r6, %r1, %r5;
	ld.shared.b32 %r9, [%r6];
)") + kStoreR9;

TEST(EmulatedGpu, FindsThatNoBarrierStandsBetweenTwoWarps) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    ASSERT_EQ(faultOf(kOtherWarp, 64, seed), std::nullopt);
    for (uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ(memory[i], i ^ 32);
    EXPECT_EQ(faultOf(without(kOtherWarp, "\tbar.sync 0;\n"), 64, seed), Fault::Kind::Race);
  }
}

// The same with the lane beside it.
const std::string kOtherLane = std::string(R"(
	shl.b32 %r3, %r2, 2;
	add.s32 %r4, %r1, %r3;
	st.shared.b32 [%r4], %r2;
	bar.warp.sync -1;
	xor.b32 %r5, %r3, 4;
	add.s32 %r6, %r1, %r5;
	ld.shared.b32 %r9, [%r6];
)") + kStoreR9;

TEST(EmulatedGpu, FindsThatNoBarrierStandsBetweenTwoLanes) {
  ASSERT_EQ(faultOf(kOtherLane, 32), std::nullopt);
  EXPECT_EQ(memory[6], 7u);
  EXPECT_EQ(faultOf(without(kOtherLane, "\tbar.warp.sync -1;\n"), 32), Fault::Kind::Race);
}

// A lane stores alone; a barrier stands where all ways meet, or in the block that a branch which all take leads to, before one way
// that the first lane does not take.
const std::string kParted = std::string(R"(
	mov.b32 %r9, 0;
	ld.global.b32 %r3, [%rd1];
	setp.eq.u32 %p1, %r2, 0;
	setp.eq.u32 %p2, %r3, 7;
	@!%p1 bra $L_others;
	mov.b32 %r9, 1;
	@%p2 bra $L_end;
	bra.uni $L_together;
$L_others:
	mov.b32 %r9, 2;
	@%p2 bra $L_end;
$L_together:
	bar.sync 0;
$L_end:
)") + kStoreR9;

TEST(EmulatedGpu, FindsThatLanesExecuteTogetherWhatStandsBeforeTheirMeeting) {
  memory[0] = 0;
  EXPECT_EQ(faultOf(kParted, 32), Fault::Kind::Parted);
  std::string met = without(without(kParted, "	@%p2 bra $L_end;\n"), "	@%p2 bra $L_end;\n");
  EXPECT_EQ(faultOf(met, 32), std::nullopt);
  EXPECT_EQ(memory[0], 1u);
  EXPECT_EQ(memory[1], 2u);
}

// Each thread copies 16 bytes and reads the first word of them.
const std::string kCopy = std::string(R"(
	shl.b32 %r3, %r2, 4;
	cvt.u64.u32 %rd2, %r3;
	add.s64 %rd3, %rd1, %rd2;
	add.s32 %r4, %r1, %r3;
	cp.async.cg.shared.global [%r4], [%rd3], 16;
	cp.async.commit_group;
	cp.async.wait_group 0;
	ld.shared.b32 %r9, [%r4];
)") + kStoreR9;

TEST(EmulatedGpu, FindsThatNobodyWaitedForACopy) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    std::iota(memory.begin(), memory.end(), 100);
    ASSERT_EQ(faultOf(kCopy, 32, seed), std::nullopt);
    EXPECT_EQ(memory[1], 104u);
    EXPECT_EQ(faultOf(without(kCopy, "\tcp.async.wait_group 0;\n"), 32, seed), Fault::Kind::Race);
  }
}

// Ones in 64 x 16 and in 16 x 8, which four warps store, and their product.
const std::string kProduct = std::string(R"(
	shl.b32 %r3, %r2, 2;
	add.s32 %r4, %r1, %r3;
	mov.b32 %r5, 0;
$L_store:
	st.shared.b32 [%r4], 0x3c003c00;
	add.s32 %r4, %r4, 512;
	add.s32 %r5, %r5, 1;
	setp.lt.u32 %p1, %r5, 5;
	@%p1 bra $L_store;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	shr.u32 %r6, %r1, 4;
	cvt.u64.u32 %rd2, %r6;
	or.b64 %rd2, %rd2, 0x1000080000;
	add.s64 %rd3, %rd2, 128;
	mov.b32 %r9, 0;
	mov.b32 %r10, 0;
	mov.b32 %r11, 0;
	mov.b32 %r12, 0;
	setp.ne.s32 %p2, %r9, 0;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r9, %r10, %r11, %r12}, %rd2, %rd3, %p2, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
)") + kStoreR9;

TEST(EmulatedGpu, FindsThatNoFenceStandsBeforeAProduct) {
  ASSERT_EQ(faultOf(kProduct, 128), std::nullopt);
  for (uint32_t i = 0; i < 128; ++i)
    ASSERT_EQ(std::bit_cast<float>(memory[i]), 16.0f);
  EXPECT_EQ(faultOf(without(kProduct, "\tfence.proxy.async.shared::cta;\n"), 128), Fault::Kind::Race);
  EXPECT_EQ(faultOf(without(kProduct, "\tbar.sync 0;\n"), 128), Fault::Kind::Race);
}

TEST(EmulatedGpu, GivesWhatWasThereWhereNobodyWaitsForAProduct) {
  ASSERT_EQ(faultOf(without(kProduct, "\twgmma.wait_group.sync.aligned 0;\n"), 128), std::nullopt);
  EXPECT_EQ(memory[0], 0u);
}

// One thread makes a barrier of copies for two arrivals; both warps arrive and wait.
const std::string kArrive = std::string(R"(
	setp.ne.s32 %p1, %r2, 0;
	@%p1 bra $L_made;
	mbarrier.init.shared::cta.b64 [%r1], 2;
$L_made:
	bar.sync 0;
	and.b32 %r3, %r2, 31;
	setp.ne.s32 %p2, %r3, 0;
	@%p2 bra $L_wait;
	mbarrier.arrive.shared::cta.b64 %rd4, [%r1];
$L_wait:
	mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r1], 0;
	@!%p3 bra $L_wait;
	mov.b32 %r9, 7;
)") + kStoreR9;

// The first lane of each warp tells of what all of its lanes have stored; the others read it when the phase has ended.
const std::string kTold = std::string(R"(
	setp.ne.s32 %p1, %r2, 0;
	@%p1 bra $L_made;
	mbarrier.init.shared::cta.b64 [%r1], 2;
$L_made:
	bar.sync 0;
	shl.b32 %r3, %r2, 2;
	add.s32 %r4, %r1, %r3;
	st.shared.b32 [%r4+64], %r2;
	bar.warp.sync -1;
	and.b32 %r5, %r2, 31;
	setp.ne.s32 %p2, %r5, 0;
	@%p2 bra $L_wait;
	mbarrier.arrive.shared::cta.b64 %rd4, [%r1];
$L_wait:
	mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r1], 0;
	@!%p3 bra $L_wait;
	xor.b32 %r6, %r3, 128;
	add.s32 %r7, %r1, %r6;
	ld.shared.b32 %r9, [%r7+64];
)") + kStoreR9;

TEST(EmulatedGpu, KnowsForWhomALaneTellsWhatItDid) {
  ASSERT_EQ(faultOf(kTold, 64), std::nullopt);
  EXPECT_EQ(memory[5], 37u);
  EXPECT_EQ(faultOf(without(kTold, "\tbar.warp.sync -1;\n"), 64), Fault::Kind::Race);
}

TEST(EmulatedGpu, EndsWhatWaitsForNothing) {
  ASSERT_EQ(faultOf(kArrive, 64), std::nullopt);
  EXPECT_EQ(memory[63], 7u);
  EXPECT_EQ(faultOf(without(kArrive, "\tmbarrier.arrive.shared::cta.b64 %rd4, [%r1];\n"), 64), Fault::Kind::Hangs);
  EXPECT_EQ(faultOf("\tbar.sync 1, 64;\n", 32), Fault::Kind::Hangs);
}

TEST(EmulatedGpu, KnowsWhereMemoryEnds) {
  auto load = [](const char *offset) {
    return std::string("\tld.global.b32 %r9, [%rd1+") + offset + "];\n" + kStoreR9;
  };
  EXPECT_EQ(faultOf(load("1020"), 32), std::nullopt);
  EXPECT_EQ(faultOf(load("1024"), 32), Fault::Kind::IllegalAddress);
  EXPECT_EQ(faultOf(load("2"), 32), Fault::Kind::Misaligned);
  EXPECT_EQ(faultOf("\tst.shared.b32 [%r1+4092], %r2;\n", 1), std::nullopt);
  EXPECT_EQ(faultOf("\tst.shared.b32 [%r1+4096], %r2;\n", 1), Fault::Kind::IllegalAddress);
}

TEST(EmulatedGpu, RefusesInstructionsThatItDoesNotKnow) {
  EXPECT_THROW(
      Module(".target sm_90a\n.visible .entry f()\n{\n\t.reg .b32 %r<4>;\n\tfantasy.b32 %r1, %r2;\n\tret;\n}\n"),
      std::runtime_error);
}

} // namespace

namespace nereid::emulated {

std::pair<uint64_t, uint64_t> memoryAround(uint64_t address) {
  auto begin = reinterpret_cast<uint64_t>(memory.data()), end = begin + memory.size() * sizeof memory[0];
  return address >= begin && address < end ? std::pair(begin, end) : std::pair<uint64_t, uint64_t>{};
}

TensorMap tensorMapAt(const uint8_t *) { throw std::logic_error("these kernels have no tensors"); }

} // namespace nereid::emulated
