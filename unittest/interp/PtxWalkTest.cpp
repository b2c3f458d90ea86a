// PtxWalkTest.cpp: warps that are followed through a kernel in PTX: loops, branches that part a warp, programs that stand
// for others, what is not known, banks of shared memory.
#include "interp/ptx/BankTurns.h"
#include "interp/ptx/Fp32Work.h"
#include "interp/ptx/Walk.h"

#include <gtest/gtest.h>

using namespace nereid::interp;
using namespace nereid::interp::ptx;

namespace {

ptx::Kernel readBody(const std::string &body) {
  std::string error;
  std::string text =
      "\t.file\t1 \"a.py\"\n.visible .entry f(\n\t.param .u32 f_param_0,\n\t.param .u64 f_param_1\n)\n{\n"
      "\t.reg .pred %p<8>;\n\t.reg .b32 %r<16>;\n\t.reg .b64 %rd<8>;\n" +
      body + "}\n";
  std::optional<ptx::Kernel> kernel = readKernel(text, "f", error);
  EXPECT_TRUE(kernel) << error;
  return kernel ? std::move(*kernel) : ptx::Kernel{};
}

Walked walkBody(const std::string &body, WalkOptions options, WalkMemory memory = {}) {
  return walk(readBody(body), options, memory);
}

WalkMemory memoryOf(uint64_t begin, uint64_t bytes) {
  WalkMemory memory;
  memory.allow(begin, begin + bytes);
  return memory;
}

// n times, on line 7.
constexpr const char *kLoop = R"(
	ld.param.b32 %r1, [f_param_0];
	mov.b32 %r2, 0;
	setp.lt.s32 %p1, %r1, 1;
	@%p1 bra $L_end;
$L_again:
	.loc 1 7 3
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r3, %r4}, {%r5}, {%r6}, {%r3, %r4};
	fma.rn.f32 %r7, %r7, %r7, %r8;
	add.f32 %r8, %r7, %r7;
	add.s32 %r2, %r2, 1;
	setp.lt.s32 %p2, %r2, %r1;
	@%p2 bra $L_again;
$L_end:
	.loc 1 9 3
	bar.sync 0;
	ret;
)";

TEST(PtxWalk, LoopsRunAsOftenAsTheirParameterSays) {
  Walked walked = walkBody(kLoop, {.parameters = {5}, .grid = {3, 2, 1}, .threads = 64});
  EXPECT_EQ(walked.total.tensorInstructions, 6u * 2 * 5);
  EXPECT_EQ(walked.total.fp32Instructions, 6u * 2 * 5 * 2);
  EXPECT_EQ(walked.total.barriers, 6u * 2);
  ASSERT_EQ(walked.lines.size(), 2u);
  EXPECT_EQ(walked.lines[0].line, 7u);
  EXPECT_EQ(walked.lines[0].counts.tensorInstructions, 60u);
  EXPECT_EQ(walked.walked, 6u);
  EXPECT_EQ(walkBody(kLoop, {.parameters = {0}, .threads = 32}).total.tensorInstructions, 0u);
}

TEST(PtxWalk, InALargeGridSomeStandForAll) {
  Walked walked = walkBody(kLoop, {.parameters = {5}, .grid = {1000, 1, 1}, .threads = 32, .mostSteps = 200});
  EXPECT_LT(walked.walked, 20u);
  EXPECT_EQ(walked.total.tensorInstructions, 5000u);
}

TEST(PtxWalk, AWarpWithoutAnEndIsGivenUp) {
  EXPECT_FALSE(walkBody("$L_again:\n\tbar.sync 0;\n\tbra $L_again;\n", {.threads = 32}).isWhole);
}

