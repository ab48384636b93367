// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What becomes of the places that processes remember of elements which were deleted: they expire, as in the library, or
// funeral notices take them away, of three kinds. Counts, in a job that is simulated record by record on the library's
// own rules (directory/directory.hpp), so a run is the same each time. docs/adr/0014 has the figures.
//     bench/array/funerals [PROCESSES [MESSAGES]]
// Each process sends to the elements of its own choice; elements are deleted at random, and elements are created in
// their stead: with other indices, which processes choose anew, or with the same ones, to which all go on sending.
//
// expiry  nothing is sent; with too many places those go that were not used since the last time
// all     a deletion is told to all other processes
// known   an element knows which processes were told its place, takes that along, and its deletion is told to them
// wagon   a record goes around all processes for ever, a hop in so many messages; a deletion rides along for one round
// Source: O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001, section 4.3.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "directory/directory.hpp"

namespace {

using starling::array::detail::Directory;
using starling::array::detail::Envelope;
using starling::array::detail::Location;
using starling::array::detail::Route;

enum class Way { kExpiry, kAll, kKnown, kWagon };

struct Settings {
  const char* name;
  Way way;
  std::size_t cached_places;
  int messages_between_hops;  // of the wagon
};

struct Body {
  int index;
  std::uint32_t epoch;
  int hops_left;
};

struct Remembered {
  Location place;
  bool was_used = false;
};

struct Element {
  int rank = -1;
  std::uint32_t first_epoch = 0;
  std::set<int> told;  // of kKnown: processes that may remember its place
};

struct Counts {
  double messages = 0;
  double records = 0;  // of messages, moves, creations, deletions and news of places
  double notices = 0;  // records of funerals
  double bytes = 0;    // of these
  double extra = 0;    // hops of messages beyond those by way of the home
  double deletions = 0;
  double dead = 0;    // places of deleted elements, also of indices that are used again; mean
  double places = 0;  // all places that are remembered; mean
  double told = 0;    // processes that elements know of; mean
};

constexpr double kRecordBytes = 40;  // of its header, as in the library
constexpr double kIndexBytes = 8;
constexpr double kBodyBytes = 16;  // on the wagon: index and epoch

/// All processes. What is sent arrives before anything else happens.
class Job {
 public:
  Job(int processes, const Settings& settings) : settings_(settings), known_(static_cast<std::size_t>(processes)) {
    for (int i = 0; i < processes; ++i) rules_.emplace_back(i, processes, 1);
  }

  bool lives(int index) const { return elements_.contains(index); }

  void create(int index, int on) {
    Location& at_home = place(home_of(index), index);
    const std::uint32_t epoch = rule(home_of(index)).create(at_home, on);
    rule(on).expect(place(on, index), epoch);
    place(on, index).is_here = true;
    elements_[index] = {on, epoch, {}};
    counts.records += home_of(index) == on ? 0 : 1;
  }

  void remove(int index) {
    const Element gone = std::move(elements_[index]);
    elements_.erase(index);
    Location& here = place(gone.rank, index);
    rule(gone.rank).remove(here);
    const std::uint32_t epoch = here.epoch;
    if (home_of(index) != gone.rank) {
      counts.records += 2;  // to the home, and its answer
      rule(home_of(index)).hear_deletion(place(home_of(index), index), epoch);
      known_[at(gone.rank)].erase(index);
    }
    ++counts.deletions;
    tell_of_funeral(index, epoch, gone);
  }

  void move(int index, int to) {
    Element& element = elements_[index];
    const int from = element.rank;
    if (from == to) return;
    rule(from).depart(place(from, index), to);
    const std::uint32_t epoch = place(from, index).epoch;
    rule(to).expect(place(to, index), epoch);
    place(to, index).is_here = true;
    if (home_of(index) != to) rule(home_of(index)).hear_place(place(home_of(index), index), to, epoch);
    rule(from).hear_confirmation(place(from, index), epoch);
    element.told.insert(from);
    element.rank = to;
    counts.records += 3;
  }

