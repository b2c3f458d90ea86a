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
  llama train TEXT -o FILE [--steps N] [--size SIZE] [--batch N] [--length N] [--rate X] [--seed N] [--dtype f32|bf16]
                                                            a model of bytes that learns the text
  llama generate FILE PROMPT… [--tokens N] [--temperature X] [--top-k N] [--top-p X] [--seed N]
                  [--weights fp8|int8|int4] [--pages N] [--page N] [--step-tokens N] [--ahead N] [--numbers]
                                                            all prompts at the same time
  llama bench FILE [--batch N] [--prompt N] [--tokens N] [--weights fp8|int8|int4] [--page N] [--ahead N]
                  [--rounds N] [--profile] [--numbers]      tokens per second; which kernels ran; the first sequence

  --device cpu|interp|cuda      where (default: NEREID_DEVICE, or cpu)
  --ahead N                     while all sequences draw, N tokens of each come at a time (cuda: 8, else 1)
  --numbers                     prompts and results are token numbers: `1,2,3`
)";

// The words of the command line: `--name value`, and the rest.
class Options {
public:
  Options(int argc, char **argv) {
    for (int i = 2; i < argc; ++i) {
      std::string word = argv[i];
      if (word == "--numbers" || word == "--profile")
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

int64_t aheadOf(Options &options, const std::string &device) {
  return options.number<int64_t>("--ahead", device.starts_with("cuda") ? 8 : 1, 1, 4096);
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

Result<Engine> makeEngine(const std::string &path, const std::string &kind, const Place &place,
                          const EngineOptions &options) {
  std::optional<WeightKind> weightKind = kind.empty() ? WeightKind::AsStored : weightKindOf(kind);
  if (!weightKind)
    return Error{Status::BadInput, "error: `--weights` is `" + kind + "`, but fp8, int8 or int4 is expected\n"};
  // What is rounded is rounded by the host.
  Result<Weights> weights = readWeights(path, *weightKind == WeightKind::AsStored ? &place : nullptr);
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

// Which kernels ran, and where.
int showProfile() {
  char *text = nullptr;
  nereid_status status = nereid_profile_end();
  if (status == NEREID_OK)
    status = nereid_profile_text("table", &text);
  if (status != NEREID_OK)
    return complain(nereid::detail::lastError(status));
  std::fputs(text, stdout);
  nereid_string_free(text);
  return 0;
}

int bench(Options &options) {
  auto batch = options.number<int64_t>("--batch", 1, 1, 4096),
       prompt = options.number<int64_t>("--prompt", 128, 1, 1 << 20),
       tokens = options.number<int64_t>("--tokens", 64, 1, 1 << 20),
       page = options.number<int64_t>("--page", 64, 1, 1 << 16),
       rounds = options.number<int64_t>("--rounds", 2, 1, 1 << 20);
  bool isProfiled = options.has("--profile"), isNumbers = options.has("--numbers");
  std::string kind = options.text("--weights"), device = deviceOf(options);
  int64_t ahead = aheadOf(options, device);
  if (std::string mistake = options.mistake(); !mistake.empty())
    return complain(mistake);
  if (options.operands.size() != 1)
    return complain("`llama bench FILE` is expected");
  auto start = std::chrono::steady_clock::now();
  int64_t pages = batch * ((prompt + tokens + page - 1) / page);
  Result<Place> place = Place::make(device);
  if (!place)
    return complain(place.error());
  Result<Engine> engine = makeEngine(options.operands[0], kind, *place,
                                     {.pages = pages,
                                      .page = page,
                                      .tokensPerStep = std::clamp<int64_t>(batch * prompt, 2048, 32768),
                                      .ahead = ahead});
  if (!engine)
    return complain(engine.error());
  std::printf("loaded in %.3f s\n", secondsSince(start));
  if (isProfiled && nereid_profile_begin() != NEREID_OK)
    return complain(nereid::detail::lastError(NEREID_ENVIRONMENT));
  std::vector<int64_t> ofFirst;
  for (int64_t round = 1; round <= rounds; ++round) {
    size_t number = 0;
    for (int64_t b = 0; b < batch; ++b) {
      std::vector<int64_t> words(static_cast<size_t>(prompt));
      for (size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<int64_t>(i * 31 + static_cast<size_t>(b) * 17) % 256;
      Result<size_t> added = engine->add({.prompt = words, .tokens = tokens});
      if (!added)
        return complain(added.error());
      number = b == 0 ? *added : number;
    }
    // From when every sequence has its first token on, all of them draw.
    int64_t drawn = 0, begun = 0, before = 0;
    double first = 0, prompts = 0;
    ofFirst.clear();
    auto begin = std::chrono::steady_clock::now();
    std::vector<bool> has(static_cast<size_t>(batch));
    engine->onToken = [&](size_t request, int64_t token) {
      first = drawn++ ? first : secondsSince(begin);
      if (request == number)
        ofFirst.push_back(token);
      if (has[request - number])
        return;
      has[request - number] = true;
      if (++begun == batch)
        prompts = secondsSince(begin), before = drawn;
    };
    Result<bool> goesOn = true;
    while (goesOn && *goesOn)
      goesOn = engine->step();
    if (!goesOn)
      return complain(goesOn.error());
    double seconds = secondsSince(begin);
    std::printf("round %lld: first token after %.4f s, prompts after %.4f s, then %.1f tokens a second\n",
                static_cast<long long>(round), first, prompts,
                drawn > before ? static_cast<double>(drawn - before) / (seconds - prompts) : 0.0);
  }
  if (isNumbers)
    std::printf("tokens %s\n", showTokens(ofFirst, true).c_str());
  return isProfiled ? showProfile() : 0;
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