// A loop that reads a flag which another program would set, at its end or at its beginning, and one around another one.
TEST(PtxWalk, ALoopThatWaitsForAnotherProgramIsLeft) {
  std::vector<uint32_t> flag(1, 0);
  uint64_t address = reinterpret_cast<uint64_t>(flag.data());
  const std::string read = "\tld.global.b32 %r1, [%rd1];\n\tsetp.eq.s32 %p1, %r1, 0;\n",
                    end = "$L_end:\n\tbar.sync 0;\n\tret;\n";
  for (const std::string &body : {
           "$L_again:\n" + read + "\t@%p1 bra $L_again;\n" + end,
           "$L_again:\n" + read + "\t@!%p1 bra $L_end;\n\tadd.s32 %r3, %r1, 1;\n\tbra $L_again;\n" + end,
           "$L_again:\n" + read +
               "\tmov.b32 %r2, 0;\n$L_inner:\n\tadd.s32 %r2, %r2, 1;\n\tsetp.lt.s32 %p2, %r2, 40;\n" +
               "\t@%p2 bra $L_inner;\n\t@%p1 bra $L_again;\n" + end,
       }) {
    Walked walked = walkBody("\tld.param.b64 %rd1, [f_param_1];\n" + body, {.parameters = {0, address}, .threads = 64},
                             memoryOf(address, 4));
    EXPECT_TRUE(walked.isWhole) << body;
    EXPECT_EQ(walked.total.barriers, 2u) << body;
    EXPECT_EQ(walked.guesses, 2u) << body;
  }
}

// Lanes below 8 take one way, the others none; all of them meet again.
TEST(PtxWalk, LanesPartAndMeet) {
  Walked walked = walkBody(R"(
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 8;
	@%p1 bra $L_skip;
	mul.f32 %r2, %r2, %r2;
$L_skip:
	add.f32 %r3, %r3, %r3;
	ret;
)",
                           {.threads = 64});
  EXPECT_EQ(walked.total.fp32Instructions, 1u + 2);
}

// The block where they meet stands before those that they part in, as the end of a loop does.
TEST(PtxWalk, LanesMeetInABlockThatStandsFurtherUp) {
  Walked walked = walkBody(R"(
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 8;
	mov.b32 %r2, 0;
	bra.uni $L_part;
$L_meet:
	add.f32 %r3, %r3, %r3;
	add.s32 %r2, %r2, 1;
	setp.lt.s32 %p2, %r2, 5;
	@%p2 bra $L_part;
	ret;
$L_part:
	bar.sync 0;
	@%p1 bra $L_meet;
	mul.f32 %r5, %r4, %r4;
	bra.uni $L_meet;
)",
                           {.threads = 64});
  EXPECT_EQ(walked.total.barriers, 2u * 5);
  EXPECT_EQ(walked.total.fp32Instructions, 2u * 5 + 5);
}

TEST(PtxWalk, LanesLeaveLoopsOneByOne) {
  Walked walked = walkBody(R"(
	mov.u32 %r1, %tid.x;
	mov.b32 %r2, 0;
$L_again:
	add.f32 %r3, %r3, %r3;
	add.s32 %r2, %r2, 1;
	setp.le.s32 %p1, %r2, %r1;
	@%p1 bra $L_again;
	mul.f32 %r4, %r4, %r4;
	setp.lt.s32 %p2, %r1, 4;
	@%p2 ret;
	mul.f32 %r4, %r4, %r4;
	ret;
)",
                           {.threads = 32});
  EXPECT_EQ(walked.total.fp32Instructions, 32u + 2);
}

// The first warp of the program alone: its number comes from lane 0.
TEST(PtxWalk, WarpsTakeTheirOwnWays) {
  Walked walked = walkBody(R"(
	mov.u32 %r1, %tid.x;
	shr.u32 %r2, %r1, 5;
	shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;
	setp.ne.b32 %p1, %r3, 0;
	@%p1 bra $L_end;
	{
.reg .pred isDone;
again:
mbarrier.try_wait.parity.shared::cta.b64 isDone, [%r4], %r5;
@isDone bra done;
bra again;
done:
}
	{
.reg .pred isDone;
again:
mbarrier.try_wait.parity.shared::cta.b64 isDone, [%r4], %r5;
@isDone bra done;
bra again;
done:
}
	bar.sync 0;
$L_end:
	ret;
)",
                           {.threads = 128});
  EXPECT_EQ(walked.total.barriers, 1u);
  EXPECT_EQ(walked.guesses, 0u);
}

constexpr const char *kLoaded = R"(
	ld.param.b64 %rd1, [f_param_1];
	ld.global.b32 %r1, [%rd1+4];
	mov.b32 %r2, 0;
