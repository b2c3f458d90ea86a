// stream.hpp: launches one after another in the background. A stream runs its work in order on a thread of its own;
// streams run beside each other; an event marks a place in a stream that others, or the host, can wait for. A failed
// launch stops its stream: what follows is not run, and synchronize() says why.
//
//   nereid::Stream stream;
//   stream.launch(kernel, {.grid = {64}}, {x, y, n});      // the kernel must outlive the stream's work
//   nereid::Event done = stream.record();
//   if (auto result = stream.synchronize(); !result) …
#pragma once

#include "nereid/nereid.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace nereid {

// A place in the work of a stream. Copies are the same event.
class Event {
public:
  // Waits until the work before it is done, or its stream has failed.
  void wait() const {
    std::unique_lock lock(state->mutex);
    state->changed.wait(lock, [&] { return state->isDone; });
  }
  bool isDone() const {
    std::lock_guard lock(state->mutex);
    return state->isDone;
  }

private:
  friend class Stream;
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool isDone = false;
  };
  void set() const {
    std::lock_guard lock(state->mutex);
    state->isDone = true;
    state->changed.notify_all();
  }
  std::shared_ptr<State> state = std::make_shared<State>();
};

class Stream {
public:
  Stream() : worker([this] { run(); }) {}
  Stream(const Stream &) = delete;
  // Waits for all work.
  ~Stream() {
    {
      std::lock_guard lock(mutex);
      isEnding = true;
      changed.notify_all();
    }
    worker.join();
  }

  // Any work in its turn. After a failure, nothing more is run.
  void add(std::function<Result<void>()> work) { push({std::move(work), std::nullopt}); }
  // The arguments are copied; copies of tensors share their memory.
  void launch(const Kernel &kernel, LaunchOptions options, std::vector<Argument> arguments) {
    add([&kernel, options = std::move(options), arguments = std::move(arguments)] {
      return kernel.launch(options, arguments);
    });
  }
  // Done when everything added so far is.
  Event record() {
    Event event;
    push({nullptr, event});
    return event;
  }
  // What is added from now on waits for the event. An event of this very stream is no reason to wait.
  void wait(const Event &event) {
    add([event] {
      event.wait();
      return Result<void>();
    });
  }
  // Waits for all work; the first failure since the last call, if there was one, after which the stream can be used
  // again.
  Result<void> synchronize() {
    record().wait();
    std::lock_guard lock(mutex);
    Result<void> result = failure ? Result<void>(*failure) : Result<void>();
    failure.reset();
    return result;
  }

private:
  struct Item {
    std::function<Result<void>()> work; // or
    std::optional<Event> event;
  };

  void push(Item item) {
    std::lock_guard lock(mutex);
    queue.push_back(std::move(item));
    changed.notify_all();
  }
  void run() {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return isEnding || !queue.empty(); });
      if (queue.empty())
        return;
      Item item = std::move(queue.front());
      queue.pop_front();
      bool isRun = item.work && !failure;
      lock.unlock();
      if (item.event)
        item.event->set();
      if (!isRun)
        continue;
      if (Result<void> done = item.work(); !done) {
        lock.lock();
        failure = done.error();
      }
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Item> queue;
  std::optional<Error> failure;
  bool isEnding = false;
  std::thread worker; // last: it uses the others
};

} // namespace nereid
