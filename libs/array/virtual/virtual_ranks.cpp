// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <starling/array/virtual_ranks.hpp>
#include <utility>

#include "base/format.hpp"
#include "fiber/addresses.hpp"
#include "fiber/switch.hpp"
#include "overflow.hpp"
#include "population/array_core.hpp"
#include "rank_element.hpp"
#include "run/core.hpp"

namespace starling::array {

namespace detail {

namespace {

constexpr std::size_t kLeastStack = std::size_t{32} << 10;

void must(int error, const char* what) {
  if (error != mpi::kNoError) throw Error(formatted("virtual ranks: {}: {}", what, mpi::error_text(error)));
}

std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = Slots::Layout::page();
  return (bytes + page - 1) / page * page;
}

/// Names ranges of this object on all processes, and no others.
std::uint64_t common_key(Communicator comm) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::string text = formatted("{} {} {}", now, getpid(), reinterpret_cast<std::uintptr_t>(&text));
  must(mpi::broadcast(comm, 0, text), "they cannot be told their key");
  std::uint64_t key = 0;
  for (const char each : text) key = (key + static_cast<unsigned char>(each)) * 0x9e3779b97f4a7c15u;
  return key | 1;
}

/// Of what all processes have in common.
std::uint64_t number_of(const Slots::Layout& layout, const VirtualRanksOptions& options) {
  std::uint64_t number = RankElement::kVersion << 8 | Heap::kVersion;
  for (const std::uint64_t each : {layout.count, layout.stack, layout.heap, options.at_address}) {
    number = (number ^ each) * 0x9e3779b97f4a7c15u;
  }
  return number;
}

bool all_agree(Communicator comm, bool mine) {
  std::uint64_t least = mine ? 1 : 0;
  must(mpi::all_reduce(comm, mpi::Operator::kLeast, {&least, 1}), "they cannot agree on addresses");
  return least != 0;
}

/// In all processes at one address; else null.
std::shared_ptr<Slots> reserve_together(Communicator comm, const Slots::Layout& layout, std::uintptr_t wanted,
                                        std::uint64_t key) {
  std::vector<std::uintptr_t> places = Slots::usual_places();
  if (wanted != 0) places = {wanted};
  for (const std::uintptr_t each : places) {
    std::shared_ptr<Slots> slots = Slots::reserve(each, layout, key);
    if (all_agree(comm, slots != nullptr)) return slots;
  }
  return nullptr;
}

/// Of the objects whose addresses differ between the processes, the names.
std::string which_differ(Communicator comm, const void* program) {
  const Addresses mine = Addresses::of(program);
  Addresses least = mine;
  Addresses most = mine;
  must(mpi::all_reduce(comm, mpi::Operator::kLeast, least.values), "they cannot compare addresses");
  must(mpi::all_reduce(comm, mpi::Operator::kMost, most.values), "they cannot compare addresses");
  std::string names;
  for (std::size_t i = 0; i < Addresses::kCount; ++i) {
    if (least.values[i] == most.values[i]) continue;
    names += (names.empty() ? "" : ", ") + std::string(Addresses::name(i));
  }
  return names;
}

/// What keeps functions of the program, or of this library, which wait below them, from going on in another process;
/// empty where nothing does. Compilers of some distributions sign and guard by default.
std::string how_compiled_forbids(unsigned how_program_is) {
  const unsigned how_compiled = how_program_is | detail::how_compiled();
  if (has_fake_stack()) {
    return "AddressSanitizer keeps variables off the stack: set ASAN_OPTIONS=detect_stack_use_after_return=0";
  }
  if ((how_compiled & kSignsAddresses) != 0) {
    return "the program or libstarling_array signs its return addresses, with another key in each process: "
           "compile both with -mbranch-protection=none";
  }
  if ((how_compiled & kGuardsStacks) != 0 && !kSavesStackGuard) {
    return "the program or libstarling_array guards its stacks, with another value in each process: compile both with "
           "-fno-stack-protector";
  }
  return "";
}

std::string why_not_all(Communicator comm, const RankLayer& layer, unsigned how_compiled, bool has_place) {
  const std::string compiled = how_compiled_forbids(how_compiled);
  if (!all_agree(comm, compiled.empty())) return compiled.empty() ? "another process says why" : compiled;
  const std::string differ = which_differ(comm, reinterpret_cast<const void*>(layer.main));
  if (!differ.empty()) {
    return formatted(
        "{} lie at other addresses in other processes, since the system randomizes them: call "
        "starling::array::same_addresses(argv) first in main, or start the program by setarch -R, as in "
        "mpiexec -n 4 setarch -R ./program",
        differ);
  }
  if (!has_place) {
    return "no range of addresses is free in all processes: give smaller VirtualRanksOptions::stack_bytes and "
           "heap_bytes, or an at_address that is free";
  }
  return "";
}

/// Process 0, when nothing is under way: with what ranks wait in vain.
std::string in_vain(const RankLayer& layer) {
  constexpr std::size_t kNamed = 8;
  const Array<RankElement> ranks = array_named<RankElement>(*layer.ranks);
  std::vector<Future<std::string>> answers;
  for (int i = 0; i < layer.count; ++i) answers.push_back(ranks[i].call<&RankElement::waits_for>());
  std::string text;
  std::size_t count = 0;
  for (Future<std::string>& each : answers) {
    const std::string one = each.get();
    if (one.empty() || count++ >= kNamed) continue;
    text += (text.empty() ? "" : "; ") + one;
  }
  if (count > kNamed) text += formatted("; and {} others", count - kNamed);
  return text;
}

/// Process 0: what happens when all have come to migrate() or to their end.
void balance(RankLayer& layer) {
  if (layer.can_move()) {
    layer.reports.push_back(array_named<RankElement>(*layer.ranks).balance(layer.options.balance));
    return;
  }
  if (std::exchange(layer.has_told_why, true)) return;
  std::fprintf(stderr, "starling: migrate() moves no rank: %s\n", layer.why_not.c_str());
}

/// Process 0, as main of the session's run.
void lead(RankLayer& layer) {
  Session& session = *layer.session;
  const Array<RankElement> ranks = array_named<RankElement>(*layer.ranks);
  const Array<RankTeller> tellers = array_named<RankTeller>(*layer.tellers);
  if (layer.can_move()) ranks.measure(layer.options.balance);
  ranks.broadcast<&RankElement::start>(layer.run);
  for (;;) {
    session.quiesce();
    Future<Progress> told(session);
    tellers.broadcast<&RankTeller::tell>(told);
    const Progress progress = told.get();
    if (progress.done == layer.count) return;
    if (progress.done + progress.at_migrate != layer.count) {
      throw Error("the ranks wait for one another in vain: " + in_vain(layer));
    }
    balance(layer);
    ranks.broadcast<&RankElement::go_on>(layer.run);
  }
}

/// After an error, on each process.
void stop_all(const RankLayer& layer) {
  for (const Entry* each : layer.ranks->elements().here()) static_cast<RankElement*>(each->object)->stop();
}

}  // namespace
}  // namespace detail

