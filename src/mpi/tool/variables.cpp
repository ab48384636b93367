// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/tool/variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "mpi/boundary/context.hpp"

namespace starling::mpi {
namespace {

constexpr ToolEnumItem kSwitch[] = {{0, "off"}, {1, "on"}};
constexpr ToolEnumItem kWaitModes[] = {{static_cast<int>(progress::WaitMode::kAuto), "auto"},
                                       {static_cast<int>(progress::WaitMode::kSpin), "spin"},
                                       {static_cast<int>(progress::WaitMode::kYield), "yield"},
                                       {static_cast<int>(progress::WaitMode::kSleep), "sleep"}};

// Before MPI starts and after it has ended there is nothing to count.
std::uint64_t pending(Context& context, std::int64_t p2p::PointToPoint::Pending::*member) {
  return context.running ? static_cast<std::uint64_t>(context.p2p->pending().*member) : 0;
}

constexpr PerformanceVariable kPerformance[] = {
    {"starling_calls", "MPI calls that this process has made.", MPI_T_PVAR_CLASS_COUNTER, kProcessCategory,
     [](Context& c) { return c.card->calls.load(std::memory_order_relaxed); }},
    {"starling_yields", "Times that a wait or a row of fruitless tests of this process gave its core away.",
     MPI_T_PVAR_CLASS_COUNTER, kWaitCategory,
     [](Context& c) { return c.card->heartbeat.load(std::memory_order_relaxed); }},
    {"starling_wait_mode", "How this process waits.", MPI_T_PVAR_CLASS_STATE, kWaitCategory,
     [](Context& c) { return c.running ? static_cast<std::uint64_t>(c.progress->wait_mode()) : 0; }},
    {"starling_posted_receives", "Receives that wait for their message.", MPI_T_PVAR_CLASS_LEVEL, kMessageCategory,
     [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::posted_receives); }},
    {"starling_unexpected_messages", "Messages that have arrived before their receive.", MPI_T_PVAR_CLASS_LEVEL,
     kMessageCategory, [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::unexpected_messages); }},
    {"starling_unexpected_bytes", "Bytes that messages without a receive hold.", MPI_T_PVAR_CLASS_LEVEL,
     kMessageCategory, [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::unexpected_bytes); }},
    {"starling_sends_in_flight", "Sends that are under way.", MPI_T_PVAR_CLASS_LEVEL, kMessageCategory,
     [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::sends); }},
    {"starling_communicators", "Communicators that the program has made and not freed.", MPI_T_PVAR_CLASS_LEVEL,
     kProcessCategory, [](Context& c) { return std::uint64_t{c.comms.alive()}; }},
    {"starling_datatypes", "Datatypes that the program has made and not freed.", MPI_T_PVAR_CLASS_LEVEL,
     kProcessCategory, [](Context& c) { return std::uint64_t{c.types.alive()}; }},
    {"starling_requests", "Requests that the program has not completed.", MPI_T_PVAR_CLASS_LEVEL, kProcessCategory,
     [](Context& c) { return std::uint64_t{c.requests.alive()}; }},
};

constexpr ToolCategory kCategories[] = {
    {"starling", "Everything that Starling shows."},
    {"starling_collectives", "How collective calls choose their algorithms."},
    {"starling_shared_memory", "Rings and buffers between the processes of a node."},
    {"starling_waiting", "How a process waits."},
    {"starling_messages", "Point-to-point messages."},
    {"starling_process", "The process as a whole."},
};

int category_of(const config::Declaration& variable) {
  constexpr std::pair<std::string_view, int> kPrefixes[] = {
      {"COLL_", kCollectiveCategory}, {"REPRODUCIBLE", kCollectiveCategory}, {"SHM_", kMemoryCategory},
      {"WAIT", kWaitCategory},        {"EAGER_", kMessageCategory},          {"CREDIT_", kMessageCategory},
      {"CYCLIC_", kMessageCategory}};
  for (const auto& [prefix, category] : kPrefixes) {
    if (std::string_view(variable.name()).starts_with(prefix)) return category;
  }
  return kProcessCategory;
}

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
  return variable.kind() == config::Kind::kBoolean ? &kSwitchEnum : nullptr;
}

std::span<const ToolCategory> tool_categories() noexcept { return kCategories; }

std::vector<int> controls_in(int category) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < control_variables().size(); ++i) {
    if (category_of(*control_variables()[i]) == category) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

std::vector<int> performances_in(int category) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < std::size(kPerformance); ++i) {
    if (kPerformance[i].category == category) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

std::vector<int> categories_in(int category) {
  std::vector<int> indices;
  if (category != kAllCategory) return indices;
  for (std::size_t i = 1; i < std::size(kCategories); ++i) indices.push_back(static_cast<int>(i));
  return indices;
}

void ToolState::drop_handles() {
  control_handles.for_each([&](std::uintptr_t handle, auto& /*one*/) { control_handles.erase(handle); });
  performance_handles.for_each([&](std::uintptr_t handle, auto& /*one*/) { performance_handles.erase(handle); });
  performance_sessions.for_each([&](std::uintptr_t handle, auto& /*one*/) { performance_sessions.erase(handle); });
}

}  // namespace starling::mpi
