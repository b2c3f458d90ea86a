// Campaign.h: many programs in a row, in worker processes: a crash or a hang of generated code ends its worker, is
// counted as a finding of that program, and the next worker goes on after it.
#pragma once

#include "Evaluate.h"
#include "Generator.h"

#include <functional>

namespace nereid::differ {

struct CampaignOptions {
  int64_t first = 0, programs = 300;
  uint64_t seed = 1;
  unsigned jobs = 1;
  double timeLimit = 0; // seconds; 0: none
  GeneratorOptions generator;
  EvaluateOptions evaluate;
};

// Program `index` of a campaign has a seed of its own, so that it can be made again alone.
uint64_t programSeed(uint64_t seed, int64_t index);

struct Finding {
  int64_t index;
  uint64_t seed;
  Verdict verdict;
};

// Calls `report` for every program that is not the same on both devices, and `progress` after each.
struct Totals {
  int64_t counts[6] = {}; // by Verdict::Kind
  int64_t total() const;
  int64_t of(Verdict::Kind kind) const { return counts[size_t(kind)]; }
};
Totals runCampaign(const CampaignOptions &options, const std::function<void(const Finding &)> &report,
                   const std::function<void(const Totals &)> &progress);

} // namespace nereid::differ