VirtualRanks::VirtualRanks(Session& session, int count, Main main, const VirtualRanksOptions& options,
                           unsigned how_compiled)
    : layer_(std::make_shared<detail::RankLayer>()) {
  using namespace detail;
  RankLayer& layer = *layer_;
  const Communicator comm = session.communicator();
  layer.session = &session;
  layer.main = main;
  layer.count = count;
  layer.processes = session.size();
  layer.options = options;
  const Slots::Layout layout{static_cast<std::size_t>(count), whole_pages(std::max(options.stack_bytes, kLeastStack)),
                             whole_pages(std::max(options.heap_bytes, Slots::Layout::page()))};
  bool same = false;
  must(mpi::all_same(comm, number_of(layout, options), same), "they cannot compare what they are made of");
  if (!same) throw Error("virtual ranks: processes give other numbers of ranks, or other sizes of stacks or heaps");
  if (count < 1) throw Error(formatted("{} virtual ranks: there is one at least", count));
  layer.slots = reserve_together(comm, layout, options.at_address, common_key(comm));
  layer.why_not = why_not_all(comm, layer, how_compiled, layer.slots != nullptr);
  if (!layer.slots) layer.slots = Slots::reserve(0, layout, 0);
  if (!all_agree(comm, layer.slots != nullptr)) {
    throw Error(
        formatted("virtual ranks: the system has no range of {} MiB of addresses (see ulimit -v): give smaller "
                  "VirtualRanksOptions::stack_bytes and heap_bytes",
                  layout.count * layout.slot() >> 20));
  }
  const Array<RankElement> ranks(session, count);
  const Array<RankTeller> tellers(session, session.size());
  layer.ranks = &ranks.core();
  layer.tellers = &tellers.core();
  layer.ranks->layer() = layer.tellers->layer() = layer_;
}

VirtualRanks::~VirtualRanks() {
  detail::stop_all(*layer_);
  for (detail::Entry* each : layer_->tellers->elements().here()) each->suspended = 0;
  layer_->slots.reset();
}

void VirtualRanks::run() {
  using namespace detail;
  RankLayer& layer = *layer_;
  if (layer.has_failed)
    throw Error("virtual ranks: a run() of theirs ended by an error: make them anew, in a new session");
  if (layer.session->size() != layer.processes) {
    throw Error("virtual ranks: the session has other processes now: make them anew after resize() or a loss");
  }
  const OverflowWatch watch(layer.slots, layer.session->rank());
  layer.run = std::max(layer.run, ++layer.calls);
  layer.reports.clear();
  try {
    layer.session->run([&layer] { lead(layer); });
  } catch (...) {
    layer.has_failed = true;
    stop_all(layer);
    throw;
  }
}

int VirtualRanks::size() const { return layer_->count; }
const std::string& VirtualRanks::why_not() const { return layer_->why_not; }
const std::vector<BalanceReport>& VirtualRanks::balanced() const { return layer_->reports; }
VirtualRanks::Counters VirtualRanks::counters() const { return layer_->counters; }

}  // namespace starling::array