  void send(int from, int index) {
    ++counts.messages;
    Envelope message;
    int at = from;
    int hops = 0;
    Route route = rule(from).send(known(from, index), [&] { return home_of(index); });
    if (const auto found = known_[this->at(from)].find(index); found != known_[this->at(from)].end()) {
      found->second.was_used = true;
    }
    while (route.step == Route::Step::kForward) {
      ++hops;
      message = {route.epoch, at, route.is_asked, route.must_wait};
      at = route.to;
      route = rule(at).receive(known(at, index), home_of(index), message);
    }
    if (route.step != Route::Step::kDeliver) std::abort();  // all that is sent is for elements that live
    counts.records += hops;
    const int by_home = (from == home_of(index) ? 0 : 1) + (at == home_of(index) ? 0 : 1);
    counts.extra += std::max(0, hops - by_home);
    if (hops > 1) {
      ++counts.records;
      remember(from, index, at);
    }
    advance_wagon();
  }

  /// Adds up what is remembered now.
  void look(int samples) {
    for (std::size_t rank = 0; rank < known_.size(); ++rank) {
      for (const auto& [index, each] : known_[rank]) {
        if (!rules_[rank].is_cached(each.place)) continue;
        counts.places += 1.0 / samples;
        const auto element = elements_.find(index);
        const bool is_of_dead = element == elements_.end() || each.place.epoch < element->second.first_epoch;
        if (is_of_dead) counts.dead += 1.0 / samples;
      }
    }
    for (const auto& [index, element] : elements_) counts.told += static_cast<double>(element.told.size()) / samples;
  }

  Counts counts;

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  int processes() const { return static_cast<int>(rules_.size()); }
  Directory& rule(int rank) { return rules_[at(rank)]; }
  int home_of(int index) const {
    return static_cast<int>(static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15u >> 33) % processes();
  }
  Location& place(int rank, int index) {
    Location& result = known_[at(rank)][index].place;
    result.is_home = home_of(index) == rank;
    return result;
  }
  Location known(int rank, int index) {
    const auto found = known_[at(rank)].find(index);
    if (found != known_[at(rank)].end()) return found->second.place;
    Location nothing;
    nothing.is_home = home_of(index) == rank;
    return nothing;
  }

  void remember(int rank, int index, int element_rank) {
    auto& mine = known_[at(rank)];
    if (!mine.contains(index) && ++remembered_[rank] > settings_.cached_places) forget_unused(rank);
    if (!rule(rank).hear_hint(place(rank, index), element_rank, place(element_rank, index).epoch)) return;
    mine[index].was_used = true;
    if (settings_.way == Way::kKnown) elements_[index].told.insert(rank);
  }

  void forget_unused(int rank) {
    remembered_[rank] = 0;
    auto& mine = known_[at(rank)];
    for (auto each = mine.begin(); each != mine.end();) {
      const bool is_unused = rule(rank).is_cached(each->second.place) && !std::exchange(each->second.was_used, false);
      remembered_[rank] += is_unused || !rule(rank).is_cached(each->second.place) ? 0 : 1;
      each = is_unused ? mine.erase(each) : std::next(each);
    }
  }

  void tell_of_funeral(int index, std::uint32_t epoch, const Element& gone) {
    switch (settings_.way) {
      case Way::kExpiry: return;
      case Way::kAll:
        for (int rank = 0; rank < processes(); ++rank) {
          if (rank != gone.rank) tell(rank, index, epoch);
        }
        return;
      case Way::kKnown:
        for (const int rank : gone.told) {
          if (rank != gone.rank) tell(rank, index, epoch);
        }
        return;
      case Way::kWagon: waiting_[gone.rank].push_back({index, epoch, processes() - 1}); return;
    }
  }

  void tell(int rank, int index, std::uint32_t epoch) {
    ++counts.notices;
    counts.bytes += kRecordBytes + kIndexBytes;
    mourn(rank, index, epoch);
  }

  /// A notice came: the place is forgotten, unless it is that of a newer element.
  void mourn(int rank, int index, std::uint32_t epoch) {
    const auto found = known_[at(rank)].find(index);
    if (found == known_[at(rank)].end() || !rule(rank).is_cached(found->second.place)) return;
    if (found->second.place.epoch > epoch) return;
    known_[at(rank)].erase(found);
    if (remembered_[rank] > 0) --remembered_[rank];
  }

