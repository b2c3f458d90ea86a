// Engine.h: many requests at a time: prompts and drawn tokens of all of them go through the model in the same steps.
#pragma once

#include "Decoder.h"

#include <deque>
#include <functional>
#include <memory>

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
  int64_t pages = 256, page = 16; // of the cache, and the tokens of one
  int64_t tokensPerStep = 512;    // prompts are taken in pieces of at most so many
  int64_t ahead = 1;              // while all sequences only draw, so many tokens of each come at a time
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
  // Recorded steps are made anew when they are needed again: their configurations have changed.
  void forgetRecordings() { decoders.clear(); }

private:
  struct Sequence {
    size_t number;
    Request request;
    std::vector<int64_t> tokens; // the prompt, then what was drawn
    int64_t done = 0;            // how many of them are in the cache
    std::vector<int32_t> pages;
    int64_t left() const { return request.tokens - static_cast<int64_t>(tokens.size() - request.prompt.size()); }
    bool isOver() const { return tokens.size() >= request.prompt.size() + static_cast<size_t>(request.tokens); }
  };

  // What decoders point to.
  struct Core {
    Model model;
    Cache cache;
  };
  Engine(Model model, Cache cache, const EngineOptions &options)
      : core(std::make_unique<Core>(std::move(model), std::move(cache))), options(options), work(core->model.place()) {}
  int64_t pagesFor(int64_t length) const { return (length + options.page - 1) / options.page; }
  bool makeRoom(Sequence &sequence, int64_t length);
  void giveUp(size_t which);
  void admit();
  int64_t stepsAhead() const;
  Batch collect(std::vector<size_t> &chosen);
  Result<void> draw(const Tensor &logits, const std::vector<size_t> &chosen);
  Result<void> decode(int64_t count);
  static int64_t seedOf(const Sequence &sequence);
  void take(Sequence &sequence, int64_t token);

  std::unique_ptr<Core> core;
  EngineOptions options;
  Workspace work;
  Parcel parcel;
  std::map<Decoder::Shape, Decoder> decoders;
  std::vector<int32_t> freePages;
  std::deque<Sequence> waiting;
  std::vector<Sequence> running;
  size_t count = 0;
  int64_t stepCount = 0;
};

} // namespace llama
