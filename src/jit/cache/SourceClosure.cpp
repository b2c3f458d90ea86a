#include "jit/cache/SourceClosure.h"

#include "jit/cache/Fields.h"
#include "syntax/Parser.h"

#include <filesystem>
#include <set>

namespace nereid::jit {

using Question = std::pair<std::string, std::string>; // root, name

static void hashFile(Sha256 &hash, const lang::Loader &loader, const std::string &path) {
  hash.field(path);
  SourceRef source = loader.sourceOf(path);
  Diagnostics quiet;
  std::error_code problem;
  if (!source && std::filesystem::is_regular_file(path, problem))
    source = syntax::readSource(path, quiet);
  hash.field(uint64_t(source != nullptr));
  if (source)
    hash.field(source->text());
}

SourceClosure::SourceClosure(const lang::Loader &loader, const lang::Module &module)
    : baseLookups(loader.lookups().size()) {
  Sha256 hash;
  hash.field(module.source->name()); // it stands in messages and line tables
  hash.field(module.source->text());
  hash.field(module.fingerprint);
  std::vector<std::string> files = loader.files();
  hash.field(uint64_t(files.size()));
  for (const std::string &path : files)
    hashFile(hash, loader, path);
  for (const lang::Loader::Lookup &lookup : loader.lookups()) {
    hash.field(lookup.root);
    hash.field(lookup.name);
    hash.field(lookup.found);
  }
  baseDigest = hash.finish();
}

static bool readQuestions(const std::string &manifest, std::vector<Question> &questions) {
  FieldReader reader(manifest);
  while (reader.left() && !reader.hasFailed()) {
    std::string root(reader.text()), name(reader.text());
    questions.emplace_back(std::move(root), std::move(name));
  }
  return !reader.hasFailed();
}

std::string SourceClosure::manifest(const lang::Loader &loader, const std::string &older) const {
  std::vector<Question> questions;
  if (!readQuestions(older, questions))
    questions.clear();
  std::set<Question> known(questions.begin(), questions.end());
  const std::vector<lang::Loader::Lookup> &lookups = loader.lookups();
  for (size_t i = baseLookups; i < lookups.size(); ++i)
    if (known.emplace(lookups[i].root, lookups[i].name).second)
      questions.emplace_back(lookups[i].root, lookups[i].name);
  FieldWriter writer;
  for (const auto &[root, name] : questions) {
    writer.text(root);
    writer.text(name);
  }
  return std::move(writer.bytes);
}

std::optional<Digest> SourceClosure::answers(const lang::Loader &loader, const std::string &manifest) {
  std::vector<Question> questions;
  if (!readQuestions(manifest, questions))
    return std::nullopt;
  std::map<Question, const lang::Loader::Lookup *> known;
  for (const lang::Loader::Lookup &lookup : loader.lookups())
    known[{lookup.root, lookup.name}] = &lookup;
  Sha256 hash;
  for (const Question &question : questions) {
    auto found = known.find(question);
    std::string answer =
        found != known.end() ? found->second->found : lang::Loader::lookUp(question.first, question.second);
    hash.field(question.first);
    hash.field(question.second);
    hash.field(answer);
    if (!question.second.empty() && !answer.empty())
      hashFile(hash, loader, answer);
  }
  return hash.finish();
}

} // namespace nereid::jit
