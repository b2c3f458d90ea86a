// Engine.cpp: which tokens go into the next step, and what is drawn behind it. Sequences get pages as they grow; where none
// is left, the youngest one gives its pages back and starts anew later, with what it has drawn as part of its prompt.
#include "Engine.h"

#include <nereid/kernels/sampling.hpp>

#include <bit>
#include <numeric>

namespace llama {

Result<Engine> Engine::make(Model model, const EngineOptions &options) {
  if (options.pages < 1 || options.page < 1 || options.tokensPerStep < 1 || options.ahead < 1)
    return Error{Status::BadInput, "error: an engine needs at least one page and one token a step\n"};
  Result<Cache> cache = model.makeCache(options.pages, options.page);
  if (!cache)
    return cache.error();
  Engine engine(std::move(model), std::move(*cache), options);
  engine.freePages.resize(static_cast<size_t>(options.pages));
  std::iota(engine.freePages.rbegin(), engine.freePages.rend(), 0);
  return engine;
}

Result<size_t> Engine::add(Request request) {
  const Config &config = core->model.config();
  auto length = static_cast<int64_t>(request.prompt.size()) + request.tokens;
  if (request.prompt.empty() || request.tokens < 0)
    return Error{Status::BadInput, "error: a request needs a prompt of at least one token\n"};
  if (length > config.longest || pagesFor(length) > options.pages)
    return Error{Status::BadInput, "error: a request is " + std::to_string(length) +
                                       " tokens long, but the model has " + std::to_string(config.longest) +
                                       " positions and the cache room for " +
                                       std::to_string(options.pages * options.page) + "\n"};
  for (int64_t token : request.prompt)
    if (token < 0 || token >= config.vocabulary)
      return Error{Status::BadInput, "error: a prompt has the token " + std::to_string(token) +
                                         ", but the vocabulary is " + std::to_string(config.vocabulary) + "\n"};
  Sequence sequence{count, std::move(request), {}, 0, {}};
  sequence.tokens = sequence.request.prompt;
  waiting.push_back(std::move(sequence));
  return count++;
}

bool Engine::makeRoom(Sequence &sequence, int64_t length) {
  auto wanted = static_cast<size_t>(pagesFor(length));
  if (wanted > sequence.pages.size() + freePages.size())
    return false;
  while (sequence.pages.size() < wanted) {
    sequence.pages.push_back(freePages.back());
    freePages.pop_back();
  }
  return true;
}

// The sequence waits again, from the beginning.
void Engine::giveUp(size_t which) {
  Sequence sequence = std::move(running[which]);
  running.erase(running.begin() + static_cast<int64_t>(which));
  freePages.insert(freePages.end(), sequence.pages.begin(), sequence.pages.end());
  sequence.pages.clear();
  sequence.done = 0;
  waiting.push_front(std::move(sequence));
}

void Engine::admit() {
  while (!waiting.empty() && makeRoom(waiting.front(), static_cast<int64_t>(waiting.front().tokens.size()))) {
    running.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
}

// How many tokens all sequences can draw with nothing else to do and room for them; 0 where one has more to read.
int64_t Engine::stepsAhead() const {
  if (running.empty() || static_cast<int64_t>(running.size()) > options.tokensPerStep)
    return 0;
  int64_t steps = options.ahead;
  for (const Sequence &sequence : running) {
    if (sequence.done + 1 != static_cast<int64_t>(sequence.tokens.size()) || sequence.isOver())
      return 0;
    steps = std::min(steps, sequence.left());
  }
  auto missing = [&] {
    int64_t pages = 0;
    for (const Sequence &sequence : running)
      pages += std::max<int64_t>(0, pagesFor(sequence.done + steps) - static_cast<int64_t>(sequence.pages.size()));
    return pages > static_cast<int64_t>(freePages.size());
  };
  while (steps > 0 && missing())
    --steps;
  return steps;
}

// The tokens of the next step; `chosen` are the sequences that they belong to.
Batch Engine::collect(std::vector<size_t> &chosen) {
  int64_t budget = options.tokensPerStep;
  Batch batch;
  for (size_t i = 0; i < running.size() && budget > 0; ++i) {
    auto length = std::min(static_cast<int64_t>(running[i].tokens.size()), running[i].done + budget);
    while (!makeRoom(running[i], length) && running.size() > i + 1)
      giveUp(running.size() - 1);
    Sequence &sequence = running[i];
    if (!makeRoom(sequence, length))
      break; // it is the youngest itself, and goes on when others have ended
    for (int64_t place = sequence.done; place < length; ++place) {
      batch.tokens.push_back(sequence.tokens[static_cast<size_t>(place)]);
      batch.positions.push_back(static_cast<int32_t>(place));
      batch.slots.push_back(sequence.pages[static_cast<size_t>(place / options.page)] * options.page +
                            place % options.page);
    }
    budget -= length - sequence.done;
    sequence.done = length;
    batch.starts.push_back(static_cast<int32_t>(batch.tokens.size()));
    batch.lengths.push_back(static_cast<int32_t>(length));
    batch.pages.push_back(sequence.pages);
    chosen.push_back(i);
  }
  return batch;
}

// Each place has a seed of its own, whichever others share its step.
int64_t Engine::seedOf(const Sequence &sequence) {
  return sequence.request.seed + static_cast<int64_t>(sequence.tokens.size()) * kSeedStep;
}

// A token behind each sequence whose last one is in the cache.
Result<void> Engine::draw(const Tensor &logits, const std::vector<size_t> &chosen) {
  auto rows = static_cast<int64_t>(chosen.size());
  std::vector<int64_t> seeds;
  std::vector<float> temperatures, topPs;
  std::vector<int32_t> topKs;
  for (size_t i : chosen) {
    const Sequence &sequence = running[i];
    seeds.push_back(seedOf(sequence));
    temperatures.push_back(sequence.request.temperature);
    topPs.push_back(sequence.request.topP);
    topKs.push_back(sequence.request.topK);
  }
  Steps steps;
  parcel.clear();
  size_t at[] = {parcel.add(seeds), parcel.add(temperatures), parcel.add(topKs), parcel.add(topPs)};
  const Place &place = core->model.place();
  Tensor there = work(steps, "sampling", DType::UInt8, {parcel.size()});
  Tensor tokens = work(steps, "drawn", DType::Int64, {rows});
  steps([&] { return parcel.send(place, there); });
  nereid::kernels::SamplingOptions sampling{.temperature = viewOf(there, at[1], DType::Fp32, {rows}),
                                            .topK = viewOf(there, at[2], DType::Int32, {rows}),
                                            .topP = viewOf(there, at[3], DType::Fp32, {rows})};
  steps([&] {
    return nereid::kernels::sample(tokens, logits, viewOf(there, at[0], DType::Int64, {rows}), sampling,
                                   work.options());
  });
  std::optional<Tensor> host = steps.value([&] { return place.fetch(tokens); });
  if (!host)
    return steps.error();
  for (size_t row = 0; row < chosen.size(); ++row) {
    Sequence &sequence = running[chosen[row]];
    if (sequence.done == static_cast<int64_t>(sequence.tokens.size()) && !sequence.isOver())
      take(sequence, host->values<int64_t>()[row]);
  }
  return {};
}

void Engine::take(Sequence &sequence, int64_t token) {
  sequence.tokens.push_back(token);
  if (onToken)
    onToken(sequence.number, token);
}

// So many tokens of every sequence. Decoders are made for powers of two, so that few serve all batches.
Result<void> Engine::decode(int64_t count) {
  std::vector<DecodeRow> rows;
  int64_t pages = 1;
  bool isGreedy = true;
  for (Sequence &sequence : running) {
    makeRoom(sequence, sequence.done + count);
    const Request &request = sequence.request;
    rows.push_back({sequence.tokens.back(), sequence.done, sequence.pages, seedOf(sequence), request.temperature,
                    request.topP, request.topK});
    pages = std::max(pages, static_cast<int64_t>(sequence.pages.size()));
    isGreedy &= request.temperature == 0;
  }
  auto powerOfTwo = [](int64_t n) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); };
  Decoder::Shape shape{powerOfTwo(static_cast<int64_t>(rows.size())), powerOfTwo(pages), options.ahead, isGreedy};
  Decoder &decoder = decoders.try_emplace(shape, core->model, core->cache, shape).first->second;
  Result<std::vector<std::vector<int64_t>>> drawn = decoder.run(rows, count);
  if (!drawn)
    return drawn.error();
  for (const std::vector<int64_t> &tokens : *drawn)
    for (size_t i = 0; i < running.size(); ++i)
      take(running[i], tokens[i]);
  for (Sequence &sequence : running)
    sequence.done += count;
  stepCount += count;
  return {};
}

