// Conversion plans run on a simulated machine: register files of 32 lanes, shared memory as bytes, shuffles, ldmatrix
// and stmatrix as the PTX manual describes them. Every register of the result must hold its element.
#include "RandomLayout.h"

#include "layout/Conversion.h"
#include "layout/LayoutMoves.h"
#include "layout/LayoutShapes.h"
#include "layout/MmaLayouts.h"
#include "layout/SharedLayouts.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>
#include <set>

using namespace nereid::layout;

namespace {

// values[thread][register]: the row-major index of the element, cut to the element's size.
using RegisterFile = std::vector<std::vector<uint64_t>>;

uint64_t valueOf(uint64_t element, unsigned elementBytes) {
  // Distinct in the low bytes for small tiles, and different in every byte.
  uint64_t mixed = element * 0x9E3779B97F4A7C15ull ^ element;
  return elementBytes == 8 ? mixed : mixed & ((uint64_t(1) << 8 * elementBytes) - 1);
}

RegisterFile fileFor(const LinearLayout &layout, unsigned elementBytes) {
  RegisterFile file(layout.lanes() * layout.warps(), std::vector<uint64_t>(layout.registers()));
  for (unsigned warp = 0; warp < layout.warps(); ++warp)
    for (unsigned lane = 0; lane < layout.lanes(); ++lane)
      for (unsigned r = 0; r < layout.registers(); ++r)
        file[lane + 32 * warp][r] = valueOf(layout.out().pointAt(layout.element(r, lane, warp)), elementBytes);
  return file;
}

void exchangeWords(std::vector<std::vector<std::vector<uint64_t>>> &words, llvm::ArrayRef<WordExchange> exchanges) {
  for (const WordExchange &step : exchanges)
    for (unsigned thread = 0; thread < words.size(); ++thread)
      if (llvm::popcount(thread & step.threads) % 2) {
        auto old = words[thread];
        for (unsigned i = 0; i < old.size(); ++i)
          words[thread][i] = old[i ^ step.words];
      }
}

RegisterFile runShuffles(const ShufflePlan &plan, const RegisterFile &source) {
  std::vector<std::vector<std::vector<uint64_t>>> words(source.size()), received(source.size());
  for (unsigned thread = 0; thread < source.size(); ++thread)
    for (unsigned slot = 0; slot < plan.slots.size(); ++slot) {
      if (slot % plan.elementsPerWord == 0)
        words[thread].emplace_back();
      words[thread].back().push_back(source[thread][plan.slots[slot]]);
    }
  exchangeWords(words, plan.before);
  for (const ShuffleRound &round : plan.rounds)
    for (unsigned thread = 0; thread < source.size(); ++thread) {
      unsigned lane = multiply(plan.laneColumns, thread) ^ round.lane;
      EXPECT_LT(lane, 32u);
      if (round.isLocal) {
        EXPECT_EQ(lane, thread % 32);
      }
      received[thread].push_back(words[thread / 32 * 32 + lane][round.source]);
    }
  exchangeWords(received, plan.after);
  RegisterFile result(source.size());
  for (unsigned thread = 0; thread < source.size(); ++thread)
    for (unsigned slot : plan.results)
      result[thread].push_back(received[thread][slot / plan.elementsPerWord][slot % plan.elementsPerWord]);
  return result;
}

// Shared memory of one block, and how often the banks were asked.
class SharedMemory {
public:
  SharedMemory(unsigned bytes, unsigned elementBytes) : bytes(bytes, 0xEE), elementBytes(elementBytes) {}

  uint64_t load(uint64_t address, unsigned count) const {
    uint64_t value = 0;
    EXPECT_LE(address + count, bytes.size());
    if (address + count <= bytes.size())
      std::memcpy(&value, bytes.data() + address, count);
    return value;
  }
  void store(uint64_t address, uint64_t value, unsigned count) {
    EXPECT_LE(address + count, bytes.size());
    if (address + count <= bytes.size())
      std::memcpy(bytes.data() + address, &value, count);
  }

