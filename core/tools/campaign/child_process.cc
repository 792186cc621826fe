// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include "core/io/descriptor.h"
#include "core/tools/command.h"

namespace espalier::tools {
namespace {

constexpr int kWorkThrew = 1;
constexpr int kNotStarted = 127;

tl::unexpected<Error> system_error(std::string_view what) {
  return fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

// fork(); the child gets `signal` when we end, at once if we have ended already.
pid_t fork_bound_to_us(int signal) {
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // else both would write what is buffered
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != parent) ::_exit(kNotStarted);
  return 0;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

[[noreturn]] void work_and_exit(const std::function<std::string()>& work, const Descriptor& answer_to) {
  std::string answer;
  int code = kWorkThrew;
  try {
    answer = work();
    code = 0;
  } catch (const Refused& refused) {
    answer = refused.error.text();
  } catch (const std::exception& error) {
    answer = error.what();
  }
  std::fflush(nullptr);
  ::_exit(write_all(answer_to, answer) ? code : kNotStarted);
}

enum class Reading : std::uint8_t { kDone, kLate };

// Until the writer closes its end.
Reading read_until(int descriptor, std::chrono::steady_clock::time_point deadline, std::string& text) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Reading::kLate;
    pollfd ready{descriptor, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000))) <= 0) continue;
    std::array<char, 65536> block{};
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got == 0) return Reading::kDone;
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<std::string> run_in_child(std::chrono::seconds limit, const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot make a pipe");
  Descriptor to_us(ends[0]);
  Descriptor from_child(ends[1]);
  const pid_t child = fork_bound_to_us(SIGKILL);
  if (child < 0) return system_error("cannot start a process");
  if (child == 0) work_and_exit(work, from_child);
  from_child.close();

  std::string answer;
  const Reading reading = read_until(to_us.number(), std::chrono::steady_clock::now() + limit, answer);
  if (reading == Reading::kLate) ::kill(child, SIGKILL);
  const int status = wait_for(child);
  if (reading == Reading::kLate) return fail(fmt::format("not finished within {} s", limit.count()));
  if (WIFSIGNALED(status)) return fail(fmt::format("killed by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return fail(answer.empty() ? "ended without an answer" : answer);
  return answer;
}

Result<int> run_program(const std::vector<std::string>& words, const Environment& environment, const std::string& log) {
  const Descriptor out(::open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (out.number() < 0) return system_error(fmt::format("cannot write {}", log));
  const pid_t child = fork_bound_to_us(SIGTERM);
  if (child < 0) return system_error("cannot start a process");
  if (child == 0) {
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    ::dup2(out.number(), STDOUT_FILENO);
    ::dup2(out.number(), STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(kNotStarted);
  }
  const int status = wait_for(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotStarted) return fail(fmt::format("cannot start {}", words[0]));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace espalier::tools