$L_again:
	bar.sync 0;
	add.s32 %r2, %r2, 1;
	setp.lt.s32 %p2, %r2, %r1;
	@%p2 bra $L_again;
	ret;
)";

TEST(PtxWalk, LoopsMayDependOnMemory) {
  int32_t data[2] = {0, 6};
  auto begin = reinterpret_cast<uint64_t>(data);
  EXPECT_EQ(walkBody(kLoaded, {.parameters = {0, begin}, .threads = 32}, memoryOf(begin, 8)).total.barriers, 6u);
  // Outside of what may be read nothing is, and the branch is not taken.
  Walked outside = walkBody(kLoaded, {.parameters = {0, begin}, .threads = 32}, memoryOf(begin, 7));
  EXPECT_EQ(outside.total.barriers, 1u);
  EXPECT_EQ(outside.guesses, 1u);
}

// The launch writes 9 into the memory; its second program reads that, and its first one still what was there before.
TEST(PtxWalk, AWalkAfterTheLaunchKnowsWhatProgramsRead) {
  int32_t data[2] = {0, 6};
  auto begin = reinterpret_cast<uint64_t>(data);
  WalkMemory memory = memoryOf(begin, 8);
  ptx::Kernel kernel = readBody(kLoaded);
  WalkOptions options{.parameters = {0, begin}, .grid = {2, 1, 1}, .threads = 32};
  EXPECT_EQ(walk(kernel, options, memory).total.barriers, 6u + 6);
  data[1] = 9;
  EXPECT_FALSE(memory.learn(1, begin, 9)); // nobody asks for that
  EXPECT_EQ(walk(kernel, options, memory).total.barriers, 6u + 6);
  EXPECT_TRUE(memory.learn(1, begin + 4, 9));
  EXPECT_EQ(walk(kernel, options, memory).total.barriers, 6u + 9);
}

// Each lane at its own distance from the next.
uint64_t conflictsAt(unsigned stride, const char *instruction) {
  return walkBody("\tmov.u32 %r1, %tid.x;\n\tmul.lo.s32 %r2, %r1, " + std::to_string(stride) + ";\n\t" + instruction +
                      "\n\tret;\n",
                  {.threads = 32})
      .total.bankConflicts;
}

