#include "jit/tune/Configurations.h"

#include "jit/Backend.h"
#include "jit/CudaDevice.h"
#include "jit/cache/DiskCache.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cuda/Device.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace nereid::jit {

namespace {

constexpr std::string_view kKind = "configuration";

std::vector<std::string_view> splitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words = splitAt(text, ' ');
  std::erase_if(words, [](std::string_view word) { return trimmed(word).empty(); });
  return words;
}

std::optional<int64_t> numberOf(std::string_view text) {
  int64_t value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Error unreadable(std::string_view word, const char *expected) {
  return {Status::BadInput, "error: `" + std::string(word.substr(0, 80)) + "` is no " + expected + "\n"};
}

Digest keyOf(std::string_view device, std::string_view kernel, std::string_view problem) {
  Sha256 hash;
  for (std::string_view field : {device, kernel, problem})
    hash.field(field);
  return hash.finish();
}

// What answers on this machine are kept for: a GPU by its name, so that two of a kind share them.
std::string machineOf(std::string_view device) {
  if (findBackend(device) == &cudaBackend())
    if (Result<cuda::Device *> found = findCudaDevice(device))
      return (*found)->properties().name;
  return std::string(device);
}

const Fact *find(const std::vector<Fact> &facts, std::string_view name) {
  auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? nullptr : &*found;
}

} // namespace

Result<std::vector<Fact>> readFacts(std::string_view text) {
  std::vector<Fact> facts;
  for (std::string_view word : wordsOf(text)) {
    size_t equals = word.find('=');
    std::optional<int64_t> value =
        equals == std::string_view::npos || !equals ? std::nullopt : numberOf(word.substr(equals + 1));
    if (!value)
      return unreadable(word, "fact: `NAME=NUMBER` is expected");
    facts.push_back({std::string(word.substr(0, equals)), *value});
  }
  return facts;
}

std::string textOf(const std::vector<Fact> &facts) {
  std::string text;
  for (const Fact &fact : facts)
    text += (text.empty() ? "" : " ") + fact.name + "=" + std::to_string(fact.value);
  return text;
}

Result<std::vector<Fact>> factsOfDevice(std::string_view device) {
  if (findBackend(device) != &cudaBackend())
    return std::vector<Fact>{{"gpu", 0}, {"cores", static_cast<int64_t>(cpu::availableCores())}};
  Result<cuda::Device *> found = findCudaDevice(device);
  if (!found)
    return found.error();
  const cuda::Properties &gpu = (*found)->properties();
  return std::vector<Fact>{{"gpu", 1},
                           {"capability", gpu.capability},
                           {"multiprocessors", gpu.multiprocessors},
                           {"shared", static_cast<int64_t>(gpu.maxSharedBytes >> 10)},
                           {"l2", static_cast<int64_t>(gpu.l2Bytes >> 20)}};
}

Result<ConfigurationTable::Condition> ConfigurationTable::readCondition(std::string_view word) {
  using enum Comparison;
  for (auto [text, comparison] :
       {std::pair<std::string_view, Comparison>{"<=", AtMost}, {">=", AtLeast}, {"!=", NotEqual}, {"=", Equal}}) {
    size_t at = word.find(text);
    if (at == std::string_view::npos)
      continue;
    std::optional<int64_t> value = numberOf(word.substr(at + text.size()));
    if (!at || !value)
      break;
    return Condition{std::string(word.substr(0, at)), comparison, *value};
  }
  return unreadable(word, "condition: `NAME<=NUMBER`, or with `>=`, `=` or `!=`, is expected");
}

bool ConfigurationTable::holds(const Condition &condition, const std::vector<Fact> &facts) {
  const Fact *fact = jit::find(facts, condition.fact);
  if (!fact)
    return false;
  switch (condition.comparison) {
  case Comparison::Equal: return fact->value == condition.value;
  case Comparison::NotEqual: return fact->value != condition.value;
  case Comparison::AtMost: return fact->value <= condition.value;
  case Comparison::AtLeast: return fact->value >= condition.value;
  }
  return false;
}

Result<void> ConfigurationTable::add(std::string_view text) {
  std::vector<Row> read;
  size_t number = 0;
  for (std::string_view line : splitAt(text, '\n')) {
    ++number;
    line = trimmed(line);
    std::vector<std::string_view> cells = splitAt(line, '|');
    if (!line.starts_with('|') || cells.size() < 5)
      continue;
    std::string_view kernel = trimmed(cells[1]);
    if (kernel.empty() || kernel == "kernel" || kernel.starts_with("-"))
      continue;
    auto at = [&](Error error) {
      error.message.insert(error.message.find(' ') + 1, "row " + std::to_string(number) + " of the configurations: ");
      return error;
    };
    Row row{std::string(kernel), {}, {}};
    for (std::string_view word : wordsOf(cells[2])) {
      Result<Condition> condition = readCondition(trimmed(word));
      if (!condition)
        return at(condition.error());
      row.when.push_back(*condition);
    }
    Result<std::vector<Fact>> configuration = readFacts(trimmed(cells[3]));
    if (!configuration)
      return at(configuration.error());
    row.configuration = *configuration;
    read.push_back(std::move(row));
  }
  rows.insert(rows.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
  return {};
}

std::optional<std::vector<Fact>> ConfigurationTable::find(std::string_view kernel,
                                                          const std::vector<Fact> &facts) const {
  for (const Row &row : rows)
    if (row.kernel == kernel &&
        std::ranges::all_of(row.when, [&](const Condition &each) { return holds(each, facts); }))
      return row.configuration;
  return std::nullopt;
}

std::optional<std::vector<Fact>> loadConfiguration(std::string_view device, std::string_view kernel,
                                                   std::string_view problem) {
  std::optional<std::string> row = DiskCache::shared().load(kKind, keyOf(machineOf(device), kernel, problem));
  if (!row)
    return std::nullopt;
  std::vector<std::string_view> cells = splitAt(*row, '|');
  Result<std::vector<Fact>> configuration =
      cells.size() > 3 ? readFacts(trimmed(cells[3])) : Result<std::vector<Fact>>(Error{});
  return configuration ? std::optional(*configuration) : std::nullopt;
}

void keepConfiguration(std::string_view device, std::string_view kernel, std::string_view problem,
                       const std::vector<Fact> &configuration) {
  Result<std::vector<Fact>> known = factsOfDevice(device);
  std::vector<Fact> facts = known ? *known : std::vector<Fact>();
  std::string machine = machineOf(device);
  // Of a device, what its kind has: others of the kind may have more or fewer multiprocessors switched on.
  std::erase_if(facts, [](const Fact &fact) { return fact.name != "gpu" && fact.name != "capability"; });
  std::string row = "| " + std::string(kernel) + " | " + textOf(facts) + " " + std::string(problem) + " | " +
                    textOf(configuration) + " | tuned on " + machine + " |";
  DiskCache::shared().store(kKind, keyOf(machine, kernel, problem), row);
}

std::string keptConfigurations() {
  std::set<std::string> rows;
  DiskCache::shared().forEach(kKind, [&](std::string_view row) { rows.emplace(row); });
  std::string text = "| kernel | when | configuration | from |\n|---|---|---|---|\n";
  for (const std::string &row : rows)
    text += row + "\n";
  return text;
}

} // namespace nereid::jit
