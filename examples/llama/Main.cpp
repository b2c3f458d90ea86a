// Main.cpp: the program `llama`: makes, trains and runs Llama-shaped models on libnereid alone. Tokens are bytes where the
// vocabulary is 256, else numbers.
#include "Engine.h"
#include "Train.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>

namespace llama {

namespace {

constexpr const char *kHelp = R"(llama: a Llama-shaped model on libnereid

  llama init SIZE -o FILE [--seed N] [--dtype bf16|f32]     random weights (sizes: tiny, 15m, 110m, 1b)
  llama train TEXT -o FILE [--steps N] [--size SIZE] [--batch N] [--length N] [--rate X] [--seed N]
                                                            a model of bytes that learns the text
  llama generate FILE PROMPT… [--tokens N] [--temperature X] [--top-k N] [--top-p X] [--seed N]
                  [--weights int8|int4] [--pages N] [--step-tokens N] [--numbers]
                                                            all prompts at the same time
  llama bench FILE [--batch N] [--prompt N] [--tokens N] [--weights int8|int4]
                                                            tokens per second

  --device cpu|interp|cuda      where (default: NEREID_DEVICE, or cpu)
  --numbers                     prompts and results are token numbers: `1,2,3`
)";

// The words of the command line: `--name value`, and the rest.
class Options {
public:
  Options(int argc, char **argv) {
    for (int i = 2; i < argc; ++i) {
      std::string word = argv[i];
      if (word == "--numbers")
        named[word] = "1";
      else if (word.starts_with("--") || word == "-o")
        named[word] = i + 1 < argc ? argv[++i] : "";
      else
        operands.push_back(word);
    }
  }
  std::string text(const std::string &name, const std::string &fallback = "") {
    asked.push_back(name);
    auto found = named.find(name);
    return found == named.end() ? fallback : found->second;
  }
  template <class T> T number(const std::string &name, T fallback, T low, T high) {
    std::string word = text(name);
    if (word.empty() && !named.contains(name))
      return fallback;
    T value{};
    auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failed != std::errc() || end != word.data() + word.size() || !(value >= low) || !(value <= high)) {
      std::ostringstream message;
      message << "`" << name << "` is `" << word << "`, but a number from " << low << " to " << high << " is expected";
      problem = problem.empty() ? message.str() : problem;
    }
    return value;
  }
  bool has(const std::string &name) {
    asked.push_back(name);
    return named.contains(name);
  }
  // What is wrong with the words, after all that are known were asked for.
  std::string mistake() const {
    for (auto &[name, value] : named)
      if (std::find(asked.begin(), asked.end(), name) == asked.end())
        return "there is no option `" + name + "` here";
    return problem;
  }
  std::vector<std::string> operands;

private:
  std::map<std::string, std::string> named;
  std::vector<std::string> asked;
  std::string problem;
};

int complain(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 2;
}
int complain(const Error &error) {
  std::fputs(error.message.c_str(), stderr);
  if (error.message.empty() || error.message.back() != '\n')
    std::fputc('\n', stderr);
  return static_cast<int>(error.status);
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string deviceOf(Options &options) {
  const char *usual = std::getenv("NEREID_DEVICE");
  return options.text("--device", usual ? usual : "cpu");
}

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
  std::string out = options.text("-o"), size = options.text("--size", "tiny");
  Place place(deviceOf(options));
  if (std::string mistake = options.mistake(); !mistake.empty())
    return complain(mistake);
  std::optional<Config> config = configOf(size);
  if (options.operands.size() != 1 || out.empty() || !config)
    return complain("`llama train TEXT -o FILE` is expected, with a `--size` of " + sizeNames());
  config->vocabulary = 256;
  std::ifstream file(options.operands[0], std::ios::binary);
  std::vector<int64_t> text;
  for (char c; file.get(c);)
    text.push_back(static_cast<unsigned char>(c));
  if (static_cast<int64_t>(text.size()) <= training.length)
    return complain("`" + options.operands[0] + "` has " + std::to_string(text.size()) + " bytes, but more than " +
                    std::to_string(training.length) + " are needed");
  Result<Weights> weights = randomWeights(*config, DType::Fp32, seed);
  Result<Weights> there = weights ? bring(*weights, place) : weights;
  Result<Trainer> trainer = there ? Trainer::make(*there, place, training) : Result<Trainer>(there.error());
  if (!trainer)
    return complain(trainer.error());
  std::mt19937_64 random(seed);
  auto start = std::chrono::steady_clock::now();
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
    if (step == 1 || step == steps || step % 50 == 0)
      std::printf("step %lld: loss %.4f, %.0f ms a step\n", static_cast<long long>(step), *loss,
                  secondsSince(start) / static_cast<double>(step) * 1e3);
    std::fflush(stdout);
  }
  Weights trained = trainer->weights();
  if (place.isGpu()) {
    Steps copies;
    auto home = [&](Tensor &tensor) {
      if (auto host = copies.value([&] { return nereid::toHost(tensor); }))
        tensor = *host;
    };
    for (Tensor *tensor : {&trained.embedding, &trained.norm, &trained.head})
      home(*tensor);
    for (Layer &layer : trained.layers)
      for (Tensor *tensor : {&layer.attentionNorm, &layer.qkv, &layer.out, &layer.mlpNorm, &layer.gateUp, &layer.down})
        home(*tensor);
    if (copies.failed())
      return complain(copies.error());
  }
  Result<void> done = writeWeights(out, trained);
  return done ? 0 : complain(done.error());
}

