// configuration.hpp: how a kernel of the library runs on the device of a launch: from the tables of configurations.md, from what
// tuning has kept on this machine, or tuned now (LaunchOptions::tune).
#pragma once

#include "nereid/kernels/launch.hpp"

#include <chrono>
#include <functional>

namespace nereid::kernels {

namespace detail {

inline constexpr std::string_view kConfigurations =
#include "nereid/kernels/configurations.inc"
    ;

using Numbers = std::vector<std::pair<std::string, int64_t>>;

inline std::string textOf(const Numbers &numbers) {
  std::string text;
  for (auto &[name, value] : numbers)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

// The numbers of a launch by name.
class Configuration {
public:
  Configuration() = default;
  explicit Configuration(std::string_view text) {
    while (!text.empty()) {
      std::string_view word = text.substr(0, text.find(' '));
      if (size_t equals = word.find('='); equals != std::string_view::npos)
        numbers.emplace_back(word.substr(0, equals), std::atoll(std::string(word.substr(equals + 1)).c_str()));
      text.remove_prefix(std::min(text.size(), word.size() + 1));
    }
  }
  int64_t get(std::string_view name, int64_t otherwise) const {
    for (auto &[known, value] : numbers)
      if (known == name)
        return value;
    return otherwise;
  }
  std::string text() const { return textOf(numbers); }
  // Warps and stages, where nobody has said how many.
  LaunchOptions applied(LaunchOptions options) const {
    if (options.numWarps == 0)
      options.numWarps = static_cast<int>(get("num_warps", 0));
    if (options.numStages == 0)
      options.numStages = static_cast<int>(get("num_stages", 0));
    return options;
  }

private:
  Numbers numbers;
};

// What was looked up before in this process.
struct KnownConfigurations {
  std::mutex mutex;
  std::map<std::string, std::pair<Configuration, bool>> found; // and whether it was kept by tuning
  static KnownConfigurations &shared() {
    static auto &all = *new KnownConfigurations;
    return all;
  }
};

// The configuration for a problem; `isKept`: it comes from tuning. One of no numbers where nothing is known.
inline Configuration configurationFor(const std::string &kernel, const std::string &problem,
                                      const LaunchOptions &options, bool &isKept) {
  std::string device(deviceName(options)), key = device + "|" + kernel + "|" + problem;
  KnownConfigurations &known = KnownConfigurations::shared();
  std::lock_guard lock(known.mutex);
  auto found = known.found.find(key);
  if (found == known.found.end()) {
    char *text = nullptr;
    int32_t kept = 0;
    if (nereid_configurations_add(kConfigurations.data(), kConfigurations.size()) != NEREID_OK ||
        nereid_configuration(device.c_str(), kernel.c_str(), problem.c_str(), &text, &kept) != NEREID_OK)
      return {}; // a device that there is not: the launch says so
    found = known.found.emplace(key, std::pair{Configuration(text), kept != 0}).first;
    nereid_string_free(text);
  }
  isKept = found->second.second;
  return found->second.first;
}

// Seconds of one launch, after one that compiles; nothing where it fails.
inline std::optional<double> timeOf(const std::function<Result<void>(const Configuration &)> &run,
                                    const Configuration &configuration, const LaunchOptions &options) {
  auto wait = [&] {
    return !isGpu(options) ||
           nereid_stream_synchronize(std::string(deviceName(options)).c_str(), options.stream) == NEREID_OK;
  };
  if (!run(configuration) || !wait())
    return std::nullopt;
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    constexpr int kLaunches = 5;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i)
      if (!run(configuration))
        return std::nullopt;
    if (!wait())
      return std::nullopt;
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kLaunches);
  }
  return best;
}

// Runs with the best configuration. With LaunchOptions::tune a problem that was never tuned on this machine tries the candidates
// first, and keeps the fastest; `run` may be repeated, so it overwrites what it writes.
inline Result<void> runConfigured(const std::string &kernel, const Numbers &problem,
                                  const std::vector<std::string> &candidates, const LaunchOptions &options,
                                  const std::function<Result<void>(const Configuration &)> &run) {
  bool isKept = false;
  std::string facts = textOf(problem);
  Configuration best = configurationFor(kernel, facts, options, isKept);
  if (!options.tune || isKept)
    return run(best);
  std::optional<double> shortest = timeOf(run, best, options);
  for (const std::string &candidate : candidates) {
    Configuration configuration{candidate};
    std::optional<double> seconds = timeOf(run, configuration, options);
    if (seconds && (!shortest || *seconds < *shortest))
      shortest = seconds, best = configuration;
  }
  if (shortest) {
    std::string device(deviceName(options));
    nereid_configuration_keep(device.c_str(), kernel.c_str(), facts.c_str(), best.text().c_str());
    KnownConfigurations &known = KnownConfigurations::shared();
    std::lock_guard lock(known.mutex);
    known.found[device + "|" + kernel + "|" + facts] = {best, true};
  }
  return run(best);
}

} // namespace detail

// What tuning has kept on this machine, as a table in the form of configurations.md.
inline Result<std::string> tunedConfigurations() {
  char *text = nullptr;
  nereid_status status = nereid_configurations_kept(&text);
  if (status != NEREID_OK)
    return nereid::detail::lastError(status);
  std::unique_ptr<char, decltype(&nereid_string_free)> owner(text, nereid_string_free);
  return std::string(text);
}

} // namespace nereid::kernels
