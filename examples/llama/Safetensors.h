// Safetensors.h: files of named tensors: eight bytes for the length of a header in JSON, the header, the tensors' bytes.
#pragma once

#include <nereid/nereid.hpp>

#include <map>

namespace llama {

struct Safetensors {
  std::map<std::string, nereid::Tensor> tensors; // they keep the file's memory
  std::map<std::string, std::string> metadata;
};

// The tensors lie in the file, which is mapped: pages come when they are read.
nereid::Result<Safetensors> readSafetensors(const std::string &path);
// Contiguous tensors on the host. The file takes the place of an old one when all of it is written.
nereid::Result<void> writeSafetensors(const std::string &path, const Safetensors &file);

} // namespace llama