Result<Engine> makeEngine(const std::string &path, const std::string &kind, const Place &place,
                          const EngineOptions &options) {
  std::optional<WeightKind> weightKind = kind.empty() ? WeightKind::AsStored : weightKindOf(kind);
  if (!weightKind)
    return Error{Status::BadInput, "error: `--weights` is `" + kind + "`, but int8 or int4 is expected\n"};
  Result<Weights> weights = readWeights(path);
  Result<Model> model = weights ? Model::make(*weights, *weightKind, place) : Result<Model>(weights.error());
  return model ? Engine::make(std::move(*model), options) : Result<Engine>(model.error());
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

std::string showTokens(const std::vector<int64_t> &tokens, bool isNumbers) {
  std::string text;
  for (int64_t token : tokens)
    text += isNumbers ? (text.empty() ? "" : ",") + std::to_string(token) : std::string(1, static_cast<char>(token));
  return text;
}

int generate(Options &options) {
  Request usual;
  usual.tokens = options.number<int64_t>("--tokens", 64, 0, 1 << 20);
  usual.temperature = options.number<float>("--temperature", 0, 0, 100);
  usual.topK = options.number<int32_t>("--top-k", 0, 0, 1 << 20);
  usual.topP = options.number<float>("--top-p", 1, 0, 1);
  usual.seed = options.number<int64_t>("--seed", 0, 0, INT64_MAX / 2);
  EngineOptions engineOptions{.pages = options.number<int64_t>("--pages", 256, 1, 1 << 24),
                              .tokensPerStep = options.number<int64_t>("--step-tokens", 512, 1, 1 << 20)};
  bool isNumbers = options.has("--numbers");
  std::string kind = options.text("--weights");
  Place place(deviceOf(options));
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
  Result<Engine> engine = makeEngine(options.operands[0], kind, place, engineOptions);
  if (!engine)
    return complain(engine.error());
  Result<std::vector<std::vector<int64_t>>> drawn = engine->run(requests);
  if (!drawn)
    return complain(drawn.error());
  for (size_t i = 0; i < requests.size(); ++i)
    std::printf("%s%s\n", isNumbers ? "" : options.operands[i + 1].c_str(), showTokens((*drawn)[i], isNumbers).c_str());
  return 0;
}

int bench(Options &options) {
  auto batch = options.number<int64_t>("--batch", 1, 1, 4096),
       prompt = options.number<int64_t>("--prompt", 128, 1, 1 << 20),
       tokens = options.number<int64_t>("--tokens", 64, 1, 1 << 20);
  std::string kind = options.text("--weights");
  Place place(deviceOf(options));
  if (std::string mistake = options.mistake(); !mistake.empty())
    return complain(mistake);
  if (options.operands.size() != 1)
    return complain("`llama bench FILE` is expected");
  auto start = std::chrono::steady_clock::now();
  int64_t pages = batch * ((prompt + tokens + kPage - 1) / kPage);
  Result<Engine> engine = makeEngine(options.operands[0], kind, place, {.pages = pages, .tokensPerStep = 2048});
  if (!engine)
    return complain(engine.error());
  std::printf("loaded in %.3f s\n", secondsSince(start));
  for (const char *round : {"first round (kernels are compiled or come from the cache)", "second round"}) {
    for (int64_t b = 0; b < batch; ++b) {
      std::vector<int64_t> words(static_cast<size_t>(prompt));
      for (size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<int64_t>(i * 31 + static_cast<size_t>(b) * 17) % 256;
      if (Result<size_t> added = engine->add({.prompt = words, .tokens = tokens}); !added)
        return complain(added.error());
    }
    double first = 0;
    auto begin = std::chrono::steady_clock::now();
    engine->onToken = [&](size_t, int64_t) { first = first > 0 ? first : secondsSince(begin); };
    Result<bool> goesOn = true;
    while (goesOn && *goesOn)
      goesOn = engine->step();
    if (!goesOn)
      return complain(goesOn.error());
    double seconds = secondsSince(begin);
    std::printf("%s: first token after %.3f s, %.1f tokens a second drawn, %.1f of the prompts\n", round, first,
                static_cast<double>(batch * tokens) / seconds, static_cast<double>(batch * prompt) / first);
  }
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
  std::fputs(llama::kHelp, command == "help" || command == "--help" ? stdout : stderr);
  return command == "help" || command == "--help" ? 0 : 2;
}