  // Phases of lanes that go to memory together: the largest number of different words in one bank.
  static unsigned busiest(llvm::ArrayRef<uint64_t> addresses, unsigned width) {
    std::map<unsigned, std::set<uint64_t>> words;
    for (uint64_t address : addresses)
      for (uint64_t byte = address; byte < address + width; ++byte)
        words[byte / 4 % 32].insert(byte / 4);
    unsigned most = 0;
    for (auto &[bank, different] : words)
      most = std::max<unsigned>(most, different.size());
    return most;
  }
  static unsigned waysOf(llvm::ArrayRef<uint64_t> addresses, unsigned width) {
    unsigned lanes = width == 16 ? 8 : width == 8 ? 16 : 32, most = 0;
    for (unsigned first = 0; first < addresses.size(); first += lanes)
      most = std::max(most, busiest(addresses.slice(first, std::min<size_t>(lanes, addresses.size() - first)), width));
    return most;
  }

  std::vector<uint8_t> bytes;
  unsigned elementBytes;
};

// Byte `byte` of the 32-bit word that `lane` has of matrix `matrix` is in row and column (of bytes) of that matrix.
struct MatrixPlace {
  unsigned row, column;
};
MatrixPlace placeOf(bool isTransposed, unsigned lane, unsigned byte) {
  unsigned half = byte / 2, low = byte % 2;
  if (!isTransposed)
    return {lane / 4, (lane % 4 * 2 + half) * 2 + low};
  return {lane % 4 * 2 + half, lane / 4 * 2 + low};
}

// One access of one warp, as a write or a read.
void runAccess(const SharedAccess &access, unsigned index, unsigned warp, bool isWrite, RegisterFile &file,
               SharedMemory &memory) {
  unsigned bytes = memory.elementBytes;
  auto addressOf = [&](unsigned lane) {
    return uint64_t(multiply(access.threadColumns, lane + 32 * warp) ^ access.offsets[index]) * bytes;
  };
  auto reg = [&](unsigned lane, unsigned i) -> uint64_t & {
    return file[lane + 32 * warp][access.registers[index * access.elements + i]];
  };
  std::vector<uint64_t> addresses;
  if (access.kind == SharedAccess::Kind::Vector) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(addressOf(lane) % (access.elements * bytes), 0u) << "an access is aligned to its size";
      if (!(access.idleThreads & (lane + 32 * warp)))
        addresses.push_back(addressOf(lane));
      for (unsigned i = 0; i < access.elements; ++i) {
        if (!isWrite)
          reg(lane, i) = memory.load(addressOf(lane) + i * bytes, bytes);
        else if (!(access.idleThreads & (lane + 32 * warp)))
          memory.store(addressOf(lane) + i * bytes, reg(lane, i), bytes);
      }
    }
    if (addresses.size() == 32) {
      EXPECT_EQ(SharedMemory::waysOf(addresses, access.elements * bytes), access.ways);
    }
    return;
  }
  if (isWrite && (access.idleThreads & (32 * warp)))
    return;
  bool isTransposed = access.kind == SharedAccess::Kind::TransposedMatrix;
  unsigned perWord = 4 / bytes;
  ASSERT_EQ(access.elements, access.matrices * perWord);
  for (unsigned matrix = 0; matrix < access.matrices; ++matrix) {
    std::vector<uint64_t> rows;
    for (unsigned row = 0; row < 8; ++row) {
      rows.push_back(addressOf(matrix * 8 + row));
      EXPECT_EQ(rows.back() % 16, 0u) << "rows are aligned to 16 bytes";
    }
    EXPECT_EQ(SharedMemory::busiest(rows, 16), access.ways);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned byte = 0; byte < 4; ++byte) {
        MatrixPlace place = placeOf(isTransposed, lane, byte);
        uint64_t address = rows[place.row] + place.column;
        uint64_t &value = reg(lane, matrix * perWord + byte / bytes);
        unsigned shift = byte % bytes * 8;
        if (isWrite)
          memory.store(address, value >> shift, 1);
        else
          value = (value & ~(uint64_t(0xFF) << shift)) | memory.load(address, 1) << shift;
      }
  }
}