  void advance_wagon() {
    if (settings_.way != Way::kWagon || ++since_hop_ < settings_.messages_between_hops) return;
    since_hop_ = 0;
    ++counts.notices;
    counts.bytes += kRecordBytes + static_cast<double>(wagon_.size()) * kBodyBytes;
    wagon_at_ = (wagon_at_ + 1) % processes();
    for (Body& each : wagon_) {
      mourn(wagon_at_, each.index, each.epoch);
      --each.hops_left;
    }
    std::erase_if(wagon_, [](const Body& each) { return each.hops_left <= 0; });
    for (const Body& each : std::exchange(waiting_[wagon_at_], {})) wagon_.push_back(each);
  }

  Settings settings_;
  std::vector<Directory> rules_;
  std::vector<std::unordered_map<int, Remembered>> known_;
  std::unordered_map<int, Element> elements_;
  std::unordered_map<int, std::size_t> remembered_;
  std::vector<Body> wagon_;
  std::unordered_map<int, std::vector<Body>> waiting_;  // at each process, for the wagon
  int wagon_at_ = 0;
  int since_hop_ = 0;
};

constexpr int kElementsEach = 64;
constexpr int kChosen = 64;  // elements that a process sends to

Counts counts_of(const Settings& settings, int processes, int messages, bool reuses) {
  std::mt19937_64 chance(1);
  const auto below = [&](std::size_t bound) { return static_cast<int>(chance() % bound); };
  Job job(processes, settings);
  std::vector<int> living;
  int next = 0;
  for (int i = 0; i < processes * kElementsEach; ++i) {
    job.create(next, below(static_cast<std::size_t>(processes)));
    living.push_back(next++);
  }
  std::vector<std::vector<int>> chosen(static_cast<std::size_t>(processes));
  for (auto& each : chosen) {
    for (int i = 0; i < kChosen; ++i) each.push_back(living[static_cast<std::size_t>(below(living.size()))]);
  }
  const int samples = 100;
  const int warm = messages / 4;  // what is counted begins then
  for (int i = 0; i < warm + messages; ++i) {
    if (i == warm) job.counts = {};
    const int from = below(static_cast<std::size_t>(processes));
    int& target = chosen[static_cast<std::size_t>(from)][static_cast<std::size_t>(below(kChosen))];
    if (!job.lives(target) || below(200) == 0) target = living[static_cast<std::size_t>(below(living.size()))];
    job.send(from, target);
    if (below(100) == 0) job.move(living[static_cast<std::size_t>(below(living.size()))], below(processes));
    if (below(10) == 0) {
      int& old = living[static_cast<std::size_t>(below(living.size()))];
      job.remove(old);
      if (!reuses) old = next++;
      job.create(old, below(static_cast<std::size_t>(processes)));
    }
    if (i >= warm && (i - warm) % (messages / samples) == 0) job.look(samples);
  }
  return job.counts;
}

}  // namespace

int main(int argc, char** argv) {
  const int processes = argc > 1 ? std::max(2, std::atoi(argv[1])) : 32;
  const int messages = argc > 2 ? std::max(1000, std::atoi(argv[2])) : 400000;
  const Settings all[] = {
      {"expiry, 65536 places", Way::kExpiry, 65536, 0},
      {"expiry, 128 places", Way::kExpiry, 128, 0},
      {"all", Way::kAll, 65536, 0},
      {"known", Way::kKnown, 65536, 0},
      {"wagon, a hop in 10", Way::kWagon, 65536, 10},
      {"wagon, a hop in 100", Way::kWagon, 65536, 100},
  };
  std::printf("%d processes, %d elements, %d messages, a deletion and creation in 10, a move in 100\n", processes,
              processes * kElementsEach, messages);
  for (const bool reuses : {false, true}) {
    std::printf("\n%-24s %9s %9s %9s %11s %9s %9s %9s\n", reuses ? "indices are used again" : "indices are new",
                "records", "notices", "of bytes", "extra hops", "places", "of dead", "told");
    for (const Settings& each : all) {
      const Counts counts = counts_of(each, processes, messages, reuses);
      std::printf("%-24s %9.3f %9.3f %9.1f %11.4f %9.1f %9.1f %9.2f\n", each.name, counts.records / counts.messages,
                  counts.notices / counts.messages, counts.bytes / counts.messages, counts.extra / counts.messages,
                  counts.places / processes, counts.dead / processes, counts.told / (processes * kElementsEach));
    }
  }
  std::printf(
      "\nrecords, notices, their bytes, extra hops: to each message; places that a process remembers; processes that "
      "an "
      "element was told of\n");
}
