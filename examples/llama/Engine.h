// Engine.h: many requests at a time: prompts and drawn tokens of all of them go through the model in the same steps.
#pragma once

#include "Model.h"

#include <deque>
#include <functional>

namespace llama {

struct Request {
  std::vector<int64_t> prompt; // at least one token
  int64_t tokens = 64;         // how many are drawn
  float temperature = 0;       // 0: the most likely one
  int32_t topK = 0;            // 0: all
  float topP = 1;
  int64_t seed = 0;
};

struct EngineOptions {
  int64_t pages = 256;         // of the cache
  int64_t tokensPerStep = 512; // prompts are taken in pieces of at most so many
};

class Engine {
public:
  static Result<Engine> make(Model model, const EngineOptions &options);

  // The number of the request, under which its tokens are told.
  Result<size_t> add(Request request);
  // One pass of the model over what can go on; false when there is nothing left to do.
  Result<bool> step();
  // All requests to their ends; gives the drawn tokens of each.
  Result<std::vector<std::vector<int64_t>>> run(const std::vector<Request> &requests);

  std::function<void(size_t request, int64_t token)> onToken;
  int64_t steps() const { return stepCount; }

private:
  struct Sequence {
    size_t number;
    Request request;
    std::vector<int64_t> tokens; // the prompt, then what was drawn
    int64_t done = 0;            // how many of them are in the cache
    std::vector<int32_t> pages;
    bool isOver() const { return tokens.size() >= request.prompt.size() + static_cast<size_t>(request.tokens); }
  };

  Engine(Model model, Cache cache, const EngineOptions &options)
      : model(std::move(model)), cache(std::move(cache)), options(options), work(this->model.place()) {}
  bool makeRoom(Sequence &sequence, int64_t length);
  void giveUp(size_t which);
  Batch collect(std::vector<size_t> &chosen);
  Result<void> draw(const Tensor &logits, const std::vector<size_t> &chosen);

  Model model;
  Cache cache;
  EngineOptions options;
  Workspace work;
  std::vector<int32_t> freePages;
  std::deque<Sequence> waiting;
  std::vector<Sequence> running;
  size_t count = 0;
  int64_t stepCount = 0;
};

} // namespace llama
