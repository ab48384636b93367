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

using bootstrap::Descriptor;

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

Starter::Starter(const JobSpec& spec, std::vector<std::string> programs, topology::BindingPlan places,
                 JobResources resources)
    : spec_(spec), programs_(std::move(programs)), places_(std::move(places)), resources_(resources) {}

Environment& Starter::environment_of(const Application& application) {
  if (!environment_) {
    environment_ = std::make_unique<Environment>(Environment::inherited(spec_.empty_environment));
    environment_->set_all(application.environment);
    environment_->set(bootstrap::kSegmentVariable, std::to_string(resources_.segment->descriptor()));
    environment_->set(bootstrap::kEventVariable, std::to_string(resources_.event));
    if (isatty(STDOUT_FILENO)) environment_->set(bootstrap::kTerminalVariable, "1");
  }
  return *environment_;
}

bool Starter::open_pipes(StartedRank* started, Descriptor writing[2]) {
  if (resources_.group != 0 && !spec_.label_lines) return true;
  if (open_pipe(&started->output, &writing[0]) && open_pipe(&started->errors, &writing[1])) return true;
  failure_ = {EXIT_FAILURE, formatted("no pipe for the output of rank {}: {}", rank_, explain_error(errno))};
  return false;
}

bool Starter::start_next(StartedRank* started) {
  if (rank_in_application_ == spec_.applications[app_number_].ranks) {
    ++app_number_;
    rank_in_application_ = 0;
    environment_.reset();
  }
  const Application& application = spec_.applications[app_number_];
  Descriptor writing[2];
  if (!open_pipes(started, writing)) return false;

  Environment& environment = environment_of(application);
  environment.set(bootstrap::kRankVariable, std::to_string(rank_));
  const std::vector<char*> arguments = pointers(application.command);
  ChildPlan plan;
  plan.path = programs_[app_number_].c_str();
  plan.arguments = arguments.data();
  plan.environment = environment.pointers();
  plan.folder = application.folder.empty() ? nullptr : application.folder.c_str();
  plan.standard[0] = rank_ == 0 ? resources_.input : resources_.no_input;
  for (int i = 0; i < 2; ++i) {
    if (writing[i].valid()) plan.standard[i + 1] = writing[i].get();
  }
  plan.passed = {resources_.segment->descriptor(), resources_.event};
  if (!places_.empty()) plan.threads = places_[rank_];
  plan.group = resources_.group;
  plan.inherited = resources_.inherited;

  resources_.segment->rank(LocalRank(rank_)).app_number = static_cast<std::int32_t>(app_number_);
  const Child child = spawn(plan);
  if (child.error != 0) return fail(child), false;
  started->process = child.pid;
  started->unbound = child.unbound;
  ++rank_in_application_;
  ++rank_;
  return true;
}

void Starter::fail(const Child& child) {
  const Application& application = spec_.applications[app_number_];
  const std::string step(child.step);
  if (step == "execve") {
    failure_ = {child.error == ENOENT ? kExitNotFound : kExitNotExecutable,
                explain_exec_failure(programs_[app_number_], child.error)};
  } else if (step == "chdir") {
    failure_ = {EXIT_FAILURE,
                "the folder '" + application.folder + "' (-wdir) cannot be entered: " + std::strerror(child.error)};
  } else {
    failure_ = {EXIT_FAILURE, formatted("rank {} cannot be started ({}): {}", rank_, step, explain_error(child.error))};
  }
}

}  // namespace starling::launch
