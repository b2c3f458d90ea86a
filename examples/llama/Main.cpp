// Main.cpp: the program `llama`: makes, trains and runs Llama-shaped models on libnereid alone. Tokens are bytes where the
// vocabulary is 256, else numbers.
#include "CommandLine.h"
#include "Train.h"

#include <fstream>
#include <random>

namespace llama {

namespace {

constexpr const char *kHelp = R"(llama: a Llama-shaped model on libnereid

  llama init SIZE -o FILE [--seed N] [--dtype bf16|f32]     random weights (sizes: tiny, 15m, 110m, 1b)
  llama train TEXT -o FILE [--steps N] [--size SIZE] [--batch N] [--length N] [--rate X] [--seed N] [--dtype f32|bf16]
                                                            a model of bytes that learns the text
  llama generate FILE PROMPT… [--tokens N] [--temperature X] [--top-k N] [--top-p X] [--seed N]
                  [--weights fp8|int8|int4] [--pages N] [--page N] [--step-tokens N] [--ahead N] [--numbers]
                                                            all prompts at the same time
  llama bench FILE [--batch N] [--prompt N] [--tokens N] [--weights fp8|int8|int4] [--page N] [--ahead N]
                  [--rounds N] [--profile] [--numbers]      tokens per second; which kernels ran; the first sequence
  llama tune FILE [--batch N] [--prompt N] [--weights fp8] [--seconds N]
                                                            finds the fastest configurations of the engine's kernels here

  --device cpu|interp|cuda      where (default: NEREID_DEVICE, or cpu)
  --ahead N                     while all sequences draw, N tokens of each come at a time (cuda: 8, else 1)
  --numbers                     prompts and results are token numbers: `1,2,3`
)";

int init(Options &options) {
  std::string out = options.text("-o"), dtype = options.text("--dtype", "bf16");
  auto seed = options.number<uint64_t>("--seed", 0, 0, UINT64_MAX / 1000 - 1);
  if (std::string mistake = options.mistake(); !mistake.empty())
    return complain(mistake);
  std::optional<Config> config = options.operands.size() == 1 ? configOf(options.operands[0]) : std::nullopt;
  if (!config || out.empty() || (dtype != "bf16" && dtype != "f32"))
    return complain("`llama init SIZE -o FILE` is expected, with a size of " + sizeNames() +
                    " and `--dtype` bf16 or f32");
  Result<Weights> weights = randomWeights(*config, dtype == "f32" ? DType::Fp32 : DType::Bf16, seed);
  if (!weights)
    return complain(weights.error());
  if (Result<void> done = writeWeights(out, *weights); !done)
    return complain(done.error());
  int64_t count = 0;
  for (auto &[name, tensor] : weights->all())
    count += tensor.count();
  std::printf("%s: %lld parameters\n", out.c_str(), static_cast<long long>(count));
  return 0;
}

int train(Options &options) {
  TrainOptions training;
  training.batch = options.number<int64_t>("--batch", training.batch, 1, 4096);
  training.length = options.number<int64_t>("--length", training.length, 1, 2048);
  training.rate = options.number<double>("--rate", training.rate, 0, 1);
  auto steps = options.number<int64_t>("--steps", 200, 1, 100000000);
  auto seed = options.number<uint64_t>("--seed", 0, 0, UINT64_MAX / 1000 - 1);
  std::string out = options.text("-o"), size = options.text("--size", "tiny"), dtype = options.text("--dtype", "f32");
  training.dtype = dtype == "bf16" ? DType::Bf16 : DType::Fp32;
  std::string device = deviceOf(options);
  if (std::string mistake = options.mistake(); !mistake.empty())
    return complain(mistake);
  std::optional<Config> config = configOf(size);
  if (options.operands.size() != 1 || out.empty() || !config || (dtype != "bf16" && dtype != "f32"))
    return complain("`llama train TEXT -o FILE` is expected, with a `--size` of " + sizeNames() +
                    " and `--dtype` bf16 or f32");
  config->vocabulary = 256;
  Result<Place> place = Place::make(device);
  if (!place)
    return complain(place.error());
  std::ifstream file(options.operands[0], std::ios::binary);
  std::vector<int64_t> text;
  for (char c; file.get(c);)
    text.push_back(static_cast<unsigned char>(c));
  if (static_cast<int64_t>(text.size()) <= training.length)
    return complain("`" + options.operands[0] + "` has " + std::to_string(text.size()) + " bytes, but more than " +
                    std::to_string(training.length) + " are needed");
  Result<Weights> weights = randomWeights(*config, DType::Fp32, seed);
  Result<Weights> there = weights ? bring(*weights, *place) : weights;
  Result<Trainer> trainer = there ? Trainer::make(*there, *place, training) : Result<Trainer>(there.error());
  if (!trainer)
    return complain(trainer.error());
  std::mt19937_64 random(seed);
  auto start = std::chrono::steady_clock::now();
  int64_t told = 0; // the times are those since the last line
  for (int64_t step = 1; step <= steps; ++step) {
    std::vector<int64_t> tokens, next;
    for (int64_t b = 0; b < training.batch; ++b) {
      auto first = static_cast<int64_t>(random() % (text.size() - static_cast<size_t>(training.length)));
      tokens.insert(tokens.end(), text.begin() + first, text.begin() + first + training.length);
      next.insert(next.end(), text.begin() + first + 1, text.begin() + first + training.length + 1);
    }
    Result<double> loss = trainer->step(tokens, next);
    if (!loss)
      return complain(loss.error());
    if (step != 1 && step != steps && step % 50 != 0)
      continue;
    std::printf("step %lld: loss %.4f, %.3g ms a step\n", static_cast<long long>(step), *loss,
                secondsSince(start) / static_cast<double>(step - told) * 1e3);
    std::fflush(stdout);
    told = step, start = std::chrono::steady_clock::now();
  }
  Weights trained = trainer->weights();
  if (place->isGpu()) {
    Steps copies;
    auto home = [&](Tensor &tensor) {
      if (auto host = copies.value([&] { return place->fetch(tensor); }))
        tensor = *host;
    };
    trained.forEach(home);
    if (copies.failed())
      return complain(copies.error());
  }
  Result<void> done = writeWeights(out, trained);
  return done ? 0 : complain(done.error());
}

// Bytes, or numbers with commas between them.
std::optional<std::vector<int64_t>> readPrompt(const std::string &text, bool isNumbers) {
  std::vector<int64_t> tokens;
  if (!isNumbers) {
    for (char c : text)
      tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), tokens.emplace_back());
    if (failed != std::errc() || end != word.data() + word.size())
      return std::nullopt;
  }
  return tokens;
}

