// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "weak_memory/explorer/explore.hpp"

#include <cstdio>
#include <cstdlib>

#include "weak_memory/explorer/machine.hpp"

namespace starling::weak {
namespace {

alignas(64) std::byte objects_of_models[std::size_t{1} << 20];

/// What an order may be weakened to: each that asks for one thing less.
std::vector<std::optional<Order>> weaker(const Site& site) {
  if (site.kind == Kind::kBarrier) return {std::nullopt};
  const bool fence = site.kind == Kind::kFence;
  const std::optional<Order> none = fence ? std::nullopt : std::optional(Order::kRelaxed);
  switch (site.order) {
    case Order::kAcqRel: return {Order::kAcquire, Order::kRelease};
    case Order::kSeqCst:
      if (site.kind == Kind::kLoad) return {Order::kAcquire};
      if (site.kind == Kind::kStore) return {Order::kRelease};
      return {Order::kAcqRel};
    default: return {none};
  }
}

}  // namespace

void* Execution::room_for(std::size_t bytes, std::size_t alignment) {
  const std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
  if (begin + bytes > sizeof objects_of_models) {
    std::fputs("weak memory: the objects of a model are too large\n", stderr);
    std::abort();
  }
  used_ = begin + bytes;
  return objects_of_models + begin;
}

std::string text_of(const Change& change) {
  std::string text = change.site.what + ": " + name(change.site.kind);
  if (change.site.kind == Kind::kBarrier) return text + " left out";
  text += std::string(" ") + name(change.site.order);
  return text + (change.to ? std::string(" -> ") + name(*change.to) : " left out");
}

Explored explore(const Model& model, const Options& options) {
  Explored result;
  Search search;
  Machine machine(options, search);
  while (result.executions + result.known < options.most_executions) {
    const Machine::End end = machine.execute(model, false);
    if (end == Machine::End::kNewShared) {
      search.restart();
      result.executions = result.known = 0;
      continue;
    }
    if (end == Machine::End::kWrong) {
      search.repeat();
      machine.execute(model, true);
      result.wrong = machine.wrong();
      return result;
    }
    ++(end == Machine::End::kKnown ? result.known : result.executions);
    if (search.next()) continue;
    result.sites = machine.sites();
    return result;
  }
  result.wrong = "there are more executions than " + std::to_string(options.most_executions);
  return result;
}

std::vector<std::string> survivors(const Model& model, const std::set<Site>& sites, const Options& options) {
  std::vector<std::string> unnoticed;
  for (const Site& site : sites) {
    for (const std::optional<Order>& to : weaker(site)) {
      Options changed = options;
      changed.change = Change{site, to};
      if (explore(model, changed).wrong.empty()) unnoticed.push_back(text_of(*changed.change));
    }
  }
  return unnoticed;
}

void look_again() { Machine::of_running_code()->look_again(); }

void require(bool good, const char* what) {
  if (good) return;
  if (Machine* machine = Machine::of_running_code()) machine->fail(what);
  Machine::fail_at_end(what);
}

}  // namespace starling::weak
