// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/helper_run.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>

#include "base/descriptor.hpp"
#include "base/format.hpp"

extern char** environ;

namespace starling::launch {
namespace {

/// Owned by the handlers that it has in the loop.
class HelperRun : public std::enable_shared_from_this<HelperRun> {
 public:
  HelperRun(EventLoop& loop, std::size_t most, std::function<void(HelperOutput)> done)
      : loop_(loop), most_(most), done_(std::move(done)) {}

  void start(const Inherited& inherited, std::vector<std::string> words, std::int64_t patience_ns) {
    std::array<Descriptor, 2> writing;
    for (std::size_t i = 0; i < writing.size(); ++i) {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) return fail(words.front(), errno);
      reading_[i] = Descriptor(ends[0]);
      writing[i] = Descriptor(ends[1]);
      fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    if (const int error = spawn_helper(inherited, words, writing); error != 0) return fail(words.front(), error);
    for (std::size_t i = 0; i < reading_.size(); ++i) {
      loop_.on_readable(reading_[i].get(), [self = shared_from_this(), i] { self->read_some(i); });
    }
    timer_ = loop_.after(patience_ns, [self = shared_from_this()] { self->give_up(); });
  }

 private:
  int spawn_helper(const Inherited& inherited, std::vector<std::string>& words,
                   const std::array<Descriptor, 2>& writing) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    ChildPlan plan;
    plan.path = words.front().c_str();
    plan.arguments = arguments.data();
    plan.environment = environ;
    plan.standard[0] = nothing.get();
    plan.standard[1] = writing[0].get();
    plan.standard[2] = writing[1].get();
    plan.inherited = inherited;
    const Child child = spawn(plan);
    process_ = child.pid;
    return child.error;
  }

  void read_some(std::size_t which) {
    char buffer[16 * 1024];
    const ssize_t count = read(reading_[which].get(), buffer, sizeof buffer);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    std::string& text = which == 0 ? output_.output : output_.errors;
    if (count > 0) {
      text.append(buffer, std::min(static_cast<std::size_t>(count), most_ - std::min(most_, text.size())));
      return;
    }
    const auto self = shared_from_this();
    close(which);
    if (reading_[0].valid() || reading_[1].valid()) return;
    loop_.cancel(timer_);
    // It has ended, or does so now; an agent may have heard it already.
    waitpid(process_, nullptr, 0);
    finish();
  }

  void give_up() {
    output_.in_time = false;
    kill(process_, SIGKILL);
    for (const std::size_t which : {0, 1}) close(which);
    waitpid(process_, nullptr, WNOHANG);
    finish();
  }

  void close(std::size_t which) {
    if (!reading_[which].valid()) return;
    loop_.remove(reading_[which].get());
    reading_[which].reset();
  }

  void fail(const std::string& program, int error) {
    output_.errors = formatted("{} cannot be started: {}", program, std::strerror(error));
    loop_.after(0, [self = shared_from_this()] { self->finish(); });
  }

  void finish() { std::exchange(done_, nullptr)(std::move(output_)); }

  EventLoop& loop_;
  std::size_t most_;
  std::function<void(HelperOutput)> done_;
  HelperOutput output_;
  std::array<Descriptor, 2> reading_;
  pid_t process_ = 0;
  EventLoop::TimerId timer_ = 0;
};

}  // namespace

void run_helper(EventLoop& loop, const Inherited& inherited, std::vector<std::string> words, std::int64_t patience_ns,
                std::size_t most, std::function<void(HelperOutput)> done) {
  std::make_shared<HelperRun>(loop, most, std::move(done))->start(inherited, std::move(words), patience_ns);
}

Inherited inherited_as_it_is() {
  Inherited inherited;
  sigprocmask(SIG_SETMASK, nullptr, &inherited.signals);
  getrlimit(RLIMIT_NOFILE, &inherited.files);
  return inherited;
}

}  // namespace starling::launch