Result<bool> Engine::step() {
  admit();
  if (int64_t ahead = stepsAhead()) {
    if (Result<void> decoded = decode(ahead); !decoded)
      return decoded.error();
  } else {
    std::vector<size_t> chosen;
    Batch batch = collect(chosen);
    if (chosen.empty())
      return false;
    Result<Tensor> logits = core->model.step(batch, core->cache);
    if (!logits)
      return logits.error();
    if (Result<void> drawn = draw(*logits, chosen); !drawn)
      return drawn.error();
    ++stepCount;
  }
  std::erase_if(running, [&](Sequence &sequence) {
    if (sequence.isOver())
      freePages.insert(freePages.end(), sequence.pages.begin(), sequence.pages.end());
    return sequence.isOver();
  });
  return !running.empty() || !waiting.empty();
}

Result<std::vector<std::vector<int64_t>>> Engine::run(const std::vector<Request> &requests) {
  size_t first = count;
  std::vector<std::vector<int64_t>> drawn(requests.size());
  for (const Request &request : requests)
    if (Result<size_t> added = add(request); !added)
      return added.error();
  auto also = onToken;
  onToken = [&](size_t request, int64_t token) {
    drawn[request - first].push_back(token);
    if (also)
      also(request, token);
  };
  Result<bool> goesOn = true;
  while (goesOn && *goesOn)
    goesOn = step();
  onToken = also;
  return goesOn ? Result<std::vector<std::vector<int64_t>>>(std::move(drawn)) : goesOn.error();
}

} // namespace llama