RegisterFile runShared(const SharedPlan &plan, RegisterFile source, unsigned registers, unsigned elementBytes) {
  unsigned warps = source.size() / 32;
  RegisterFile result(source.size(), std::vector<uint64_t>(registers, 0));
  for (unsigned round = 0; round < plan.rounds; ++round) {
    SharedMemory memory(plan.bytes, elementBytes);
    unsigned writes = plan.write.perRound(plan.rounds), reads = plan.read.perRound(plan.rounds);
    auto write = [&](unsigned warp) {
      for (unsigned i = 0; i < writes; ++i)
        runAccess(plan.write, round * writes + i, warp, true, source, memory);
    };
    auto read = [&](unsigned warp) {
      for (unsigned i = 0; i < reads; ++i)
        runAccess(plan.read, round * reads + i, warp, false, result, memory);
    };
    // Regions of warps do not overlap.
    for (unsigned warp = 1; warp < warps && plan.staysInWarp; ++warp)
      for (const SharedAccess *access : {&plan.write, &plan.read}) {
        uint64_t region = multiply(access->threadColumns, 32 * warp) / (plan.bytes / warps / elementBytes);
        EXPECT_EQ(region, warp);
      }
    // Where a warp barrier is enough, a warp may be done before the next one starts.
    for (unsigned warp = 0; warp < warps; ++warp) {
      write(warp);
      if (plan.staysInWarp)
        read(warp);
    }
    for (unsigned warp = 0; warp < warps && !plan.staysInWarp; ++warp)
      read(warp);
  }
  return result;
}

RegisterFile runPlan(const ConversionPlan &plan, const RegisterFile &source, unsigned registers,
                     unsigned elementBytes) {
  switch (plan.kind) {
  case ConversionPlan::Kind::None: return source;
  case ConversionPlan::Kind::Registers: {
    RegisterFile result(source.size());
    for (unsigned thread = 0; thread < source.size(); ++thread)
      for (unsigned r : plan.registers)
        result[thread].push_back(source[thread][r]);
    return result;
  }
  case ConversionPlan::Kind::Shuffles: return runShuffles(plan.shuffles, source);
  case ConversionPlan::Kind::Shared: return runShared(plan.shared, source, registers, elementBytes);
  }
  return {};
}

ConversionPlan checkPlan(const LinearLayout &source, const LinearLayout &result, const ConversionOptions &options) {
  ConversionPlan plan = planConversion(source, result, options);
  RegisterFile held = runPlan(plan, fileFor(source, options.elementBytes), result.registers(), options.elementBytes);
  EXPECT_EQ(held, fileFor(result, options.elementBytes))
      << source.toString() << "\nto " << result.toString() << "\nwith " << options.elementBytes << " bytes, kind "
      << int(plan.kind) << ", accesses " << int(plan.shared.write.kind) << " and " << int(plan.shared.read.kind)
      << ", rounds " << plan.shared.rounds;
  return plan;
}

ConversionOptions withBytes(unsigned bytes) {
  ConversionOptions options;
  options.elementBytes = bytes;
  return options;
}

} // namespace

TEST(Conversion, randomLayouts) {
  Generator random(31);
  std::map<ConversionPlan::Kind, unsigned> kinds;
  for (unsigned i = 0; i < 1500; ++i) {
    Space tile = randomTile(random, draw(random, 0, 11));
    unsigned warpBits = draw(random, 0, 3);
    LinearLayout source = randomDistributed(random, tile, warpBits, i % 2),
                 result = randomDistributed(random, tile, warpBits, i % 4 == 3);
    ConversionOptions options = withBytes(1u << draw(random, 0, 3));
    options.allowShuffles = draw(random, 0, 3);
    options.hasLdmatrix = draw(random, 0, 3);
    options.hasStmatrix = draw(random, 0, 1);
    if (draw(random, 0, 1))
      options.maxSharedBytes = 128u << draw(random, 0, 4);
    ++kinds[checkPlan(source, result, options).kind];
    if (HasFailure())
      return;
  }
  EXPECT_GT(kinds[ConversionPlan::Kind::Shared], 100u);
}

