// ConfigurationInterface.cpp: the functions of nereid.h about tables of configurations.
#include "api/LastError.h"
#include "jit/Settings.h"
#include "jit/tune/Configurations.h"

#include <map>
#include <mutex>

using namespace nereid;
using api::failed;
using api::missing;

namespace {

struct Tables {
  std::mutex mutex;
  jit::ConfigurationTable table;
  std::map<std::string, bool, std::less<>> added;
};
Tables &tables() {
  static auto &all = *new Tables;
  return all;
}

Result<std::string> configurationOf(std::string_view device, std::string_view kernel, const std::string &problem,
                                    bool &isKept) {
  if (auto kept = jit::loadConfiguration(device, kernel, problem)) {
    isKept = true;
    return textOf(*kept);
  }
  Result<std::vector<jit::Fact>> facts = jit::readFacts(problem), where = jit::factsOfDevice(device);
  if (!facts || !where)
    return (facts ? where : facts).error();
  facts->insert(facts->end(), where->begin(), where->end());
  std::lock_guard lock(tables().mutex);
  auto found = tables().table.find(kernel, *facts);
  return found ? textOf(*found) : std::string();
}

} // namespace

nereid_status nereid_configurations_add(const char *text, size_t length) {
  if (!text && length)
    return failed(missing("the text of the configurations"));
  if (api::isTooLong(length))
    return failed(api::tooLong("a table", length));
  return api::guarded([&] {
    std::string_view rows(text, length);
    std::lock_guard lock(tables().mutex);
    if (tables().added.contains(rows))
      return NEREID_OK;
    if (Result<void> added = tables().table.add(rows); !added)
      return failed(added.error());
    tables().added.emplace(rows, true);
    return NEREID_OK;
  });
}

nereid_status nereid_configuration(const char *device, const char *kernel, const char *problem, char **configuration,
                                   int32_t *is_kept) {
  if (!kernel || !problem || !configuration)
    return failed(missing("an argument of nereid_configuration"));
  *configuration = nullptr;
  return api::guarded([&] {
    bool isKept = false;
    Result<std::string> where = jit::chooseDevice(device ? device : "");
    Result<std::string> found = where ? configurationOf(*where, kernel, problem, isKept) : where;
    if (is_kept)
      *is_kept = isKept;
    return found ? api::give(*found, configuration) : failed(found.error());
  });
}

nereid_status nereid_configuration_keep(const char *device, const char *kernel, const char *problem,
                                        const char *configuration) {
  if (!kernel || !problem || !configuration)
    return failed(missing("an argument of nereid_configuration_keep"));
  return api::guarded([&] {
    Result<std::vector<jit::Fact>> facts = jit::readFacts(problem), numbers = jit::readFacts(configuration);
    if (!facts || !numbers)
      return failed((facts ? numbers : facts).error());
    Result<std::string> where = jit::chooseDevice(device ? device : "");
    if (!where)
      return failed(where.error());
    jit::keepConfiguration(*where, kernel, problem, *numbers);
    return NEREID_OK;
  });
}

nereid_status nereid_configurations_kept(char **table) {
  if (!table)
    return failed(missing("where the table goes"));
  *table = nullptr;
  return api::guarded([&] { return api::give(jit::keptConfigurations(), table); });
}
