#include "runtime/cuda/FindPtxas.h"

#include "runtime/cuda/Subprocess.h"

#include <cstdlib>
#include <glob.h>
#include <unistd.h>
#include <vector>

namespace nereid::cuda {

namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

void addPath(std::vector<std::string> &candidates) {
  std::string path = variable("PATH");
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin)
      candidates.push_back(path.substr(begin, end - begin) + "/ptxas");
    begin = end + 1;
  }
}

// Wheels of Triton bring the assembler along.
void addWheels(std::vector<std::string> &candidates) {
  std::vector<std::string> roots;
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string root = variable(name); !root.empty())
      roots.push_back(root + "/lib");
  if (std::string home = variable("HOME"); !home.empty())
    roots.push_back(home + "/.local/lib");
  for (const char *root : {"/usr/local/lib", "/usr/lib", "/opt/venv/lib", "/opt/conda/lib"})
    roots.push_back(root);
  for (const std::string &root : roots)
    for (const char *packages : {"site-packages", "dist-packages"}) {
      std::string pattern = root + "/python3*/" + packages + "/triton/backends/nvidia/bin/ptxas";
      glob_t found{};
      if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0;) // the newest Python first
          candidates.emplace_back(found.gl_pathv[i]);
      globfree(&found);
    }
}

// "Cuda compilation tools, release 12.9, V12.9.86": 1209. 0: it is no ptxas.
int versionOf(const std::string &path) {
  if (access(path.c_str(), X_OK) != 0)
    return 0;
  Result<Finished> finished = runProgram(path, {"--version"});
  if (!finished || finished->status != 0)
    return 0;
  size_t at = finished->output.find("release ");
  if (at == std::string::npos)
    return 0;
  int major = 0, minor = 0;
  if (std::sscanf(finished->output.c_str() + at, "release %d.%d", &major, &minor) != 2)
    return 0;
  return major * 100 + minor;
}

Ptxas find() {
  std::vector<std::string> candidates;
  for (const char *name : {"NEREID_PTXAS", "TRITON_PTXAS_PATH"})
    if (std::string path = variable(name); !path.empty())
      candidates.push_back(path);
  addPath(candidates);
  candidates.push_back("/usr/local/cuda/bin/ptxas");
  addWheels(candidates);
  for (const std::string &path : candidates)
    if (int version = versionOf(path))
      return {path, version};
  return {};
}

} // namespace

const Ptxas &findPtxas() {
  static const Ptxas found = find();
  return found;
}

} // namespace nereid::cuda
