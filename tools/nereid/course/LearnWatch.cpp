// LearnWatch.cpp: `nereid learn watch`: grades the learner's file each time that it is saved. The grading is a child, so that
// an endless loop or a crash ends with a sentence, and the next save is graded again.
#include "LaunchWords.h"
#include "course/Child.h"
#include "course/Learn.h"

#include <filesystem>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace nereid::tool {

namespace {

// Says when a file of a folder was saved, also by editors that put a new file in its place.
class SavedFiles {
public:
  SavedFiles() : queue(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}
  ~SavedFiles() {
    if (queue >= 0)
      close(queue);
  }
  SavedFiles(const SavedFiles &) = delete;

  bool watch(const std::string &folder) {
    if (current >= 0)
      inotify_rm_watch(queue, current);
    current = inotify_add_watch(queue, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO);
    return current >= 0;
  }
  int descriptor() const { return queue; }
  // Whether one of the events that wait is about the file.
  bool take(const std::string &name) {
    alignas(inotify_event) char buffer[1 << 14];
    bool isSaved = false;
    for (ssize_t count; (count = read(queue, buffer, sizeof buffer)) > 0;)
      for (char *at = buffer; at < buffer + count;) {
        const auto *event = reinterpret_cast<const inotify_event *>(at);
        isSaved |= event->len > 0 && name == event->name;
        at += sizeof(inotify_event) + event->len;
      }
    return isSaved;
  }

private:
  int queue, current = -1;
};

class Watcher {
public:
  Watcher(const LearnWords &words, Desk &desk, learn::CourseEntry entry, Console &console)
      : words(words), desk(desk), entry(std::move(entry)), console(console), isTerminal(isatty(STDOUT_FILENO)) {}

  int run(double seconds) {
    limits.seconds = seconds;
    if (int status = begin())
      return status;
    bool hasInput = true;
    while (true) {
      pollfd waiting[2] = {{files.descriptor(), POLLIN, 0}, {hasInput ? STDIN_FILENO : -1, POLLIN, 0}};
      if (poll(waiting, 2, -1) < 0)
        return kFine;
      if (waiting[1].revents && !takeKey(hasInput))
        return kFine;
      if (waiting[0].revents && files.take("kernel.py"))
        grade();
    }
  }

private:
  int begin() {
    Result<std::string> made = startUnit(desk, entry, "", console);
    if (!made)
      return report(console, made.error());
    file = *made;
    if (!files.watch(std::filesystem::path(file).parent_path().string()))
      return fail(console, "`" + file + "` cannot be watched", {}, kEnvironment);
    grade();
    return kFine;
  }

  void grade() {
    std::vector<std::string> line = {
        "learn", "check", entry.id, "--file", file, "--timeout", std::to_string(static_cast<int>(limits.seconds))};
    if (!words.courseFolder.empty())
      line.insert(line.end(), {"--course", words.courseFolder});
    gradeOn(words.words.value("--device"), line, limits);
    ChildResult result = runChild(line, limits, true);
    if (isTerminal)
      console.out << "\033[2J\033[3J\033[H";
    console.out << result.output;
    if (result.timedOut || result.status < 0)
      console.out << whyEnded(result, limits) << "\n";
    isPassed = result.status == kFine;
    console.out << "\nwatching " << file << " (" << (isPassed ? "Enter: the next unit, " : "")
                << "h: a hint, l: the lesson, q: the end)\n"
                << std::flush;
  }

  // A line of the terminal; false: it is the end.
  bool takeKey(bool &hasInput) {
    char text[256];
    ssize_t count = read(STDIN_FILENO, text, sizeof text);
    if (count <= 0) { // nobody is there; files are still saved
      hasInput = false;
      return true;
    }
    LearnWords same{words.words, std::span(&entry.id, 1), words.courseFolder};
    switch (text[0]) {
    case 'q': return false;
    case 'h': learnHint(same, console); break;
    case 'l': learnLesson(same, console); break;
    default:
      if (isPassed)
        goOn();
    }
    console.out << std::flush;
    return true;
  }

  void goOn() {
    int status = kFine;
    std::optional<Desk> fresh = Desk::open(words, console, status); // the child has noted what passed
    if (fresh)
      desk.state = fresh->state;
    const learn::CourseEntry *next = desk.next(entry.id);
    if (!next) {
      console.out << "That was the last one.\n";
      return;
    }
    entry = *next;
    begin();
    LearnWords same{words.words, std::span(&entry.id, 1), words.courseFolder};
    learnLesson(same, console);
  }

  const LearnWords &words;
  Desk &desk;
  learn::CourseEntry entry;
  Console &console;
  bool isTerminal, isPassed = false;
  std::string file;
  SavedFiles files;
  ChildLimits limits;
};

} // namespace

int learnWatch(const LearnWords &words, Console &console) {
  auto seconds = words.words.integer("--timeout", 60, 1, 3600, console);
  if (!seconds)
    return kBadInput;
  int status = kFine;
  std::optional<Asked> asked = ask(words, console, status);
  if (!asked || !gradingDevice(words, console, status))
    return status;
  return Watcher(words, asked->desk, asked->entry, console).run(static_cast<double>(*seconds));
}

} // namespace nereid::tool
