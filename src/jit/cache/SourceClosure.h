// SourceClosure.h: everything of the disk that a compilation can see, as digests that cost no compilation.
//
// Loading a kernel file reads it and the files it imports at once: their digest is the base. A kernel may lead to more
// files while it is compiled (imports of imports, executed on first use). Which ones is written down in a manifest
// under the base; the next process asks the disk the same questions and hashes the answers. A file that appears,
// disappears or changes gives another digest, and so another key.
#pragma once

#include "lang/Loader.h"
#include "support/Sha256.h"

#include <optional>

namespace nereid::jit {

class SourceClosure {
public:
  SourceClosure() = default;
  // To be made right after loading `module`.
  SourceClosure(const lang::Loader &loader, const lang::Module &module);

  const Digest &base() const { return baseDigest; }

  // The questions beyond the base, those of an older manifest first.
  std::string manifest(const lang::Loader &loader, const std::string &older) const;
  // The digest of today's answers to the questions of a manifest; nothing when it is not one. What this process has
  // read already is taken as it was read.
  static std::optional<Digest> answers(const lang::Loader &loader, const std::string &manifest);

private:
  Digest baseDigest{};
  size_t baseLookups = 0;
};

} // namespace nereid::jit
