#include "lang/DeferredDelete.h"

#include <utility>
#include <vector>

namespace nereid::lang {

void deleteLater(void *object, void (*destroy)(void *)) {
  using Waiting = std::vector<std::pair<void *, void (*)(void *)>>;
  static thread_local Waiting *waiting = nullptr;
  if (waiting) {
    waiting->emplace_back(object, destroy);
    return;
  }
  Waiting queue{{object, destroy}};
  waiting = &queue;
  while (!queue.empty()) {
    auto [next, destroyNext] = queue.back();
    queue.pop_back();
    destroyNext(next);
  }
  waiting = nullptr;
}

} // namespace nereid::lang
