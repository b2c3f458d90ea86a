// ThreadPool.h: the threads that help with launches. They are made when first needed and stay; one pool serves all
// launches of the process, also several at the same time.
#pragma once

namespace nereid::cpu {

// Work that several threads do together: each call takes parts from a shared counter until none is left.
using Work = void (*)(void *context);

// Calls `work` on this thread and on up to `helpers` others, as many as are free, and returns when all calls have
// ended. A thread that comes late finds nothing to do, so `work` must be right whichever threads take part. While only
// others are at work, `idle` is called on this thread every kWatchPeriod, where there is one.
void runOnThreads(unsigned helpers, Work work, void *context, Work idle = nullptr);

} // namespace nereid::cpu
