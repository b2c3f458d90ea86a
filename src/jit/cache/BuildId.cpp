#include "jit/cache/BuildId.h"

#include <cstring>
#include <link.h>
#include <sys/stat.h>

namespace nereid::jit {

namespace {

struct Search {
  uintptr_t self;
  Sha256 hash;
};

bool contains(const dl_phdr_info &info, uintptr_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info.dlpi_phdr[i];
    uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && address >= begin && address < begin + header.p_memsz)
      return true;
  }
  return false;
}

std::string_view noteOf(const dl_phdr_info &info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info.dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    auto *begin = reinterpret_cast<const char *>(info.dlpi_addr + header.p_vaddr), *end = begin + header.p_memsz;
    while (begin + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, begin, sizeof note);
      const char *name = begin + sizeof note, *text = name + ((note.n_namesz + 3) & ~3u);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0 &&
          text + note.n_descsz <= end)
        return {text, note.n_descsz};
      begin = text + ((note.n_descsz + 3) & ~3u);
    }
  }
  return {};
}

int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  std::string_view path = info->dlpi_name ? info->dlpi_name : "";
  bool isOurs = contains(*info, search.self);
  bool isCompiler = path.find("libLLVM") != path.npos || path.find("libMLIR") != path.npos;
  if (!isOurs && !isCompiler)
    return 0;
  if (std::string_view id = noteOf(*info); !id.empty()) {
    search.hash.field(id);
    return 0;
  }
  struct stat status{};
  std::string file = path.empty() ? "/proc/self/exe" : std::string(path);
  stat(file.c_str(), &status);
  search.hash.field(file);
  search.hash.field(static_cast<uint64_t>(status.st_size));
  search.hash.field(static_cast<uint64_t>(status.st_mtim.tv_sec));
  search.hash.field(static_cast<uint64_t>(status.st_mtim.tv_nsec));
  return 0;
}

} // namespace

const Digest &buildId() {
  static const Digest digest = [] {
    Search search{reinterpret_cast<uintptr_t>(&buildId), {}};
    dl_iterate_phdr(visit, &search);
    return search.hash.finish();
  }();
  return digest;
}

} // namespace nereid::jit
