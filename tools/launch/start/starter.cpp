// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/starter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "bootstrap/environment.hpp"
#include "launch/start/limits.hpp"
#include "launch/start/program.hpp"

namespace starling::launch {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

bool open_pipe(Descriptor* reading, Descriptor* writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  *reading = Descriptor(ends[0]);
  *writing = Descriptor(ends[1]);
  return true;
}

}  // namespace

Starter::Starter(const JobSpec& spec, const NodeJob& job, topology::BindingPlan places, NodeResources resources)
    : spec_(spec), job_(job), places_(std::move(places)), resources_(resources) {}

Environment& Starter::environment_of(std::size_t app_number) {
  if (!environment_ || app_number != app_number_) {
    app_number_ = app_number;
    environment_ = std::make_unique<Environment>(Environment::inherited(spec_.empty_environment));
    environment_->set_all(spec_.applications[app_number].environment);
    environment_->set(bootstrap::kSegmentVariable, std::to_string(resources_.segment->descriptor()));
    environment_->set(bootstrap::kEventVariable, std::to_string(resources_.event));
    if (job_.card >= 0) environment_->set(bootstrap::kCardVariable, std::to_string(job_.card));
    if (job_.to_terminal) environment_->set(bootstrap::kTerminalVariable, "1");
  }
  return *environment_;
}

bool Starter::open_pipes(StartedRank* started, Descriptor writing[2]) {
  if (job_.is_lone && spec_.output.is_plain()) return true;
  if (open_pipe(&started->output, &writing[0]) && open_pipe(&started->errors, &writing[1])) return true;
  failure_ = {EXIT_FAILURE, formatted("no pipe for the output of rank {}: {}", rank().value, explain_error(errno))};
  return false;
}

std::vector<int> Starter::passed_descriptors() const {
  std::vector<int> passed{resources_.segment->descriptor(), resources_.event};
  if (job_.card >= 0) passed.push_back(job_.card);
  if (!job_.listeners.empty()) passed.insert(passed.end(), job_.listeners[next_].begin(), job_.listeners[next_].end());
  return passed;
}

bool Starter::start_next(StartedRank* started) {
  Descriptor writing[2];
  if (!open_pipes(started, writing)) return false;
  const auto app_number = static_cast<std::size_t>(job_.members.app_numbers[next_]);
  const Application& application = spec_.applications[app_number];
  Environment& environment = environment_of(app_number);
  environment.set(bootstrap::kRankVariable, std::to_string(next_));
  const std::vector<char*> arguments = pointers(application.command);
  ChildPlan plan;
  plan.path = job_.programs[app_number].c_str();
  plan.arguments = arguments.data();
  plan.environment = environment.pointers();
  plan.folder = application.folder.empty() ? nullptr : application.folder.c_str();
  plan.standard[0] = rank() == WorldRank(0) ? job_.input : resources_.no_input;
  for (int i = 0; i < 2; ++i) {
    if (writing[i].valid()) plan.standard[i + 1] = writing[i].get();
  }
  plan.passed = passed_descriptors();
  if (!places_.empty()) plan.threads = places_[next_];
  plan.group = job_.lone_group;
  plan.inherited = resources_.inherited;

  memory::RankBlock& block = resources_.segment->rank(LocalRank(next_));
  block.home_rank = rank();
  block.app_number = static_cast<std::int32_t>(app_number);
  const Child child = spawn(plan);
  if (child.error != 0) return fail(child), false;
  started->process = child.pid;
  started->unbound = child.unbound;
  ++next_;
  return true;
}

void Starter::fail(const Child& child) {
  const Application& application = spec_.applications[app_number_];
  const std::string step(child.step);
  if (step == "execve") {
    failure_ = {child.error == ENOENT ? kExitNotFound : kExitNotExecutable,
                explain_exec_failure(job_.programs[app_number_], application.folder, child.error)};
  } else if (step == "chdir") {
    failure_ = {EXIT_FAILURE, formatted("the folder '{}' (-wdir) cannot be entered: {}", application.folder,
                                        std::strerror(child.error))};
  } else {
    failure_ = {EXIT_FAILURE,
                formatted("rank {} cannot be started ({}): {}", rank().value, step, explain_error(child.error))};
  }
}

}  // namespace starling::launch
