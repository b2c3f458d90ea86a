// Info.cpp: `nereid info`: versions, devices, and the functions of the language.
#include "Devices.h"
#include "LaunchWords.h"

#include "api/Version.h"
#include "jit/cache/DiskCache.h"
#include "lang/Builtin.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace nereid::tool {

namespace {

int printBuiltins(const Words &words, Console &console) {
  llvm::json::Array rows;
  for (const lang::BuiltinTable &table : lang::builtinTables())
    for (const lang::Builtin &row : table.rows) {
      std::string name = std::string(table.space) + "." + std::string(row.name());
      if (words.has("--json"))
        rows.push_back(llvm::json::Object{{"name", name},
                                          {"signature", std::string(row.signature)},
                                          {"documentation", std::string(row.documentation)},
                                          {"member", row.isMember}});
      else
        console.out << table.space << "." << row.signature << "\n    " << row.documentation << "\n";
    }
  if (words.has("--json"))
    console.out << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{{"builtins", std::move(rows)}})).str()
                << "\n";
  return kFine;
}

int runInfo(const Words &words, Console &console) {
  if (!words.operands.empty())
    return fail(console, "`nereid info` takes no operand, but `" + words.operands[0].substr(0, 80) + "` is given");
  if (words.has("--builtins"))
    return printBuiltins(words, console);
  lang::TargetDescription target;
  const jit::DiskCache &cache = jit::DiskCache::shared();
  jit::DiskCache::Usage usage = cache.usage();
  if (words.has("--json")) {
    llvm::json::Array list;
    for (const DeviceRow &row : devices())
      list.push_back(llvm::json::Object{{"name", std::string(row.name)}, {"available", row.isAvailable}});
    llvm::json::Object object{{"version", kVersionText},
                              {"llvm", LLVM_VERSION_STRING},
                              {"triton", target.tritonVersion},
                              {"devices", std::move(list)},
                              {"cache", llvm::json::Object{{"folder", cache.folder()}, {"entries", usage.entries}, {"bytes", usage.bytes}}}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str() << "\n";
    return kFine;
  }
  console.out << "nereid " << kVersionText << ", LLVM " << LLVM_VERSION_STRING << "\n";
  console.out << "kernel files see Triton " << target.tritonVersion << " on " << target.backend << ", capability "
              << target.capability << "\n";
  console.out << "devices:\n";
  for (const DeviceRow &row : devices())
    console.out << "  " << row.name << std::string(8 - row.name.size(), ' ') << row.description << "\n";
  if (cache.folder().empty())
    console.out << "cache of compiled kernels: none\n";
  else
    console.out << "cache of compiled kernels: " << cache.folder() << ", entries: " << usage.entries << ", MiB: " << (usage.bytes >> 20) << "\n";
  return kFine;
}

constexpr Option kOptions[] = {{"--builtins", "", "list the functions of the language, with their signatures"},
                               kJsonOption};

} // namespace

constinit const Verb kInfo{"info",
                           "versions, devices, the cache, functions of the language",
                           "info [--builtins] [--json]",
                           "Says what this program is and what it can use.\n",
                           kOptions,
                           runInfo};

} // namespace nereid::tool
