// profile.hpp: where the time of a program goes: launches, scopes, compiling. Link with libnereid.
//
//   nereid::Profile profile;
//   {
//     nereid::ProfileScope scope("training");
//     (*kernel)(rows, out, in, 1000);
//   }
//   profile.end();
//   std::cout << *profile.table();
//   profile.write("trace.json");
#pragma once

#include "nereid/nereid.h"
#include "nereid/result.hpp"

#include <memory>
#include <string>

namespace nereid {

// Records every launch of the process from here to end(), or to the end of the block. One at a time.
class Profile {
public:
  Profile() : status(nereid_profile_begin()) {
    if (status != NEREID_OK)
      problem = nereid_last_error();
  }
  Profile(const Profile &) = delete;
  ~Profile() { end(); }

  // Where another one goes on, this one records nothing.
  Result<void> begun() const {
    return status == NEREID_OK ? Result<void>() : Error{static_cast<Status>(status), problem};
  }
  void end() {
    if (status == NEREID_OK && !isOver)
      nereid_profile_end();
    isOver = true;
  }
  // Kernels and scopes with their times, for people.
  Result<std::string> table() const { return text("table"); }
  // The same, and every record, for programs.
  Result<std::string> json() const { return text("json"); }
  Result<std::string> records() const { return text("records"); }
  // A trace for Perfetto and Chrome (`.json`), or a page (`.html`).
  Result<void> write(const std::string &path) const {
    if (status != NEREID_OK)
      return begun();
    nereid_status written = nereid_profile_write(path.c_str());
    return written == NEREID_OK ? Result<void>() : Error{static_cast<Status>(written), nereid_last_error()};
  }

private:
  Result<std::string> text(const char *form) const {
    if (status != NEREID_OK)
      return Error{static_cast<Status>(status), problem};
    char *made = nullptr;
    if (nereid_status done = nereid_profile_text(form, &made); done != NEREID_OK)
      return Error{static_cast<Status>(done), nereid_last_error()};
    std::unique_ptr<char, decltype(&nereid_string_free)> owner(made, nereid_string_free);
    return std::string(made);
  }

  nereid_status status;
  std::string problem;
  bool isOver = false;
};

// A named part of this thread's work; launches in it are its children.
class ProfileScope {
public:
  explicit ProfileScope(const std::string &name) { nereid_profile_scope_begin(name.c_str()); }
  ProfileScope(const ProfileScope &) = delete;
  ~ProfileScope() { nereid_profile_scope_end(); }
};

} // namespace nereid
