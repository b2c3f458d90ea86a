// Files.cpp: journals from where processes left them, and profiles to where the user wants them.
#include "runtime/WriteFile.h"
#include "runtime/profile/Journal.h"
#include "runtime/profile/Summary.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <unordered_map>

namespace nereid::profile {

// Scopes of warps have the clock of their GPU: they are moved to where their kernel ran, so that the last one ends with it.
static void placeScopes(std::vector<Record> &records) {
  std::unordered_map<uint64_t, Time> kernels, last;
  auto isOfWarp = [](const Record &record) { return record.kind == Record::Kind::Inner && !record.detail.empty(); };
  for (const Record &record : records)
    if (isOfWarp(record))
      last[record.id] = std::max(last[record.id], record.end);
  for (const Record &record : records)
    if (record.kind == Record::Kind::Device && last.contains(record.id))
      kernels[record.id] = record.end;
  for (Record &record : records)
    if (auto kernel = kernels.find(record.id); isOfWarp(record) && kernel != kernels.end()) {
      Time shift = kernel->second - last[record.id];
      record.begin += shift, record.end += shift;
    }
}

std::vector<Record> recordsOf(std::span<const std::byte> journal) {
  std::vector<Record> records = readJournal(journal);
  for (Record &record : records)
    record.process = static_cast<uint32_t>(getpid());
  placeScopes(records);
  return records;
}

// Every journal counts from 1: numbers of different ones are made different.
static constexpr int kJournalShift = 40;

std::vector<Record> readFolder(const std::string &folder) {
  std::vector<Record> all;
  std::vector<std::string> names;
  std::error_code ignored;
  // The program may have put anything there: a pipe that nobody writes to, a device without an end.
  auto isJournal = [&](const std::filesystem::directory_entry &entry) {
    return entry.path().extension() == ".journal" &&
           entry.symlink_status(ignored).type() == std::filesystem::file_type::regular &&
           entry.file_size(ignored) <= kMostJournalBytes;
  };
  for (const auto &entry : std::filesystem::directory_iterator(folder, ignored))
    if (isJournal(entry))
      names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  uint64_t number = 0;
  for (const std::string &name : names) {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (Record &record : readJournal(std::as_bytes(std::span(bytes.data(), bytes.size())))) {
      record.process = static_cast<uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
      for (uint64_t *id : {&record.id, &record.scope})
        if (*id)
          *id |= number << kJournalShift;
      all.push_back(std::move(record));
    }
    ++number;
  }
  placeScopes(all);
  return all;
}

Result<void> writeProfile(const std::string &path, const std::vector<Record> &records, const Summary &summary,
                          const DeviceLimits &limits) {
  bool isPage = path.ends_with(".html");
  if (!isPage && !path.ends_with(".json"))
    return Error{Status::BadInput,
                 "error: a profile is written to a file `….json` (a trace) or `….html` (a page), not to `" +
                     path.substr(0, 200) + "`\n"};
  std::string text = isPage ? renderPage(records, summary, limits) : renderTrace(records);
  if (int problem = runtime::writeFile(path, {text}))
    return Error{Status::Environment, "error: `" + path + "` cannot be written: " + std::strerror(problem) + "\n"};
  return {};
}

} // namespace nereid::profile
