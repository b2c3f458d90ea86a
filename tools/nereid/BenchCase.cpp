#include "BenchCase.h"

#include "support/JsonDepth.h"
#include "support/ReadFile.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace nereid::tool {

namespace fs = std::filesystem;

namespace {

using Sizes = std::vector<std::pair<std::string, std::string>>;

// A text in which sizes stand for more than this is no argument that anybody wrote.
constexpr size_t kLongest = 1 << 16;

// `{NAME}` replaced by its size.
std::string filled(std::string text, const Sizes &sizes) {
  for (const auto &[name, value] : sizes) {
    std::string place = "{" + name + "}";
    for (size_t at = 0; (at = text.find(place, at)) != std::string::npos && text.size() <= kLongest; at += value.size())
      text.replace(at, place.size(), value);
  }
  return text;
}

std::string textOf(const llvm::json::Value &value) {
  if (auto text = value.getAsString())
    return text->str();
  if (auto integer = value.getAsInteger())
    return std::to_string(*integer);
  return llvm::formatv("{0}", value).str();
}

class FileReader {
public:
  FileReader(const fs::path &path, const std::optional<Sweep> &sweep, Console &console)
      : path(path), sweep(sweep), console(console) {}

  bool read(std::vector<BenchCase> &cases) {
    constexpr size_t kLargest = 1 << 24;
    std::string problem;
    std::optional<std::string> text = readFile(path.string(), kLargest + 1, problem);
    if (!text)
      return refuse(problem);
    if (text->size() > kLargest)
      return refuse("it is larger than " + std::to_string(kLargest >> 20) + " MiB");
    if (isTooDeepForJson(*text))
      return refuse("its brackets are nested more than " + std::to_string(kDeepestJson) + " deep");
    auto parsed = llvm::json::parse(*text);
    if (!parsed)
      return refuse(llvm::toString(parsed.takeError()));
    const llvm::json::Array *entries = parsed->getAsArray();
    if (!entries)
      return refuse("a list of entries is expected");
    for (const llvm::json::Value &entry : *entries) {
      const llvm::json::Object *object = entry.getAsObject();
      if (!object || !object->getString("kernel") || !object->getArray("arguments") || !object->get("grid"))
        return refuse("an entry needs `kernel`, `arguments` and `grid`");
      addEntry(*object, cases);
    }
    return true;
  }

private:
  bool refuse(const std::string &why) {
    fail(console, "`" + path.string().substr(0, 200) + "`: " + why);
    return false;
  }

  void addEntry(const llvm::json::Object &entry, std::vector<BenchCase> &cases) {
    Sizes sizes;
    if (const llvm::json::Object *list = entry.getObject("sizes"))
      for (const auto &[name, value] : *list)
        sizes.emplace_back(name.str(), textOf(value));
    auto swept = sweep ? std::ranges::find(sizes, sweep->name, &Sizes::value_type::first) : sizes.end();
    if (swept == sizes.end())
      return cases.push_back(makeCase(entry, sizes));
    std::string series = makeCase(entry, sizes).name;
    for (const std::string &value : sweep->values) {
      swept->second = value;
      BenchCase &added = cases.emplace_back(makeCase(entry, sizes));
      added.size = std::strtod(value.c_str(), nullptr);
      added.series = series;
    }
  }

  BenchCase makeCase(const llvm::json::Object &entry, const Sizes &sizes) const {
    auto text = [&](const char *key) {
      const llvm::json::Value *value = entry.get(key);
      return value ? filled(textOf(*value), sizes) : std::string();
    };
    std::error_code none; // a file in this folder has an empty path above it
    fs::path folder = path.parent_path(), above = fs::absolute(path, none).lexically_normal().parent_path();
    std::string file = (folder / (above.filename().string() + ".py")).string();
    BenchCase result{.name = text("name"),
                     .operands = {file + ":" + text("kernel")},
                     .grid = text("grid"),
                     .bytes = text("bytes"),
                     .flops = text("flops")};
    if (result.name.empty())
      result.name = text("kernel");
    for (const llvm::json::Value &argument : *entry.getArray("arguments"))
      result.operands.push_back(filled(textOf(argument), sizes));
    result.series = result.name;
    return result;
  }

  fs::path path;
  const std::optional<Sweep> &sweep;
  Console &console;
};

} // namespace

bool isKernelFile(const std::string &operand) {
  return operand.ends_with(".py") || operand.find(".py:") != std::string::npos;
}

std::optional<Sweep> readSweep(std::string_view option, const std::string &text, Console &console) {
  size_t equals = text.find('=');
  Sweep sweep;
  if (equals != std::string::npos)
    sweep.name = text.substr(0, equals);
  for (size_t begin = equals + 1; equals != std::string::npos && begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin)
      sweep.values.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!sweep.name.empty() && !sweep.values.empty())
    return sweep;
  fail(console, "`" + std::string(option) + "` takes NAME=V1,V2,…, not `" + text.substr(0, 80) + "`");
  return std::nullopt;
}

std::vector<BenchCase> casesFromWords(const Words &words, const std::optional<Sweep> &sweep) {
  const std::string &kernel = words.operands[0];
  size_t colon = kernel.rfind(':');
  BenchCase single{.name = fs::path(kernel).filename().string(),
                   .operands = words.operands,
                   .grid = words.value("--grid").value_or(""),
                   .bytes = words.value("--bytes").value_or(""),
                   .flops = words.value("--flops").value_or("")};
  if (colon != std::string::npos)
    single.name = kernel.substr(colon + 1);
  single.series = single.name;
  if (!sweep)
    return {single};
  std::vector<BenchCase> cases;
  for (const std::string &value : sweep->values) {
    BenchCase &added = cases.emplace_back(single);
    std::erase_if(added.operands, [&](const std::string &word) { return word.starts_with(sweep->name + "="); });
    added.operands.push_back(sweep->name + "=" + value);
    added.name += " " + sweep->name + "=" + value;
    added.size = std::strtod(value.c_str(), nullptr);
  }
  return cases;
}

std::optional<std::vector<BenchCase>> casesFromFiles(const std::string &path, const std::optional<Sweep> &sweep,
                                                     Console &console) {
  std::error_code problem;
  std::vector<fs::path> files;
  if (fs::is_regular_file(path, problem))
    files.push_back(path);
  else
    for (fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, problem), end;
         !problem && it != end; it.increment(problem))
      if (it->path().filename() == "bench.json")
        files.push_back(it->path());
  std::ranges::sort(files);
  if (files.empty()) {
    fail(console, "`" + path.substr(0, 200) + "`: there is no kernel file and no bench.json",
         {"write FILE.py:KERNEL with its arguments, or a folder of library kernels"});
    return std::nullopt;
  }
  std::vector<BenchCase> cases;
  for (const fs::path &file : files)
    if (!FileReader(file, sweep, console).read(cases))
      return std::nullopt;
  return cases;
}

} // namespace nereid::tool
