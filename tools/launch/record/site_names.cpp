// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/record/site_names.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "launch/query/helper_run.hpp"
#include "launch/start/self.hpp"
#include "launch/start/spawn.hpp"

extern char** environ;

namespace starling::launch {
namespace {

/// Large debug information takes a while to read, the more so on a busy machine.
constexpr std::int64_t kSitePatienceNs = 20'000'000'000;

}  // namespace

SiteNames::~SiteNames() { end(); }

std::string SiteNames::name_of(const trace::SiteAddress& site) {
  if (!started_ && !start()) return {};
  std::string answer;
  const std::string id = site.id.empty() ? "-" : site.id;
  if (helper_.valid() && !ask(formatted("{:x} {} {}\n", site.address, id, site.path), &answer)) end();
  return answer;
}

bool SiteNames::start() {
  started_ = true;
  std::string path = find_helper("starling-symbolize");
  int ends[2];
  if (path.empty() || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  Descriptor mine(ends[0]);
  const Descriptor its(ends[1]);
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  std::string option = "--sites";
  char* arguments[] = {path.data(), option.data(), nullptr};
  ChildPlan plan;
  plan.path = path.c_str();
  plan.arguments = arguments;
  plan.environment = environ;
  plan.standard[0] = plan.standard[1] = its.get();
  plan.standard[2] = nothing.get();
  plan.inherited = inherited_as_it_is();
  const Child child = spawn(plan);
  if (child.error != 0) return false;
  process_ = child.pid;
  helper_ = std::move(mine);
  return true;
}

bool SiteNames::ask(const std::string& line, std::string* answer) {
  if (send(helper_.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) return false;
  const std::int64_t until = now_ns() + kSitePatienceNs;
  std::string text;
  while (text.empty() || text.back() != '\n') {
    pollfd waiting{helper_.get(), POLLIN, 0};
    const std::int64_t left_ms = (until - now_ns()) / 1'000'000;
    const int ready = left_ms > 0 ? poll(&waiting, 1, static_cast<int>(left_ms)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    char buffer[4096];
    const ssize_t count = ready > 0 ? recv(helper_.get(), buffer, sizeof buffer, 0) : 0;
    if (count <= 0) return false;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  text.pop_back();
  *answer = std::move(text);
  return true;
}

void SiteNames::end() {
  helper_.reset();
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

}  // namespace starling::launch
