// Cache.cpp: `nereid cache`: how large the cache of compiled kernels is, what it holds, and emptying it.
#include "LaunchWords.h"
#include "Summary.h"

#include "jit/Obtain.h"
#include "jit/cache/DiskCache.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace nereid::tool {

namespace {

// What the kinds of entries are to the user.
std::string describeKind(const std::string &kind) {
  static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"kernel", "for the CPU"},
      {"gpu", "for a GPU"},
      {"count", "for a GPU, to be counted"},
      {"limits", "rates of this machine, for a day"},
      {"manifest", "what a kernel imports"},
      {"tuning", "an answer of the autotuner"}};
  for (const auto &[name, text] : kKinds)
    if (name == kind)
      return std::string(text);
  return kind;
}

std::string ageText(int64_t nanoseconds) {
  int64_t seconds = std::max<int64_t>(nanoseconds / 1000000000, 0);
  if (seconds < 3600)
    return std::to_string(seconds / 60) + " min";
  return seconds < 48 * 3600 ? std::to_string(seconds / 3600) + " h" : std::to_string(seconds / 86400) + " d";
}

void print(llvm::json::Object object, Console &console) {
  console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str() << "\n";
}

llvm::json::Object toJson(const jit::DiskCache &cache, const jit::DiskCache::Usage &usage) {
  return llvm::json::Object{{"folder", jsonText(cache.folder())}, {"entries", usage.entries}, {"bytes", usage.bytes}};
}

int printSize(jit::DiskCache &cache, bool isJson, Console &console) {
  jit::DiskCache::Usage usage = cache.usage();
  if (isJson)
    print(toJson(cache, usage), console);
  else
    console.out << cache.folder() << ": " << usage.entries << (usage.entries == 1 ? " entry, " : " entries, ")
                << sizeText(usage.bytes) << "\n";
  return kFine;
}

int printList(jit::DiskCache &cache, bool isJson, Console &console) {
  llvm::json::Array list;
  if (!isJson)
    console.out << console.paint(Tint::Strong,
                                 llvm::formatv("{0,-40} {1,10} {2,8}  {3}", "kernel", "size", "used", "what").str())
                << "\n";
  cache.forEach([&](const jit::DiskCache::Entry &entry, std::string_view payload) {
    std::string kernel = jit::kernelNameOf(entry.kind, payload);
    if (isJson)
      list.push_back(llvm::json::Object{{"kind", jsonText(entry.kind)},
                                        {"kernel", jsonText(kernel)},
                                        {"bytes", entry.bytes},
                                        {"used_seconds_ago", entry.nanoseconds / 1000000000}});
    else
      console.out << llvm::formatv("{0,-40} {1,10} {2,8}  {3}\n", kernel.empty() ? "-" : kernel, sizeText(entry.bytes),
                                   ageText(entry.nanoseconds), describeKind(entry.kind))
                         .str();
  });
  if (isJson)
    print(llvm::json::Object{{"folder", jsonText(cache.folder())}, {"entries", std::move(list)}}, console);
  return kFine;
}

int clear(jit::DiskCache &cache, bool isJson, Console &console) {
  jit::DiskCache::Usage removed = cache.clear();
  if (isJson)
    print(toJson(cache, removed), console);
  else
    console.out << "removed " << removed.entries << (removed.entries == 1 ? " entry, " : " entries, ")
                << sizeText(removed.bytes) << ", from " << cache.folder() << "\n";
  return kFine;
}

struct Action {
  std::string_view name;
  int (*run)(jit::DiskCache &cache, bool isJson, Console &console);
};
constexpr Action kActions[] = {{"size", printSize}, {"list", printList}, {"clear", clear}};

std::vector<std::string> actionNames() {
  std::vector<std::string> names;
  for (const Action &action : kActions)
    names.emplace_back(action.name);
  return names;
}

int runCache(const Words &words, Console &console) {
  if (words.operands.size() > 1)
    return fail(console, "`nereid cache` takes one word, but `" + words.operands[1].substr(0, 80) + "` is given too");
  std::string name = words.operands.empty() ? "size" : words.operands[0];
  auto action = std::ranges::find(kActions, name, &Action::name);
  if (action == std::end(kActions)) {
    std::vector<std::string> notes = suggestion(name, actionNames());
    notes.push_back("there are `size`, `list` and `clear`");
    return fail(console, "`nereid cache` has no word `" + name.substr(0, 80) + "`", std::move(notes));
  }
  jit::DiskCache &cache = jit::DiskCache::shared();
  if (cache.folder().empty())
    return fail(console, "there is no cache of compiled kernels",
                {"`NEREID_CACHE_DIR` names its folder; where it is empty, nothing is kept"}, kEnvironment);
  return action->run(cache, words.has("--json"), console);
}

constexpr Option kCacheOptions[] = {kJsonOption};

constexpr std::string_view kCacheHelp =
    "size    where the cache of compiled kernels is, how many entries it has and how large it is (the default)\n"
    "list    its entries, the one used last first\n"
    "clear   remove all of them; processes that run go on, and compile again what they miss\n\n"
    "It is never necessary to clear it: an entry is used only for the very same sources, options and compiler.\n";

} // namespace

constinit const Verb kCache{"cache",
                            "the cache of compiled kernels: size, list, clear",
                            "cache [size | list | clear] [--json]",
                            kCacheHelp,
                            kCacheOptions,
                            runCache,
                            actionNames};

} // namespace nereid::tool
