#include "jit/count/DeviceRow.h"

#include "jit/cache/DiskCache.h"
#include "jit/cache/Fields.h"
#include "runtime/bench/Limits.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cpu/Machine.h"
#include "support/JsonDepth.h"
#include "support/ReadFile.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <ctime>
#include <unistd.h>

namespace nereid::jit {

static constexpr uint64_t kMegabyte = 1 << 20;
static constexpr uint32_t kKilobyte = 1 << 10;
static constexpr double kTera = 1e12;
static constexpr const char *kThisMachine = "cpu";

std::span<const DeviceRow> deviceRows() {
  // Rates are those of the SXM and desktop models, without sparsity, sums in fp32; the main ones compared with public
  // pages in November 2026, which disagree on the L40S's L2 cache and on the RTX 4090's fp8.
  // name, target, multiprocessors, L2, L1 with shared memory, parts of L2, sectors from memory, bytes/s, fp16, fp32, fp64, tensor cores fp16, tf32, fp8, int8, shared, threads
  static const DeviceRow kRows[] = {
      {"H200", "sm_90a", 132, 50 * kMegabyte, 256 * kKilobyte, 2, 2, 4.8 * kTera, 133.8 * kTera, 66.9 * kTera,
       33.5 * kTera, 989.4 * kTera, 494.7 * kTera, 1978.9 * kTera, 1978.9 * kTera, 233472, 2048, 32},
      {"H100", "sm_90a", 132, 50 * kMegabyte, 256 * kKilobyte, 2, 2, 3.35 * kTera, 133.8 * kTera, 66.9 * kTera,
       33.5 * kTera, 989.4 * kTera, 494.7 * kTera, 1978.9 * kTera, 1978.9 * kTera, 233472, 2048, 32},
      {"A100", "sm_80", 108, 40 * kMegabyte, 192 * kKilobyte, 2, 2, 2.039 * kTera, 78 * kTera, 19.5 * kTera,
       9.7 * kTera, 312 * kTera, 156 * kTera, 0, 624 * kTera, 167936, 2048, 32},
      {"L40S", "sm_89", 142, 96 * kMegabyte, 128 * kKilobyte, 1, 2, 0.864 * kTera, 91.6 * kTera, 91.6 * kTera,
       1.43 * kTera, 362 * kTera, 183 * kTera, 733 * kTera, 733 * kTera, 102400, 1536, 24},
      {"RTX 4090", "sm_89", 128, 72 * kMegabyte, 128 * kKilobyte, 1, 2, 1.008 * kTera, 82.6 * kTera, 82.6 * kTera,
       1.29 * kTera, 165.2 * kTera, 82.6 * kTera, 330.3 * kTera, 660.6 * kTera, 102400, 1536, 24},
      {"RTX 5090", "sm_120", 170, 96 * kMegabyte, 128 * kKilobyte, 1, 2, 1.792 * kTera, 104.8 * kTera, 104.8 * kTera,
       1.64 * kTera, 209.5 * kTera, 104.8 * kTera, 419 * kTera, 838 * kTera, 102400, 1536, 24},
  };
  return kRows;
}

static std::string plainName(const std::string &name) {
  std::string text;
  for (char c : name)
    if (c != ' ' && c != '_' && c != '-')
      text += char(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

// To measure them takes longer than most launches that are counted: they are kept for a day, in which the machine may become
// busier or idle.
static runtime::Limits limitsOfThisMachine() {
  constexpr int64_t kDay = 24 * 3600;
  runtime::Limits limits{.threads = cpu::availableCores()};
  Digest key = sha256("limits of " + cpu::processorName() + " with " + std::to_string(limits.threads) + " threads");
  int64_t now = std::time(nullptr);
  if (std::optional<std::string> kept = DiskCache::shared().load("limits", key)) {
    FieldReader reader(*kept);
    int64_t age = now - reader.number<int64_t>();
    limits.copyBytes = double(reader.number<uint64_t>());
    limits.fmaFlops = double(reader.number<uint64_t>());
    if (!reader.hasFailed() && !reader.left() && age >= 0 && age < kDay && limits.copyBytes > 0 && limits.fmaFlops > 0)
      return limits;
  }
  limits = runtime::measureLimits(limits.threads);
  FieldWriter writer;
  writer.number<int64_t>(now);
  writer.number<uint64_t>(uint64_t(limits.copyBytes));
  writer.number<uint64_t>(uint64_t(limits.fmaFlops));
  DiskCache::shared().store("limits", key, writer.bytes);
  return limits;
}

static DeviceRow measureCpu() {
  runtime::Limits limits = limitsOfThisMachine();
  DeviceRow row{.name = kThisMachine, .target = kThisMachine, .multiprocessors = limits.threads, .isThisMachine = true};
  long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  row.cacheBytes = cache > 0 ? uint64_t(cache) : 32 * kMegabyte;
  row.memoryBytes = limits.copyBytes;
  row.fp32 = row.fp16 = row.tensorFp16 = row.tensorTf32 = row.tensorFp8 = row.tensorInt8 = limits.fmaFlops;
  row.fp64 = limits.fmaFlops / 2;
  return row;
}

Result<DeviceRow> findDeviceRow(const std::string &name, std::span<const DeviceRow> more) {
  if (plainName(name) == kThisMachine)
    return measureCpu();
  std::string names = "`" + std::string(kThisMachine) + "`";
  for (std::span<const DeviceRow> rows : {more, deviceRows()})
    for (const DeviceRow &row : rows) {
      if (plainName(row.name) == plainName(name))
        return row;
      names += ", `" + row.name + "`";
    }
  return Error{Status::BadInput, "error: there is no row for a device `" + name.substr(0, 80) + "`\nnote: there are " +
                                     names + "; a file of `--device-rows` adds more\n"};
}

// The first that has the target, else the newest one that could run its code.
std::string usualDeviceFor(const compiler::Target &target) {
  if (!target.gpu)
    return kThisMachine;
  const DeviceRow *usual = &deviceRows().front();
  for (const DeviceRow &row : deviceRows()) {
    std::optional<compiler::Target> own = compiler::findTarget(row.target);
    if (!own || !own->gpu)
      continue;
    if (own->gpu->name == target.gpu->name)
      return row.name;
    if (own->gpu->capability >= target.gpu->capability)
      usual = &row;
  }
  return usual->name;
}

namespace {

struct NumberField {
  llvm::StringRef name;
  double DeviceRow::*value;
};
constexpr NumberField kRates[] = {{"memory_bytes_per_second", &DeviceRow::memoryBytes},
                                  {"fp16_flops", &DeviceRow::fp16},
                                  {"fp32_flops", &DeviceRow::fp32},
                                  {"fp64_flops", &DeviceRow::fp64},
                                  {"tensor_fp16_flops", &DeviceRow::tensorFp16},
                                  {"tensor_tf32_flops", &DeviceRow::tensorTf32},
                                  {"tensor_fp8_flops", &DeviceRow::tensorFp8},
                                  {"tensor_int8_flops", &DeviceRow::tensorInt8}};
struct CountField {
  llvm::StringRef name;
  uint32_t DeviceRow::*value;
};
constexpr CountField kSizes[] = {{"multiprocessors", &DeviceRow::multiprocessors},
                                 {"l1_bytes", &DeviceRow::firstCacheBytes},
                                 {"l2_parts", &DeviceRow::cacheParts},
                                 {"fetch_sectors", &DeviceRow::fetchSectors},
                                 {"shared_bytes", &DeviceRow::sharedBytes},
                                 {"threads", &DeviceRow::threads},
                                 {"programs", &DeviceRow::programs},
                                 {"registers", &DeviceRow::registers}};

Result<DeviceRow> readRow(const llvm::json::Value &value, const std::string &path) {
  auto bad = [&](const std::string &what) {
    return Error{Status::BadInput, "error: `" + path.substr(0, 200) + "`: " + what + "\n"};
  };
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return bad("a row is an object such as {\"name\": \"X\", \"target\": \"sm_80\", \"multiprocessors\": 108, …}");
  DeviceRow row;
  row.name = object->getString("name").value_or("").str();
  row.target = object->getString("target").value_or("sm_80").str();
  row.cacheBytes = uint64_t(std::max<int64_t>(0, object->getInteger("l2_bytes").value_or(0)));
  if (row.name.empty())
    return bad("a row has no `name`");
  for (const auto &[key, entry] : *object) {
    llvm::StringRef name = key;
    std::optional<double> number = entry.getAsNumber();
    auto rate = std::ranges::find(kRates, name, &NumberField::name);
    auto size = std::ranges::find(kSizes, name, &CountField::name);
    if (name == "name" || name == "target" || name == "l2_bytes")
      continue;
    if (rate == std::end(kRates) && size == std::end(kSizes))
      return bad("`" + row.name + "` has `" + name.str() + "`, which no row has");
    if (!number || !(*number >= 0 && *number < 1e18))
      return bad("`" + name.str() + "` of `" + row.name + "` is not a number from 0 to 1e18");
    if (rate != std::end(kRates))
      row.*rate->value = *number;
    else
      row.*size->value = uint32_t(std::min(*number, 4e9));
  }
  if (!(row.memoryBytes > 0 && row.fp32 > 0 && row.multiprocessors > 0))
    return bad("`" + row.name + "` needs `multiprocessors`, `memory_bytes_per_second` and `fp32_flops` above 0");
  return row;
}

} // namespace

Result<std::vector<DeviceRow>> readDeviceRows(const std::string &path) {
  constexpr size_t kLargest = 1 << 20;
  auto refuse = [&](const std::string &why) {
    return Error{Status::BadInput, "error: `" + path.substr(0, 200) + "` " + why + "\n"};
  };
  std::string problem;
  std::optional<std::string> text = readFile(path, kLargest + 1, problem);
  if (!text)
    return refuse("cannot be read: " + problem);
  if (text->size() > kLargest)
    return refuse("is larger than " + std::to_string(kLargest >> 20) + " MiB");
  if (isTooDeepForJson(*text))
    return refuse("has brackets that are nested more than " + std::to_string(kDeepestJson) + " deep");
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(*text);
  if (!parsed)
    return refuse("is not JSON: " + llvm::toString(parsed.takeError()));
  const llvm::json::Array *list = parsed->getAsArray();
  if (!list)
    return refuse("holds no list of rows");
  std::vector<DeviceRow> rows;
  for (const llvm::json::Value &value : *list) {
    Result<DeviceRow> row = readRow(value, path);
    if (!row)
      return row.error();
    rows.push_back(std::move(*row));
  }
  return rows;
}

} // namespace nereid::jit
