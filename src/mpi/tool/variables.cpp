// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/tool/variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "mpi/boundary/context.hpp"

namespace starling::mpi {
namespace {

using config::Category;

constexpr ToolEnumItem kSwitch[] = {{0, "off"}, {1, "on"}};
constexpr ToolEnumItem kWaitModes[] = {{static_cast<int>(progress::WaitMode::kAuto), "auto"},
                                       {static_cast<int>(progress::WaitMode::kSpin), "spin"},
                                       {static_cast<int>(progress::WaitMode::kYield), "yield"},
                                       {static_cast<int>(progress::WaitMode::kSleep), "sleep"}};

// Before MPI starts and after it has ended there is nothing to count.
std::uint64_t pending(Context& context, std::int64_t p2p::PointToPoint::Pending::*member) {
  return context.running() ? static_cast<std::uint64_t>(context.p2p->pending().*member) : 0;
}

constexpr PerformanceVariable kPerformance[] = {
    {"starling_calls", "MPI calls that this process has made.", MPI_T_PVAR_CLASS_COUNTER, Category::kProcess,
     [](Context& c) { return c.card->calls.load(std::memory_order_relaxed); }},
    {"starling_yields", "Times that a wait or a row of fruitless tests of this process gave its core away.",
     MPI_T_PVAR_CLASS_COUNTER, Category::kWaiting,
     [](Context& c) { return c.card->heartbeat.load(std::memory_order_relaxed); }},
    {"starling_wait_mode", "How this process waits.", MPI_T_PVAR_CLASS_STATE, Category::kWaiting,
     [](Context& c) { return c.running() ? static_cast<std::uint64_t>(c.progress->wait_mode()) : 0; }},
    {"starling_posted_receives", "Receives that wait for their message.", MPI_T_PVAR_CLASS_LEVEL, Category::kMessages,
     [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::posted_receives); }},
    {"starling_unexpected_messages", "Messages that have arrived before their receive.", MPI_T_PVAR_CLASS_LEVEL,
     Category::kMessages, [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::unexpected_messages); }},
    {"starling_unexpected_bytes", "Bytes that messages without a receive hold.", MPI_T_PVAR_CLASS_LEVEL,
     Category::kMessages, [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::unexpected_bytes); }},
    {"starling_sends_in_flight", "Sends that are under way.", MPI_T_PVAR_CLASS_LEVEL, Category::kMessages,
     [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::sends); }},
    {"starling_communicators", "Communicators that the program has made and not freed.", MPI_T_PVAR_CLASS_LEVEL,
     Category::kProcess, [](Context& c) { return std::uint64_t{c.comms.alive()}; }},
    {"starling_datatypes", "Datatypes that the program has made and not freed.", MPI_T_PVAR_CLASS_LEVEL,
     Category::kProcess, [](Context& c) { return std::uint64_t{c.types.alive()}; }},
    {"starling_requests", "Requests that the program has not completed.", MPI_T_PVAR_CLASS_LEVEL, Category::kProcess,
     [](Context& c) { return std::uint64_t{c.requests.alive()}; }},
};

/// Those of the configuration variables, below one that holds all.
std::vector<ToolCategory> list_categories() {
  std::vector<ToolCategory> all = {{"starling", "Everything that Starling shows."}};
  for (const config::CategoryText& one : config::categories()) {
    std::string name = std::string("starling_") + one.name;
    std::ranges::replace(name, ' ', '_');
    all.push_back({std::move(name), one.sentence});
  }
  return all;
}

constexpr int kAllCategory = 0;
int index_of(Category category) { return 1 + static_cast<int>(category); }

}  // namespace

const ToolEnum kSwitchEnum{"starling_switch", kSwitch};
const ToolEnum kWaitModeEnum{"starling_wait_mode", kWaitModes};

MPI_T_enum handle_of(const ToolEnum& one) noexcept { return reinterpret_cast<MPI_T_enum>(const_cast<ToolEnum*>(&one)); }

const ToolEnum* find_enum(MPI_T_enum handle) noexcept {
  for (const ToolEnum* one : {&kSwitchEnum, &kWaitModeEnum}) {
    if (handle_of(*one) == handle) return one;
  }
  return nullptr;
}

const std::vector<const config::Declaration*>& control_variables() {
  static const std::vector<const config::Declaration*> all = config::declarations();
  return all;
}

std::span<const PerformanceVariable> performance_variables() noexcept { return kPerformance; }

const ToolEnum* enum_of(const PerformanceVariable& variable) noexcept {
  return variable.variable_class == MPI_T_PVAR_CLASS_STATE ? &kWaitModeEnum : nullptr;
}

const ToolEnum* enum_of(const config::Declaration& variable) noexcept {
  return variable.type() == config::VariableType::kBoolean ? &kSwitchEnum : nullptr;
}

const std::vector<ToolCategory>& tool_categories() {
  static const std::vector<ToolCategory> all = list_categories();
  return all;
}

std::vector<int> controls_in(int category) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < control_variables().size(); ++i) {
    if (index_of(control_variables()[i]->category()) == category) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

std::vector<int> performances_in(int category) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < std::size(kPerformance); ++i) {
    if (index_of(kPerformance[i].category) == category) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

std::vector<int> categories_in(int category) {
  std::vector<int> indices;
  if (category != kAllCategory) return indices;
  for (std::size_t i = 1; i < tool_categories().size(); ++i) indices.push_back(static_cast<int>(i));
  return indices;
}

void ToolState::drop_handles() {
  control_handles.for_each([&](std::uintptr_t handle, auto& /*one*/) { control_handles.erase(handle); });
  performance_handles.for_each([&](std::uintptr_t handle, auto& /*one*/) { performance_handles.erase(handle); });
  performance_sessions.for_each([&](std::uintptr_t handle, auto& /*one*/) { performance_sessions.erase(handle); });
}

}  // namespace starling::mpi
