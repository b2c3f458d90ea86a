#include "runtime/cuda/Subprocess.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nereid::cuda {

static std::string readAll(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(file, buffer, sizeof buffer)) != 0;) {
    if (got > 0)
      text.append(buffer, static_cast<size_t>(got));
    else if (errno != EINTR)
      break;
  }
  return text;
}

Result<Finished> runProgram(const std::string &program, const std::vector<std::string> &arguments,
                            const std::vector<int> &files) {
  auto cannot = [&](int problem) {
    return Error{Status::Environment, "error: `" + program + "` cannot be started: " + std::strerror(problem) + "\n"};
  };
  int pipeEnds[2];
  if (pipe2(pipeEnds, O_CLOEXEC) != 0)
    return cannot(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDERR_FILENO);
  for (int file : files)
    posix_spawn_file_actions_adddup2(&actions, file, file); // it is not closed then
  std::vector<char *> words{const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  int problem = posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipeEnds[1]);
  if (problem != 0) {
    close(pipeEnds[0]);
    return cannot(problem);
  }
  Finished finished{.output = readAll(pipeEnds[0])};
  close(pipeEnds[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return cannot(errno);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

} // namespace nereid::cuda