// Layouts that differ inside of the warp only.
TEST(Conversion, randomShuffles) {
  Generator random(32);
  unsigned shuffled = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    Space tile = randomTile(random, draw(random, 3, 9));
    LinearLayout source = randomDistributed(random, tile, i % 3, i % 2);
    // Mixes registers and lanes, and lets both depend on the warp.
    Space places = source.in();
    unsigned inWarp = places.bits(Dim::Register) + 5;
    LinearLayout mix = randomBijection(random, Space::offset(inWarp), Space::offset(inWarp));
    F2Vectors columns(mix.columns());
    for (unsigned bit = 0; bit < places.bits(Dim::Warp); ++bit)
      columns.push_back(F2Vector(1) << (inWarp + bit) | (draw(random, 0, 1) ? draw(random, 0, (1u << inWarp) - 1) : 0));
    if (i % 5 == 0) // a mere permutation of bits
      for (unsigned bit = 0; bit < inWarp; ++bit)
        columns[bit] = F2Vector(1) << bit;
    if (i % 5 == 0)
      std::shuffle(columns.begin(), columns.begin() + inWarp, random);
    LinearLayout result = LinearLayout(places, places, columns).then(source).withoutRegisterCopies();
    if (result.registers() != source.registers())
      continue;
    shuffled += checkPlan(source, result, withBytes(1u << draw(random, 0, 3))).kind == ConversionPlan::Kind::Shuffles;
    if (HasFailure())
      return;
  }
  EXPECT_GT(shuffled, 700u);
}

// Every block of a cluster has its part of the tile; memory is needed for that part only.
TEST(Conversion, blocksHaveTheirOwnMemory) {
  LinearLayout low = blockedLayout({64, 32}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}});
  LinearLayout other = blockedLayout({64, 32}, {{4, 1}, {16, 2}, {1, 4}, {0, 1}});
  LinearLayout blocks = LinearLayout::identity(Dim::Block, Dim::Axis0, 1);
  ConversionPlan plan = checkPlan(low.product(blocks), other.product(blocks), withBytes(4));
  ASSERT_EQ(plan.kind, ConversionPlan::Kind::Shared);
  EXPECT_EQ(plan.shared.bytes, 64u * 32 * 4);
}

TEST(Conversion, nothingAndRegisters) {
  LinearLayout a = blockedLayout({64, 32}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}});
  EXPECT_EQ(checkPlan(a, a, withBytes(4)).kind, ConversionPlan::Kind::None);
  LinearLayout b = blockedLayout({32, 32}, {{2, 2}, {8, 4}, {2, 4}, {1, 0}});
  LinearLayout c = blockedLayout({32, 32}, {{2, 2}, {8, 4}, {2, 4}, {1, 0}});
  c.setColumn(Dim::Register, 0, b.column(Dim::Register, 1));
  c.setColumn(Dim::Register, 1, b.column(Dim::Register, 0));
  ConversionPlan plan = checkPlan(b, c, withBytes(4));
  EXPECT_EQ(plan.kind, ConversionPlan::Kind::Registers);
  EXPECT_EQ(plan.registers, (llvm::SmallVector<unsigned>{0, 2, 1, 3}));
  // A broadcast along lanes that held copies: every thread has its element already.
  LinearLayout column = shrinkAxisLayout(a, 1);
  EXPECT_EQ(broadcastLayout(column, 1, 32).freeBits(Dim::Register), 0u);
}

// A register bit against a lane bit: half of the registers move, and they move once.
TEST(Conversion, oneExchangeMovesHalf) {
  std::string problem;
  LinearLayout a = *LinearLayout::parse("256: register 1..4@0, lane 8..128@0", problem);
  LinearLayout b = *LinearLayout::parse("256: register 1..2@0 8@0, lane 4@0 16..128@0", problem);
  ConversionPlan plan = checkPlan(a, b, withBytes(4));
  ASSERT_EQ(plan.kind, ConversionPlan::Kind::Shuffles);
  EXPECT_EQ(plan.shuffles.shuffles(), 4u);
  EXPECT_EQ(plan.shuffles.before.size() + plan.shuffles.after.size(), 2u);
  // 16-bit elements travel in pairs.
  plan = checkPlan(a, b, withBytes(2));
  EXPECT_EQ(plan.shuffles.shuffles(), 2u);
}