TEST(PtxWalk, BanksOfSharedMemory) {
  EXPECT_EQ(conflictsAt(4, "ld.shared.b32 %r3, [%r2+64];"), 0u);
  EXPECT_EQ(conflictsAt(0, "ld.shared.b32 %r3, [%r2];"), 0u);
  EXPECT_EQ(conflictsAt(8, "ld.shared.b32 %r3, [%r2];"), 1u);
  EXPECT_EQ(conflictsAt(128, "st.shared.b32 [%r2], %r3;"), 31u);
  EXPECT_EQ(conflictsAt(16, "st.shared.v4.b32 [%r2], {%r3, %r4, %r5, %r6};"), 0u);
  EXPECT_EQ(conflictsAt(128, "st.shared.v4.b32 [%r2], {%r3, %r4, %r5, %r6};"), 4u * 7);
  EXPECT_EQ(conflictsAt(16, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];"), 0u);
  EXPECT_EQ(conflictsAt(64, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3, %r4}, [%r2];"), 2u * 3);
}

// Four accesses of 4 bytes are one of 16, as `ptxas` makes them, where their addresses are multiples of it.
TEST(PtxWalk, NeighbouringAccessesAreOne) {
  auto loads = [](const std::string &between, unsigned first) {
    std::string text;
    for (unsigned i = 0; i < 4; ++i)
      text +=
          "ld.shared.b32 %r" + std::to_string(3 + i) + ", [%r2+" + std::to_string(first + 4 * i) + "];\n\t" + between;
    return text;
  };
  EXPECT_EQ(conflictsAt(16, loads("", 32).c_str()), 0u);
  EXPECT_EQ(conflictsAt(16, loads("bar.sync 0;\n\t", 32).c_str()), 4u * 3);
  EXPECT_EQ(conflictsAt(16, loads("", 4).c_str()), 3u + 2 * 1 + 3); // 4; 8 and 12; 16
  EXPECT_EQ(conflictsAt(20, loads("", 0).c_str()), 0u);             // no multiples of 16: each on its own
}

TEST(PtxWalk, AtomicsAndCopiesHaveBanksToo) {
  EXPECT_EQ(conflictsAt(0, "atom.shared.add.u32 %r3, [%r2], 1;"), 0u);
  EXPECT_EQ(conflictsAt(0, "atom.shared.add.u32 %r3, [%r2], %r4;"), 31u);
  EXPECT_EQ(conflictsAt(64, "red.shared.max.s32 [%r2], %r4;"), 15u);
  EXPECT_EQ(conflictsAt(16, "cp.async.cg.shared.global [%r2], [%rd1], 16, %r4;"), 0u);
  EXPECT_EQ(conflictsAt(128, "cp.async.cg.shared.global [%r2], [%rd1], 16;"), 4u * 7);
}

TEST(PtxWalk, QuotientsAreWhatTheyAreMadeOf) {
  auto instructions = [](const std::string &line) {
    return walkBody("\t" + line + "\n\tret;\n", {.threads = 32}).total.fp32Instructions;
  };
  EXPECT_EQ(instructions("div.full.f32 %r1, %r2, %r3;"), 1u);
  EXPECT_EQ(instructions("div.rn.f32 %r1, %r2, %r3;"), 5u);
  EXPECT_EQ(instructions("sqrt.approx.f32 %r1, %r2;"), 0u);
  EXPECT_EQ(instructions("max.f32 %r1, %r2, %r3;"), 0u);
  EXPECT_EQ(instructions("rcp.approx.f32 %r1, %r2;"), 2u);
  EXPECT_EQ(instructions("rcp.approx.ftz.f32 %r1, %r2;"), 0u);
  // What is needed afterwards is scaled in a register of its own; a constant is not.
  const std::string quotient = "div.full.f32 %r1, %r2, %r3;\n\t";
  EXPECT_EQ(instructions(quotient + "st.global.b32 [%rd1], %r2;"), 2u);
  EXPECT_EQ(instructions(quotient + "st.global.v2.b32 [%rd1], {%r2, %r3};"), 3u);
  EXPECT_EQ(instructions("mov.b32 %r2, 0f3F800000;\n\t" + quotient + "st.global.b32 [%rd1], %r2;"), 1u);
  EXPECT_EQ(instructions(quotient + "div.full.f32 %r4, %r5, %r3;"), 2u); // they share a reciprocal
  EXPECT_EQ(instructions("lg2.approx.f32 %r1, %r2;\n\tst.global.b32 [%rd1], %r2;"), 1u);
  EXPECT_EQ(instructions("lg2.approx.ftz.f32 %r1, %r2;\n\tst.global.b32 [%rd1], %r2;"), 0u);
  EXPECT_EQ(instructions("mul.f64 %rd1, %rd2, %rd3;"), 0u);
}

// The lines of readBody's text before its body: 9.
TEST(PtxWalk, TheMachineCodeSaysWhatIsLeft) {
  ptx::Kernel kernel = readBody("\tadd.f32 %r1, %r2, %r3;\n\tmul.f32 %r4, %r5, %r6;\n\tdiv.full.f32 %r7, %r8, %r9;\n"
                                "\tdiv.rn.f32 %r10, %r8, %r9;\n\tneg.f32 %r11, %r1;\n\tret;\n");
  EXPECT_EQ(kernel.instructions[0].ptxLine, 10u);
  auto count = [&](std::vector<AssembledLine> lines) {
    ptx::Kernel own = kernel;
    WalkMemory memory;
    takeAssembled(own, lines);
    return walk(own, {.threads = 32}, memory).total.fp32Instructions;
  };
  EXPECT_EQ(count({}), 1u + 1 + 3 + 5); // without an assembler
  EXPECT_EQ(count({{10, 1}, {11, 1}, {12, 3}, {13, 21}, {14, 1}}),
            1u + 1 + 3 + 5 + 1);                              // the way of tiny numbers stands apart
  EXPECT_EQ(count({{10, 1}, {12, 3}}), 1u + 3);               // what nothing needs is not there
  EXPECT_EQ(count({{10, 4}, {11, 4}, {12, 12}}), 1u + 1 + 3); // unrolled
  EXPECT_EQ(count({{12, 12}}), 3u);                           // how often it is written is not known
  EXPECT_EQ(count({{10, 1}, {11, 0, 1}, {12, 1, 4}}),
            1u + 1 + 3); // under conditions: as the PTX asks, three for a quotient
}

TEST(PtxWalk, ProgramsThatStandForOthersAreSpread) {
  // As many turns as the program's number in its row of 32: those that are walked must not all stand at the same places.
  Walked walked = walkBody("\tmov.u32 %r1, %ctaid.x;\n\tmov.b32 %r2, 0;\n$L_again:\n\tadd.f32 %r7, %r7, %r7;\n"
                           "\tadd.s32 %r2, %r2, 1;\n\tsetp.le.s32 %p2, %r2, %r1;\n\t@%p2 bra $L_again;\n\tret;\n",
                           {.grid = {32, 8, 1}, .threads = 32, .mostSteps = 1000});
  EXPECT_LT(walked.walked, 100u);
  EXPECT_NEAR(double(walked.total.fp32Instructions), 8 * 32 * 33 / 2.0, 8 * 32 * 33 / 2.0 * 0.03);
}

// Warps ask each other through shared memory whether one has more to do: two turns for the first, four for the second.
constexpr const char *kUntilAllAreDone = R"(
	mov.u32 %r1, %tid.x;
	shr.u32 %r2, %r1, 5;
	add.s32 %r3, %r2, 1;
	shl.b32 %r3, %r3, 1;
	mov.b32 %r4, 0;
	shl.b32 %r5, %r2, 2;
$L_again:
	setp.lt.s32 %p1, %r4, %r3;
	selp.b32 %r6, 1, 0, %p1;
	redux.sync.max.s32 %r7, %r6, -1;
	bar.sync 0;
	st.shared.b32 [%r5], %r7;
	bar.sync 0;
	ld.shared.b32 %r8, [shared_memory];
	ld.shared.b32 %r9, [shared_memory+4];
	max.s32 %r10, %r8, %r9;
	setp.eq.b32 %p2, %r10, 0;
	@%p2 bra $L_end;
	add.f32 %r11, %r11, %r11;
	add.s32 %r4, %r4, 1;
	bra.uni $L_again;
$L_end:
	ret;
)";

TEST(PtxWalk, WarpsAreFollowedTogetherWhereTheyReadWhatOthersStored) {
  Walked walked = walkBody(kUntilAllAreDone, {.grid = {3, 1, 1}, .threads = 64});
  EXPECT_EQ(walked.total.fp32Instructions, 3u * 2 * 4);
  EXPECT_EQ(walked.total.barriers, 3u * 2 * 5 * 2);
  EXPECT_EQ(walked.guesses, 0u);
}

TEST(PtxWalk, WhatOthersThanThreadsBringIsNotKnown) {
  auto guesses = [](const std::string &copy) {
    return walkBody("\tmov.b32 %r1, 64;\n\tst.shared.b32 [%r1], %r1;\n" + copy +
                        "\tbar.sync 0;\n\tld.shared.b32 %r2, [%r1];\n\tsetp.eq.b32 %p1, %r2, 64;\n\t@%p1 bra $L_end;\n"
                        "\tadd.f32 %r3, %r3, %r3;\n$L_end:\n\tret;\n",
                    {.threads = 32})
        .guesses;
  };
  EXPECT_EQ(guesses(""), 0u);
  EXPECT_EQ(guesses("\tcp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r1];\n"), 1u);
  EXPECT_EQ(guesses("\tcp.async.ca.shared.global [%r1], [%rd1], 4;\n"), 1u);
  EXPECT_EQ(guesses("\tcp.async.ca.shared.global [%r1+8], [%rd1], 4;\n"), 0u);
}

TEST(PtxWalk, LanesTellEachOther) {
  // As many turns as the number of lanes for which the result is as expected.
  auto turns = [](const std::string &code) {
    Walked walked =
        walkBody("\tmov.u32 %r1, %laneid;\n" + code +
                     "\tvote.sync.ballot.b32 %r3, %p1, -1;\n\tpopc.b32 %r4, %r3;\n\tmov.b32 %r5, 0;\n"
                     "$L_again:\n\tsetp.ge.s32 %p2, %r5, %r4;\n\t@%p2 bra $L_end;\n\tadd.f32 %r7, %r7, %r7;\n"
                     "\tadd.s32 %r5, %r5, 1;\n\tbra $L_again;\n$L_end:\n\tret;\n",
                 {.threads = 32});
    EXPECT_EQ(walked.guesses, 0u) << code;
    return walked.total.fp32Instructions;
  };
  EXPECT_EQ(turns("\tshfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n\tsetp.ge.u32 %p1, %r2, 16;\n"), 16u);
  EXPECT_EQ(turns("\tshfl.sync.up.b32 %r2, %r1, 4, 0, -1;\n\tsetp.lt.u32 %p1, %r2, 4;\n"),
            8u); // the first four have their own
  EXPECT_EQ(turns("\tshfl.sync.down.b32 %r2|%p3, %r1, 4, 31, -1;\n\tand.pred %p1, %p3, %p3;\n"), 28u);
  EXPECT_EQ(turns("\tshfl.sync.idx.b32 %r2, %r1, 3, 0x181f, -1;\n\tsetp.eq.u32 %p1, %r2, 11;\n"),
            8u); // in parts of eight
  EXPECT_EQ(turns("\tredux.sync.add.s32 %r2, %r1, -1;\n\tsetp.eq.u32 %p1, %r2, 496;\n"), 32u);
  EXPECT_EQ(turns("\tredux.sync.min.s32 %r2, %r1, -1;\n\tsetp.eq.u32 %p1, %r2, 1;\n"), 0u);
  EXPECT_EQ(turns("\tsetp.lt.u32 %p3, %r1, 5;\n\tvote.sync.any.pred %p1, !%p3, -1;\n"), 32u);
}

TEST(PtxWalk, WhatAnAtomicGaveAProgramIsKnownAfterTheLaunch) {
  // Programs take numbers in their order; each goes around as often as its number says.
  std::vector<uint32_t> counter(1, 0);
  uint64_t address = reinterpret_cast<uint64_t>(counter.data());
  ptx::Kernel kernel =
      readBody("\tld.param.b64 %rd1, [f_param_1];\n\tatom.global.add.u32 %r1, [%rd1], 1;\n\tmov.b32 %r2, 0;\n"
               "$L_again:\n\tsetp.ge.s32 %p1, %r2, %r1;\n\t@%p1 bra $L_end;\n\tadd.f32 %r7, %r7, %r7;\n"
               "\tadd.s32 %r2, %r2, 1;\n\tbra $L_again;\n$L_end:\n\tret;\n");
  WalkMemory memory = memoryOf(address, 4);
  WalkOptions options{.parameters = {0, address}, .grid = {4, 1, 1}, .threads = 32};
  EXPECT_EQ(walk(kernel, options, memory).total.fp32Instructions, 0u);
  for (uint64_t program = 0; program < 4; ++program)
    EXPECT_TRUE(memory.learn(program, address, program, true));
  EXPECT_FALSE(memory.learn(2, address, 9, true)); // the first one counts
  Walked walked = walk(kernel, options, memory);
  EXPECT_EQ(walked.total.fp32Instructions, 0u + 1 + 2 + 3);
  EXPECT_EQ(walked.guesses, 0u);
}

TEST(PtxWalk, WhatIsNoKernelIsRefused) {
  for (const char *text : {"", ".entry f(", ".entry f(\n)\n{", ".entry f(\n)\n{\n\tbra nowhere;\n}\n",
                           ".entry f(\n)\n{\n\t@%p1 ret;\n}\n", ".entry f(\n)\n{\n\t.reg .b32 %r<99999999>;\n}\n",
                           ".entry f(\n)\n{\n\t.reg .b32 %r<100000>;\n\t.reg .b32 %a<100000>;\n\tret;\n}\n"}) {
    std::string error;
    EXPECT_FALSE(readKernel(text, "f", error)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}

} // namespace
