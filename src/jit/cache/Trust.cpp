#include "jit/cache/Trust.h"

#include <array>
#include <cstring>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace nereid::jit {

// Many systems give each user a group of the same name, and let it write by default: such a group is the user.
static bool isOnlyThisUser(gid_t group) {
  std::array<char, 4096> userText, groupText;
  passwd userEntry{}, *user = nullptr;
  ::group groupEntry{}, *found = nullptr;
  if (getpwuid_r(geteuid(), &userEntry, userText.data(), userText.size(), &user) != 0 || !user ||
      getgrgid_r(group, &groupEntry, groupText.data(), groupText.size(), &found) != 0 || !found)
    return false;
  if (user->pw_gid != group || std::strcmp(user->pw_name, found->gr_name) != 0)
    return false;
  for (char **member = found->gr_mem; *member; ++member)
    if (std::strcmp(*member, user->pw_name) != 0)
      return false;
  return true;
}

// An access list may let users write whom the mode does not show; its mask then stands in the place of the group.
static bool hasAccessList(int descriptor) { return fgetxattr(descriptor, "system.posix_acl_access", nullptr, 0) > 0; }

std::string distrustOf(int descriptor, const struct stat &status) {
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return "belongs to another user (" + std::to_string(status.st_uid) + ")";
  if (status.st_mode & S_IWOTH)
    return "may be written to by everyone";
  if ((status.st_mode & S_IWGRP) && (hasAccessList(descriptor) || !isOnlyThisUser(status.st_gid)))
    return "may be written to by a group (" + std::to_string(status.st_gid) + ")";
  return "";
}

} // namespace nereid::jit