// Global memory to the operand of mma.sync: 16-byte writes, ldmatrix, no conflicts.
TEST(Conversion, loadsOfOperandsUseLdmatrix) {
  LinearLayout rows = blockedLayout({32, 64}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  ConversionPlan plan = checkPlan(rows, mmaOperandLayout({32, 64}, DotOperand::A, {2, 2}, 2), withBytes(2));
  ASSERT_EQ(plan.kind, ConversionPlan::Kind::Shared);
  EXPECT_EQ(plan.shared.write.kind, SharedAccess::Kind::Vector);
  EXPECT_EQ(plan.shared.write.elements, 8u);
  EXPECT_EQ(plan.shared.write.ways, 1u);
  EXPECT_EQ(plan.shared.read.kind, SharedAccess::Kind::Matrix);
  EXPECT_EQ(plan.shared.read.matrices, 4u);
  EXPECT_EQ(plan.shared.read.ways, 1u);
  EXPECT_EQ(plan.shared.bytes, 32u * 64 * 2);
  // Row-major B (its rows run along N) is read transposed.
  plan = checkPlan(rows, mmaOperandLayout({32, 64}, DotOperand::B, {2, 2}, 2), withBytes(2));
  ASSERT_EQ(plan.kind, ConversionPlan::Kind::Shared);
  EXPECT_EQ(plan.shared.write.elements, 8u);
  EXPECT_EQ(plan.shared.read.kind, SharedAccess::Kind::TransposedMatrix);
  EXPECT_EQ(plan.shared.read.matrices, 4u);
  EXPECT_EQ(plan.shared.write.ways * plan.shared.read.ways, 1u);
}

// The epilogue: accumulators to whole rows.
TEST(Conversion, storesOfAccumulatorsUseStmatrix) {
  LinearLayout accumulator = wgmmaAccumulatorLayout({128, 128}, {8, 1}, 128);
  LinearLayout rows = blockedLayout({128, 128}, {{1, 8}, {2, 16}, {8, 1}, {1, 0}});
  ConversionPlan plan = checkPlan(accumulator, rows, withBytes(2));
  ASSERT_EQ(plan.kind, ConversionPlan::Kind::Shared);
  EXPECT_EQ(plan.shared.write.kind, SharedAccess::Kind::Matrix);
  EXPECT_EQ(plan.shared.write.matrices, 4u);
  EXPECT_EQ(plan.shared.read.elements, 8u);
  EXPECT_EQ(plan.shared.write.ways * plan.shared.read.ways, 1u);
  // Without stmatrix there are registers enough on both sides for 16-byte pieces, in another order of memory.
  ConversionOptions ampere = withBytes(2);
  ampere.hasStmatrix = false;
  plan = checkPlan(accumulator, rows, ampere);
  EXPECT_EQ(plan.shared.write.elements * plan.shared.read.elements, 64u);
  EXPECT_EQ(plan.shared.write.ways * plan.shared.read.ways, 1u);
}

TEST(Conversion, transposesWithoutConflicts) {
  LinearLayout rows = blockedLayout({64, 64}, {{1, 4}, {2, 16}, {4, 1}, {1, 0}});
  LinearLayout columns = blockedLayout({64, 64}, {{4, 1}, {16, 2}, {1, 4}, {0, 1}});
  for (unsigned bytes : {4u, 8u}) {
    ConversionPlan plan = checkPlan(rows, columns, withBytes(bytes));
    ASSERT_EQ(plan.kind, ConversionPlan::Kind::Shared);
    EXPECT_EQ(plan.shared.write.ways, 1u) << bytes;
    EXPECT_EQ(plan.shared.read.ways, 1u) << bytes;
  }
}

TEST(Conversion, roundsSaveMemory) {
  LinearLayout accumulator = mmaAccumulatorLayout({128, 128}, {4, 1});
  LinearLayout rows = blockedLayout({128, 128}, {{1, 4}, {1, 32}, {4, 1}, {1, 0}});
  ConversionOptions options = withBytes(4);
  options.maxSharedBytes = 16 * 1024;
  ConversionPlan plan = checkPlan(accumulator, rows, options);
  ASSERT_EQ(plan.kind, ConversionPlan::Kind::Shared);
  EXPECT_LE(plan.shared.bytes * plan.shared.rounds, 128u * 128 * 4);
  EXPECT_GT(plan.shared.rounds, 1u);
}

// A buffer whose order is given: written by one layout, read by another.
static std::pair<SharedAccess, SharedAccess> checkGivenMemory(const LinearLayout &memory, const LinearLayout &writer,
                                                              const LinearLayout &reader, unsigned bytes) {
  SharedPlan plan;
  plan.bytes = memory.size(Dim::Offset) * bytes;
  plan.write = planAccess(memory, writer, bytes, true, true);
  plan.read = planAccess(memory, reader, bytes, false, true);
  EXPECT_EQ(runShared(plan, fileFor(writer, bytes), reader.registers(), bytes), fileFor(reader, bytes))
      << memory.toString();
  return {plan.write, plan.read};
}

TEST(SharedAccess, operandsFromSwizzledBuffers) {
  LinearLayout rows = blockedLayout({64, 64}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  LinearLayout memory = swizzledSharedLayout({64, 64}, 2, 128, {1, 0});
  auto [write, readA] = checkGivenMemory(memory, rows, mmaOperandLayout({64, 64}, DotOperand::A, {2, 2}, 2), 2);
  EXPECT_EQ(write.elements, 8u);
  EXPECT_EQ(write.ways, 1u);
  EXPECT_EQ(readA.kind, SharedAccess::Kind::Matrix);
  EXPECT_EQ(readA.matrices, 4u);
  EXPECT_EQ(readA.ways, 1u);
  auto [again, readB] = checkGivenMemory(memory, rows, mmaOperandLayout({64, 64}, DotOperand::B, {2, 2}, 2), 2);
  EXPECT_EQ(readB.kind, SharedAccess::Kind::TransposedMatrix);
  EXPECT_EQ(readB.ways, 1u);
  // The epilogue of wgmma into a buffer for TMA.
  auto [store, load] = checkGivenMemory(memory, wgmmaAccumulatorLayout({64, 64}, {4, 1}, 64), rows, 2);
  EXPECT_EQ(store.kind, SharedAccess::Kind::Matrix);
  EXPECT_EQ(store.ways * load.ways, 1u);
  // Without a swizzle the eight rows of a matrix are all in the same banks.
  auto [plain, slow] =
      checkGivenMemory(sharedLayout({64, 64}, {1, 0}), rows, mmaOperandLayout({64, 64}, DotOperand::A, {2, 2}, 2), 2);
  EXPECT_EQ(slow.ways, 8u);
}

// Bytes that lie along one axis in a buffer and along the other in the next: matrices of two bytes at a time, and words of four.
TEST(SharedAccess, bytesAreTurned) {
  LinearLayout rows = blockedLayout({64, 128}, {{1, 16}, {4, 8}, {4, 1}, {1, 0}});
  LinearLayout turned = blockedLayout({64, 128}, {{4, 2}, {4, 8}, {1, 4}, {0, 1}});
  auto [write, read] = checkGivenMemory(swizzledSharedLayout({64, 128}, 1, 128, {1, 0}), rows, turned, 1);
  EXPECT_EQ(read.kind, SharedAccess::Kind::TransposedMatrix);
  EXPECT_EQ(read.matrices, 4u);
  auto [store, load] = checkGivenMemory(swizzledSharedLayout({64, 128}, 1, 64, {0, 1}), turned, rows, 1);
  EXPECT_EQ(store.kind, SharedAccess::Kind::Matrix);
  EXPECT_EQ(store.matrices, 4u);
  // The other way round it is stmatrix that turns them.
  auto [across, straight] = checkGivenMemory(swizzledSharedLayout({64, 128}, 1, 128, {1, 0}), turned, rows, 1);
  EXPECT_EQ(across.kind, SharedAccess::Kind::TransposedMatrix);
}

TEST(SharedAccess, randomMemory) {
  Generator random(33);
  for (unsigned i = 0; i < 600; ++i) {
    Space tile = randomTile(random, draw(random, 3, 10));
    unsigned warpBits = draw(random, 0, 2), bytes = 1u << draw(random, 0, 3);
    LinearLayout memory = i % 2 ? randomBijection(random, Space::offset(tile.totalBits()), tile)
                                : sharedLayout(tile.shape(), rowMajorOrder(tile.entries().size()));
    checkGivenMemory(memory, randomDistributed(random, tile, warpBits, i % 3 == 0),
                     randomDistributed(random, tile, warpBits, i % 5 == 0), bytes);
    if (HasFailure())
      return;
  }
}