int generate(Options &options) {
  Request usual;
  usual.tokens = options.number<int64_t>("--tokens", 64, 0, 1 << 20);
  usual.temperature = options.number<float>("--temperature", 0, 0, 100);
  usual.topK = options.number<int32_t>("--top-k", 0, 0, 1 << 20);
  usual.topP = options.number<float>("--top-p", 1, 0, 1);
  usual.seed = options.number<int64_t>("--seed", 0, 0, INT64_MAX / 2);
  std::string device = deviceOf(options);
  EngineOptions engineOptions{.pages = options.number<int64_t>("--pages", 256, 1, 1 << 24),
                              .page = options.number<int64_t>("--page", 16, 1, 1 << 16),
                              .tokensPerStep = options.number<int64_t>("--step-tokens", 512, 1, 1 << 20),
                              .ahead = aheadOf(options, device)};
  bool isNumbers = options.has("--numbers");
  std::string kind = options.text("--weights");
  if (std::string mistake = options.mistake(); !mistake.empty())
    return complain(mistake);
  if (options.operands.size() < 2)
    return complain("`llama generate FILE PROMPT…` is expected");
  std::vector<Request> requests;
  for (size_t i = 1; i < options.operands.size(); ++i) {
    std::optional<std::vector<int64_t>> prompt = readPrompt(options.operands[i], isNumbers);
    if (!prompt)
      return complain("`" + options.operands[i] + "` is no list of token numbers");
    requests.push_back(usual);
    requests.back().prompt = *prompt;
    requests.back().seed += static_cast<int64_t>(i - 1);
  }
  Result<Place> place = Place::make(device);
  if (!place)
    return complain(place.error());
  Result<Engine> engine = makeEngine(options.operands[0], kind, *place, engineOptions);
  if (!engine)
    return complain(engine.error());
  Result<std::vector<std::vector<int64_t>>> drawn = engine->run(requests);
  if (!drawn)
    return complain(drawn.error());
  for (size_t i = 0; i < requests.size(); ++i)
    std::printf("%s%s\n", isNumbers ? "" : options.operands[i + 1].c_str(), showTokens((*drawn)[i], isNumbers).c_str());
  return 0;
}

} // namespace

} // namespace llama

int main(int argc, char **argv) {
  std::string command = argc > 1 ? argv[1] : "help";
  llama::Options options(argc, argv);
  if (command == "init")
    return llama::init(options);
  if (command == "train")
    return llama::train(options);
  if (command == "generate")
    return llama::generate(options);
  if (command == "bench")
    return llama::bench(options);
  if (command == "tune")
    return llama::tune(options);
  std::fputs(llama::kHelp, command == "help" || command == "--help" ? stdout : stderr);
  return command == "help" || command == "--help" ? 0 : 2;
}
