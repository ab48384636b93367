// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/tool/variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "api/functions.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/tool/event_types.hpp"

namespace starling::mpi {
namespace {

using config::Category;

constexpr ToolEnumItem kSwitch[] = {{0, "off"}, {1, "on"}};
constexpr ToolEnumItem kWaitModes[] = {{static_cast<int>(progress::WaitMode::kAuto), "auto"},
                                       {static_cast<int>(progress::WaitMode::kSpin), "spin"},
                                       {static_cast<int>(progress::WaitMode::kYield), "yield"},
                                       {static_cast<int>(progress::WaitMode::kSleep), "sleep"}};
constexpr ToolEnum kSwitchEnum{"starling_switch", kSwitch};
constexpr ToolEnum kWaitModeEnum{"starling_wait_mode", kWaitModes};

const ToolEnum& wait_mode_enum() noexcept { return kWaitModeEnum; }

const ToolEnum& function_enum() {
  static const std::vector<ToolEnumItem> items = [] {
    std::vector<ToolEnumItem> all = {{0, "none"}};
    for (std::uint16_t function = 1; function < kFunctionCount; ++function)
      all.push_back({function, function_name(static_cast<Function>(function))});
    return all;
  }();
  static const ToolEnum all{"starling_function", items};
  return all;
}

/// What this rank has sent to all others, of which the segment keeps account.
std::uint64_t sent(Context& context, std::uint64_t observe::TrafficCount::*member) {
  if (!context.running()) return 0;
  const observe::TrafficTable& traffic = context.progress->segment().traffic();
  std::uint64_t sum = 0;
  for (std::uint32_t column = 0; column < traffic.columns(); ++column)
    sum += traffic.count(context.progress->local_rank(), WorldRank(static_cast<std::int32_t>(column))).read().*member;
  return sum;
}

// Before MPI starts and after it has ended there is nothing to count.
std::uint64_t pending(Context& context, std::int64_t p2p::PointToPoint::Pending::*member) {
  return context.running() ? static_cast<std::uint64_t>(context.p2p->pending().*member) : 0;
}

constexpr PerformanceVariable kPerformance[] = {
    {"starling_calls", "MPI calls that this process has made.", MPI_T_PVAR_CLASS_COUNTER, Category::kProcess, nullptr,
     [](Context& c) { return c.card->calls.load(std::memory_order_relaxed); }},
    {"starling_yields", "Times that a wait or a row of fruitless tests of this process gave its core away.",
     MPI_T_PVAR_CLASS_COUNTER, Category::kWaiting, nullptr,
     [](Context& c) { return c.card->heartbeat.load(std::memory_order_relaxed); }},
    {"starling_wait_mode", "How this process waits.", MPI_T_PVAR_CLASS_STATE, Category::kWaiting, wait_mode_enum,
     [](Context& c) { return c.running() ? static_cast<std::uint64_t>(c.progress->wait_mode()) : 0; }},
    {"starling_posted_receives", "Receives that wait for their message.", MPI_T_PVAR_CLASS_LEVEL, Category::kMessages,
     nullptr, [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::posted_receives); }},
    {"starling_unexpected_messages", "Messages that have arrived before their receive.", MPI_T_PVAR_CLASS_LEVEL,
     Category::kMessages, nullptr,
     [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::unexpected_messages); }},
    {"starling_unexpected_bytes", "Bytes that messages without a receive hold.", MPI_T_PVAR_CLASS_LEVEL,
     Category::kMessages, nullptr,
     [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::unexpected_bytes); }},
    {"starling_sends_in_flight", "Sends that are under way.", MPI_T_PVAR_CLASS_LEVEL, Category::kMessages, nullptr,
     [](Context& c) { return pending(c, &p2p::PointToPoint::Pending::sends); }},
    {"starling_communicators", "Communicators that the program has made and not freed.", MPI_T_PVAR_CLASS_LEVEL,
     Category::kProcess, nullptr, [](Context& c) { return std::uint64_t{c.comms.alive()}; }},
    {"starling_datatypes", "Datatypes that the program has made and not freed.", MPI_T_PVAR_CLASS_LEVEL,
     Category::kProcess, nullptr, [](Context& c) { return std::uint64_t{c.types.alive()}; }},
    {"starling_requests", "Requests that the program has not completed.", MPI_T_PVAR_CLASS_LEVEL, Category::kProcess,
     nullptr, [](Context& c) { return std::uint64_t{c.requests.alive()}; }},
    {"starling_call", "The MPI call that this process is in; a callback of an event can ask for it.",
     MPI_T_PVAR_CLASS_STATE, Category::kProcess, function_enum,
     [](Context& c) { return std::uint64_t{c.card->call.load(std::memory_order_relaxed)}; }},
    {"starling_messages_sent", "Messages that this process has sent within its job, those of collectives as well.",
     MPI_T_PVAR_CLASS_COUNTER, Category::kMessages, nullptr,
     [](Context& c) { return sent(c, &observe::TrafficCount::messages); }},
    {"starling_bytes_sent", "Bytes of the messages that starling_messages_sent counts.", MPI_T_PVAR_CLASS_COUNTER,
     Category::kMessages, nullptr, [](Context& c) { return sent(c, &observe::TrafficCount::bytes); }},
    {"starling_collectives", "Collective operations that this process has begun, on all communicators.",
     MPI_T_PVAR_CLASS_COUNTER, Category::kCollectives, nullptr,
     [](Context& c) { return std::uint64_t{c.card->collective.begun.load(std::memory_order_relaxed)}; }},
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

}  // namespace

const ToolEnum* find_enum(MPI_T_enum handle) noexcept {
  for (const ToolEnum* one : {&kSwitchEnum, &kWaitModeEnum, &function_enum()}) {
    if (handle_of(*one) == handle) return one;
  }
  return find_element_names(handle);
}

const std::vector<const config::Declaration*>& control_variables() {
  static const std::vector<const config::Declaration*> all = config::declarations();
  return all;
}

std::span<const PerformanceVariable> performance_variables() noexcept { return kPerformance; }

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
    if (category_index(control_variables()[i]->category()) == category) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

std::vector<int> performances_in(int category) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < std::size(kPerformance); ++i) {
    if (category_index(kPerformance[i].category) == category) indices.push_back(static_cast<int>(i));
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
  events.free_all();
}

}  // namespace starling::mpi
