// ShufflePlan.cpp: conversions inside a warp.
//
// Let result word r of lane l be source word P r + Q l of lane A r + B l (all linear; warps add their own terms). One
// shuffle gives every lane one word of another lane, and the lane that is read chooses which, so the readers of one
// lane must want the same word. We let lane l receive its word t + E l in round t: it then reads from lane A t + H l
// with H = A E + B, and that lane has to offer word F t + G (its own number) with G H = P E + Q and F = P + G A. So
// each lane first XORs its word numbers with G l, then round t offers word F t, and at the end word numbers are XORed
// with E l. What remains is to choose E: with H = 1 a lane keeps the words for which A t = 0, and those rounds need no
// shuffle at all.
#include "layout/Conversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cassert>

namespace nereid::layout {

unsigned ShufflePlan::shuffles() const {
  return llvm::count_if(rounds, [](const ShuffleRound &round) { return !round.isLocal; });
}

namespace {

constexpr unsigned kLaneBits = 5;

// The maps of the comment above, as columns. `packed` register bits travel inside of a word.
struct WordMaps {
  unsigned wordBits = 0, threadBits = kLaneBits;
  F2Vectors laneOfWord, laneOfThread; // A; B and the warps' terms
  F2Vectors wordOfWord, wordOfThread; // P; Q and the warps' terms
};

// How the source's and the result's registers are cut into words.
struct Packing {
  F2Vectors inWord;       // source registers (as masks) that vary inside of a word, lowest first
  F2Vectors betweenWords; // and those that tell words apart
  llvm::SmallVector<unsigned> inWordBits, wordBits; // the same for the result: bits of its register number
};

// Registers of the source that depend on the thread: they cannot be inside of a word, where positions are fixed.
F2Vectors threadDependentRegisters(const LinearLayout &sourceOf) {
  F2Vectors registers;
  for (Dim dim : {Dim::Lane, Dim::Warp})
    for (F2Vector column : sourceOf.columns(dim))
      registers.push_back(sourceOf.out().index(column, Dim::Register));
  return F2Span(registers).basis();
}

Packing packWords(const LinearLayout &sourceOf, unsigned maxBits) {
  Packing packing;
  F2Vectors dependent = threadDependentRegisters(sourceOf);
  F2Span taken(dependent);
  for (unsigned bit = 0; bit < sourceOf.bits(Dim::Register); ++bit) {
    F2Vector column = sourceOf.column(Dim::Register, bit);
    bool isRegister = !(column & ~sourceOf.out().mask(Dim::Register));
    if (isRegister && packing.inWord.size() < maxBits && taken.insert(column)) {
      packing.inWord.push_back(column);
      packing.inWordBits.push_back(bit);
    } else {
      packing.wordBits.push_back(bit);
    }
  }
  F2Vectors chosen(packing.inWord);
  chosen.append(dependent.begin(), dependent.end());
  packing.betweenWords = dependent;
  for (F2Vector unit : complete(chosen, sourceOf.out().bits(Dim::Register)))
    packing.betweenWords.push_back(unit);
  return packing;
}

// Coordinates of a source register: its word, and its position there.
struct WordPosition {
  F2Vector word, position;
};

class RegisterCoordinates {
public:
  explicit RegisterCoordinates(const Packing &packing) : positionBits(packing.inWord.size()), span(packing.inWord) {
    for (F2Vector registers : packing.betweenWords)
      span.insert(registers);
  }
  WordPosition of(F2Vector registers) const {
    F2Vector both = *span.solve(registers);
    return {both >> positionBits, both & ((F2Vector(1) << positionBits) - 1)};
  }

private:
  unsigned positionBits;
  F2Span span;
};

WordMaps wordMaps(const LinearLayout &sourceOf, const Packing &packing, const RegisterCoordinates &coordinates) {
  const Space &out = sourceOf.out();
  WordMaps maps;
  maps.wordBits = packing.wordBits.size();
  maps.threadBits = kLaneBits + sourceOf.bits(Dim::Warp);
  auto add = [&](F2Vector column, F2Vectors &lanes, F2Vectors &words) {
    lanes.push_back(out.index(column, Dim::Lane));
    words.push_back(coordinates.of(out.index(column, Dim::Register)).word);
  };
  for (unsigned bit : packing.wordBits)
    add(sourceOf.column(Dim::Register, bit), maps.laneOfWord, maps.wordOfWord);
  for (Dim dim : {Dim::Lane, Dim::Warp})
    for (F2Vector column : sourceOf.columns(dim))
      add(column, maps.laneOfThread, maps.wordOfThread);
  return maps;
}

// E with A E + B = 1: every lane keeps what need not move.
std::optional<F2Vectors> keepingChoice(const WordMaps &maps) {
  F2Span lanes(maps.laneOfWord);
  F2Vectors choice;
  for (unsigned bit = 0; bit < kLaneBits; ++bit) {
    auto words = lanes.solve(maps.laneOfThread[bit] ^ F2Vector(1) << bit);
    if (!words)
      return std::nullopt;
    choice.push_back(*words);
  }
  return choice;
}

// E that makes A E + B as invertible as it can be: lanes that B sends to one place are told apart by words.
F2Vectors spreadingChoice(const WordMaps &maps) {
  llvm::ArrayRef<F2Vector> lanes = llvm::ArrayRef(maps.laneOfThread).take_front(kLaneBits);
  F2Vectors choice(kLaneBits, 0);
  F2Span images, words;
  llvm::SmallVector<unsigned> lost;
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    if (!images.insert(lanes[bit]))
      lost.push_back(bit);
  unsigned next = 0;
  for (unsigned word = 0; word < maps.wordBits && next < lost.size(); ++word)
    if (images.insert(maps.laneOfWord[word]))
      choice[lost[next++]] = F2Vector(1) << word;
  return choice;
}

// A matrix from thread bits to words as a few exchanges: as many as its rank.
llvm::SmallVector<WordExchange, 4> exchangesOf(llvm::ArrayRef<F2Vector> columns) {
  llvm::SmallVector<WordExchange, 4> exchanges;
  llvm::SmallVector<unsigned> insertionOf;
  F2Span span;
  for (unsigned i = 0; i < columns.size(); ++i)
    if (span.insert(columns[i])) {
      exchanges.push_back({static_cast<unsigned>(columns[i]), 0});
      insertionOf.push_back(i);
    }
  for (unsigned i = 0; i < columns.size(); ++i) {
    F2Vector combination = *span.solve(columns[i]);
    for (auto [exchange, insertion] : llvm::zip(exchanges, insertionOf))
      if (combination >> insertion & 1)
        exchange.threads |= 1u << i;
  }
  return exchanges;
}

std::optional<ShufflePlan> planWith(const WordMaps &maps, llvm::ArrayRef<F2Vector> choice) {
  F2Vectors lanes, words; // H and P E + Q; then the terms of the warps
  for (unsigned bit = 0; bit < maps.threadBits; ++bit) {
    F2Vector chosen = bit < kLaneBits ? choice[bit] : 0;
    lanes.push_back(maps.laneOfThread[bit] ^ multiply(maps.laneOfWord, chosen));
    words.push_back(maps.wordOfThread[bit] ^ multiply(maps.wordOfWord, chosen));
  }
  // G: what the lane that is read offers, by its own number. Readers of one lane must agree.
  llvm::ArrayRef<F2Vector> ownLanes = llvm::ArrayRef(lanes).take_front(kLaneBits);
  for (F2Vector same : kernelOf(ownLanes))
    if (multiply(words, same))
      return std::nullopt;
  F2Span span(ownLanes);
  for (F2Vector unit : complete(ownLanes, kLaneBits))
    span.insert(unit);
  F2Vectors offered;
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    offered.push_back(multiply(words, *span.solve(F2Vector(1) << bit) & ((1u << kLaneBits) - 1)));
  F2Vectors before(offered);
  for (unsigned bit = kLaneBits; bit < maps.threadBits; ++bit)
    before.push_back(words[bit] ^ multiply(offered, lanes[bit]));

  ShufflePlan plan;
  plan.before = exchangesOf(before);
  plan.after = exchangesOf(choice);
  plan.laneColumns = lanes;
  bool keepsLanes = true;
  for (unsigned bit = 0; bit < maps.threadBits; ++bit)
    keepsLanes &= lanes[bit] == (bit < kLaneBits ? F2Vector(1) << bit : 0);
  for (F2Vector word = 0; word < F2Vector(1) << maps.wordBits; ++word) {
    F2Vector lane = multiply(maps.laneOfWord, word);
    F2Vector source = multiply(maps.wordOfWord, word) ^ multiply(offered, lane);
    plan.rounds.push_back({static_cast<unsigned>(source), static_cast<unsigned>(lane), keepsLanes && !lane});
  }
  return plan;
}

unsigned costOf(const ShufflePlan &plan) {
  return 2 * plan.shuffles() + (plan.before.size() + plan.after.size()) * plan.words();
}

unsigned depositBits(unsigned number, llvm::ArrayRef<unsigned> bits) {
  unsigned result = 0;
  for (unsigned i = 0; i < bits.size(); ++i)
    result |= (number >> i & 1) << bits[i];
  return result;
}

} // namespace

std::optional<ShufflePlan> planShuffles(const LinearLayout &sourceOf, unsigned elementBytes) {
  assert(sourceOf.in().bits(Dim::Lane) == kLaneBits && sourceOf.out().bits(Dim::Lane) == kLaneBits);
  unsigned maxBits = elementBytes >= 4 ? 0 : elementBytes == 2 ? 1 : 2;
  Packing packing = packWords(sourceOf, maxBits);
  RegisterCoordinates coordinates(packing);
  WordMaps maps = wordMaps(sourceOf, packing, coordinates);

  std::optional<ShufflePlan> best;
  auto consider = [&](std::optional<ShufflePlan> plan) {
    if (plan && (!best || costOf(*plan) < costOf(*best)))
      best = std::move(plan);
  };
  if (auto keeping = keepingChoice(maps))
    consider(planWith(maps, *keeping));
  consider(planWith(maps, F2Vectors(kLaneBits, 0)));
  consider(planWith(maps, spreadingChoice(maps)));
  if (!best)
    return std::nullopt;

  best->elementsPerWord = 1u << packing.inWord.size();
  for (unsigned slot = 0, count = 1u << sourceOf.out().bits(Dim::Register); slot < count; ++slot)
    best->slots.push_back(multiply(packing.inWord, slot % best->elementsPerWord) ^
                          multiply(packing.betweenWords, slot / best->elementsPerWord));
  best->results.resize(sourceOf.size(Dim::Register));
  for (unsigned word = 0; word < best->words(); ++word)
    for (unsigned position = 0; position < best->elementsPerWord; ++position) {
      unsigned result = depositBits(word, packing.wordBits) | depositBits(position, packing.inWordBits);
      F2Vector registers = sourceOf.out().index(sourceOf.apply(result), Dim::Register);
      best->results[result] = word * best->elementsPerWord + coordinates.of(registers).position;
    }
  return best;
}

} // namespace nereid::layout
