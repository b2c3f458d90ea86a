// Bench.cpp: tokens a second, which kernels ran, and which configurations of the engine's kernels make a step the shortest.
#include "CommandLine.h"

#include <nereid/profile.hpp>

namespace llama {

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

namespace {

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

} // namespace

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

namespace {

// What is tried for a kernel.
std::vector<std::string> candidatesOf(const std::string &kernel) {
  std::vector<std::string> candidates;
  if (kernel == "llama/linear_row")
    candidates = {"BLOCK_N=4 BLOCK_K=512 num_warps=4",  "BLOCK_N=4 BLOCK_K=1024 num_warps=4",
                  "BLOCK_N=8 BLOCK_K=512 num_warps=4",  "BLOCK_N=8 BLOCK_K=1024 num_warps=4",
                  "BLOCK_N=2 BLOCK_K=2048 num_warps=4", "BLOCK_N=4 BLOCK_K=2048 num_warps=8",
                  "BLOCK_N=8 BLOCK_K=1024 num_warps=8", "BLOCK_N=16 BLOCK_K=512 num_warps=8"};
  else if (kernel == "llama/linear_rows")
    candidates = {"BLOCK_N=16 BLOCK_K=256 num_warps=4 num_stages=3", "BLOCK_N=16 BLOCK_K=256 num_warps=4 num_stages=5",
                  "BLOCK_N=16 BLOCK_K=512 num_warps=4 num_stages=3", "BLOCK_N=32 BLOCK_K=128 num_warps=4 num_stages=5",
                  "BLOCK_N=32 BLOCK_K=256 num_warps=4 num_stages=4", "BLOCK_N=16 BLOCK_K=128 num_warps=4 num_stages=6",
                  "BLOCK_N=64 BLOCK_K=128 num_warps=4 num_stages=3", "BLOCK_N=32 BLOCK_K=256 num_warps=8 num_stages=4"};
  else if (kernel == "llama/gated_rows")
    candidates = {"BLOCK_N=64 BLOCK_K=64 num_warps=4 num_stages=6", "BLOCK_N=64 BLOCK_K=128 num_warps=8 num_stages=3",
                  "BLOCK_N=32 BLOCK_K=128 num_warps=4 num_stages=4", "BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=4"};
  else if (kernel == "llama/shares_of_rows")
    candidates = {"BLOCK_N=64 BLOCK_K=64 num_warps=8 num_stages=6", "BLOCK_N=64 BLOCK_K=128 num_warps=4 num_stages=4",
                  "BLOCK_N=32 BLOCK_K=128 num_warps=4 num_stages=4", "BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=4"};
  else if (kernel == "llama/split_product")
    candidates = {"SPLITS=1", "SPLITS=2", "SPLITS=3", "SPLITS=4", "SPLITS=6", "SPLITS=8"};
  else if (kernel == "llama/decode_attention")
    candidates = {"PROGRAMS=2", "PROGRAMS=4"};
  return candidates;
}

// Seconds of a step in which all sequences draw, the shortest of some; nothing where it fails.
std::optional<double> secondsOfStep(Engine &engine, int64_t batch, int64_t prompt, int64_t ahead) {
  for (int64_t b = 0; b < batch; ++b)
    if (!engine.add({.prompt = std::vector<int64_t>(static_cast<size_t>(prompt), 1), .tokens = 1 + 5 * ahead}))
      return std::nullopt;
  engine.onToken = nullptr;
  double best = 1e9;
  bool isFirst = true;
  for (Result<bool> goesOn = true; *goesOn;) {
    int64_t before = engine.steps();
    auto start = std::chrono::steady_clock::now();
    goesOn = engine.step();
    if (!goesOn)
      return std::nullopt;
    if (isFirst) // the prompts
      forgetAskedProblems();
    isFirst = false;
    if (engine.steps() - before == ahead)
      best = std::min(best, secondsSince(start) / static_cast<double>(ahead));
  }
  return best;
}

// The configuration from now on, in this process and, with `isKept`, on this machine.
void use(const TunableProblem &problem, const std::string &configuration, const std::string &device, bool isKept) {
  namespace detail = nereid::kernels::detail;
  detail::KnownConfigurations &known = detail::KnownConfigurations::shared();
  std::lock_guard lock(known.mutex);
  known.found[device + "|" + problem.kernel + "|" + problem.problem] = {detail::Configuration(configuration), isKept};
  if (isKept)
    nereid_configuration_keep(device.c_str(), problem.kernel.c_str(), problem.problem.c_str(), configuration.c_str());
}

} // namespace

// One kernel after the other, each by the time of whole steps: in them weights come from memory as they do in use.
int tune(Options &options) {
  auto batch = options.number<int64_t>("--batch", 1, 1, 4096),
       prompt = options.number<int64_t>("--prompt", 128, 1, 1 << 20);
  auto limit = options.number<double>("--seconds", 60, 0, 1e6);
  std::string kind = options.text("--weights"), device = deviceOf(options);
  int64_t ahead = aheadOf(options, device);
  if (std::string mistake = options.mistake(); !mistake.empty())
    return complain(mistake);
  if (options.operands.size() != 1)
    return complain("`llama tune FILE` is expected");
  Result<Place> place = Place::make(device);
  if (!place)
    return complain(place.error());
  constexpr int64_t kPage = 64;
  Result<Engine> engine = makeEngine(options.operands[0], kind, *place,
                                     {.pages = batch * ((prompt + 1 + 5 * ahead + kPage - 1) / kPage),
                                      .page = kPage,
                                      .tokensPerStep = std::clamp<int64_t>(batch * prompt, 2048, 32768),
                                      .ahead = ahead});
  if (!engine)
    return complain(engine.error());
  std::optional<double> shortest = secondsOfStep(*engine, batch, prompt, ahead);
  if (!shortest)
    return complain("a step fails: `llama bench` says why");
  std::printf("before: %.1f us a step\n", *shortest * 1e6);
  std::set<TunableProblem> problems = askedProblems();
  for (const TunableProblem &problem : problems) {
    auto begun = std::chrono::steady_clock::now();
    std::string best = configurationFor(problem.kernel, problem.problem, place->options()).text();
    for (const std::string &candidate : candidatesOf(problem.kernel)) {
      if (secondsSince(begun) > limit / static_cast<double>(problems.size()))
        break;
      use(problem, candidate, device, false);
      engine->forgetRecordings();
      std::optional<double> seconds = secondsOfStep(*engine, batch, prompt, ahead);
      if (seconds && *seconds < *shortest * 0.995)
        shortest = seconds, best = candidate;
    }
    use(problem, best, device, true);
    std::printf("%s %s: %s, %.1f us a step\n", problem.kernel.c_str(), problem.problem.c_str(), best.c_str(),
                *shortest * 1e6);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace llama
