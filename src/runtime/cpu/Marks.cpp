#include "runtime/cpu/Marks.h"

#include "runtime/profile/Recorder.h"

#include <algorithm>

namespace nereid::cpu {

namespace {

struct Mark {
  const std::string *name; // of the site, which lives as long as the kernel
  uint64_t program;
  profile::Time begin, end; // 0: it is open
};

// A loop of a program may have scopes by the million: what comes behind these is not kept.
constexpr size_t kMostMarks = size_t(1) << 16;

thread_local std::vector<Mark> marks;

} // namespace

void addMark(const Site &site, uint64_t program, bool isEnd) {
  if (!isEnd) {
    if (marks.size() < kMostMarks)
      marks.push_back({&site.text, program, profile::now(), 0});
    return;
  }
  profile::Time now = profile::now();
  auto open = std::find_if(marks.rbegin(), marks.rend(), [&](const Mark &mark) {
    return mark.end == 0 && mark.program == program && *mark.name == site.text;
  });
  if (open != marks.rend())
    open->end = now;
}

void recordMarks(uint64_t launch) {
  for (const Mark &mark : marks)
    if (mark.end) // one that is open belongs to a program that failed
      profile::addInner(launch, *mark.name, mark.program, mark.begin, mark.end);
  marks.clear();
}

} // namespace nereid::cpu
