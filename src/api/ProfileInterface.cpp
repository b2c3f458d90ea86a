// ProfileInterface.cpp: the functions of nereid.h about profiling: one session at a time, which everybody in the process shares.
#include "api/LastError.h"
#include "runtime/profile/Recorder.h"
#include "runtime/profile/Summary.h"

#include <cstring>
#include <mutex>
#include <optional>

using namespace nereid;
using api::failed;
using api::missing;

namespace {

struct Session {
  std::mutex lock;
  std::optional<size_t> position; // none: no session goes on
  std::vector<std::byte> records; // of the last one
};

Session &session() {
  static auto *shared = new Session;
  return *shared;
}

std::vector<profile::Record> recorded() {
  Session &shared = session();
  std::lock_guard lock(shared.lock);
  return profile::recordsOf(shared.position ? profile::recordsSince(*shared.position) : shared.records);
}

Error notThere(const char *what, const char *instead) {
  return {Status::BadInput, std::string("error: ") + what + "\nnote: " + instead + "\n"};
}

} // namespace

nereid_status nereid_profile_begin(void) {
  return api::guarded([] {
    Session &shared = session();
    std::lock_guard lock(shared.lock);
    if (shared.position)
      return failed(notThere("a profile goes on already", "call `nereid_profile_end` before the next one"));
    shared.records.clear();
    shared.position = profile::begin();
    return NEREID_OK;
  });
}

nereid_status nereid_profile_end(void) {
  return api::guarded([] {
    Session &shared = session();
    std::lock_guard lock(shared.lock);
    if (!shared.position)
      return failed(notThere("there is no profile to end", "`nereid_profile_begin` begins one"));
    shared.records = profile::end(*shared.position);
    shared.position.reset();
    return NEREID_OK;
  });
}

nereid_status nereid_profile_scope_begin(const char *name) {
  if (!name)
    return failed(missing("the name of a scope"));
  return api::guarded([&] {
    if (profile::isOn())
      profile::enterScope(name);
    return NEREID_OK;
  });
}

nereid_status nereid_profile_scope_end(void) {
  return api::guarded([] {
    if (!profile::exitScope() && profile::isOn())
      return failed(notThere("there is no scope to end on this thread", "`nereid_profile_scope_begin` begins one"));
    return NEREID_OK;
  });
}

nereid_status nereid_profile_write(const char *path) {
  if (!path)
    return failed(missing("the path"));
  return api::guarded([&] {
    std::vector<profile::Record> records = recorded();
    Result<void> written = profile::writeProfile(path, records, profile::summarize(records));
    return written ? NEREID_OK : failed(written.error());
  });
}

nereid_status nereid_profile_text(const char *form, char **text) {
  if (!form || !text)
    return failed(missing("an argument of nereid_profile_text"));
  *text = nullptr;
  return api::guarded([&] {
    std::string result;
    if (std::strcmp(form, "table") == 0)
      result = profile::renderTable(profile::summarize(recorded()));
    else if (std::strcmp(form, "json") == 0)
      result = profile::renderSummary(profile::summarize(recorded())) + "\n";
    else if (std::strcmp(form, "records") == 0)
      result = profile::renderRecords(recorded());
    else
      return failed({Status::BadInput, "error: a profile has the forms `table`, `json` and `records`, not `" +
                                           std::string(form).substr(0, 80) + "`\n"});
    return api::give(result, text);
  });
}
