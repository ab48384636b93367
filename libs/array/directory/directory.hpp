// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Directory: where an element is, and which way a message to it goes. A pure state machine: a process's knowledge of
// one element is a Location, each record and each local event is a function on it, and the result says what to do.
//
// The home of an element always knows a place from which the element can be reached. An element's epoch grows by one
// with each creation, move and deletion; of two places the one with the higher epoch is newer. A message carries the
// epoch that its sender believed in, and only ever follows newer places. A process that knows nothing newer asks the
// home; if the home knows nothing newer either, the element is on its way to the process that asked, and the message
// waits there.
//
// Needs: records of a pair of processes come in the order in which they were sent, so what a process says about an
// element arrives before the messages that it then sends on; all processes agree on the home. **Thread safety**: as its
// owner. **Invariants**: a Location's epoch never falls while its entry lives; a location is forgotten only when no
// other process may count on it. Source: O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001,
// sections 4 and 4.5; tests/unit/array visits every interleaving.
#pragma once

#include <cstdint>
#include <vector>

namespace starling::array::detail {

/// What a process knows of the place of one element, in the five states of the source's figure 5:
///   here       the object is on this process
///   expected   the newest place is this process, and the object is on its way or under construction: messages wait
///   elsewhere  the newest place is another process
///   deleted    the element was deleted
///   unknown    nothing is known (epoch 0); at the home: the element is not created yet, and messages wait
struct Location {
  std::uint32_t epoch = 0;     // of the newest place that is known
  std::int32_t rank = -1;      // that place
  std::uint32_t departed = 0;  // the epoch that the element left this process for, last
  bool is_home : 1 = false;
  bool is_here : 1 = false;
  bool is_deleted : 1 = false;
  bool may_forget : 1 = true;     // the home knows a place as new as the one that is known here
  bool goes_by_home : 1 = false;  // a creation went to the home: what is sent here follows it
};

/// What decides about a message, beside what is known of its element.
struct Envelope {
  std::uint32_t epoch = 0;  // that its sender believed in; 0: it knew of no place
  std::int32_t from = 0;    // the process that the record comes from
  bool is_asked = false;    // a process where the element was expected knows nothing of it, and asks the home
  bool must_wait = false;   // the home says: the element is on its way to you
};

/// What to do with a message.
struct Route {
  enum class Step : std::uint8_t {
    kDeliver,  // to the element, which is here
    kWait,     // until the element comes, or a newer place is known
    kForward,  // to process `to`
    kRefuse,   // the element was deleted
  };
  Step step = Step::kWait;
  bool is_asked = false;  // of kForward, as in Envelope
  bool must_wait = false;
  std::int32_t to = -1;
  std::uint32_t epoch = 0;
};

/// The rules of one process. `home` is the process that is the element's home.
class Directory {
 public:
  /// `homes`: processes that are told where each element is: its home and those after it. `nodes`: the machine of each
  /// process, by number, or nothing; it outlives the directory.
  Directory(std::int32_t me, std::int32_t processes, std::int32_t homes, const std::vector<std::int32_t>& nodes = kNone)
      : me_(me), processes_(processes), homes_(homes < processes ? homes : processes), nodes_(&nodes) {}

  // Messages.

  /// A message that came in a record.
  [[nodiscard]] Route receive(const Location& known, std::int32_t home, const Envelope& message) const;
  /// A message that is sent here, or whose element left while the message was queued here. `home_of` returns the
  /// home; the usual case, an element elsewhere, does not ask for it.
  template <class HomeOf>
  [[nodiscard]] Route send(const Location& known, HomeOf&& home_of) const {
    if (knows_elsewhere(known)) return {.step = Route::Step::kForward, .to = known.rank, .epoch = known.epoch};
    return send_by_table(known, home_of());
  }
  /// The i-th of the processes beside the home, from 1 on, that the home tells a place; -1: there are no more.
  [[nodiscard]] std::int32_t other_home(std::int32_t i) const { return i < homes_ ? (me_ + i) % processes_ : -1; }
  /// Which of the processes that are told of an element with this home is asked first: one of this machine where there
  /// is any. Processes that are as near to several take turns.
  [[nodiscard]] std::int32_t nearest_home(std::int32_t home) const;

  // What happens here.

  /// At the home: a creation on process `on`. Returns the epoch of the new element, or 0 where there is one already.
  [[nodiscard]] std::uint32_t create(Location& known, std::int32_t on) const;
  /// A creation was sent to the home: messages that follow it must not go by where a former element of the index was.
  void follow_creation(Location& known) const;
  /// The element will be on this process: its object is under construction.
  void expect(Location& known, std::uint32_t epoch) const;
  /// The element left for another process.
  void depart(Location& known, std::int32_t to) const;
  /// The element was deleted on this process.
  void remove(Location& known) const;

  // What records say. Each returns whether that was new.

  /// The element is on process `rank`.
  bool hear_place(Location& known, std::int32_t rank, std::uint32_t epoch) const;
  /// The same, from a process that only helps: what is here, or comes here, is known better.
  bool hear_hint(Location& known, std::int32_t rank, std::uint32_t epoch) const;
  bool hear_deletion(Location& known, std::uint32_t epoch) const;
  /// The home has heard that the element left this process with this epoch, or was deleted here.
  bool hear_confirmation(Location& known, std::uint32_t epoch) const;

  // What may be forgotten, where no message waits or is queued.

  /// A place elsewhere that was only heard of, or whose home knows as much.
  [[nodiscard]] bool is_cached(const Location& known) const {
    return !known.is_home && !known.is_here && known.may_forget && known.rank != me_;
  }
  /// Nobody asks here for an element that was deleted.
  [[nodiscard]] bool is_useless(const Location& known) const {
    return !known.is_home && !known.is_here && known.may_forget && known.is_deleted;
  }
  /// At the home: the oldest tombstone goes. A later element of the index must have a higher epoch.
  void reclaim(const Location& tombstone) {
    if (tombstone.epoch > reclaimed_epoch_) reclaimed_epoch_ = tombstone.epoch;
  }
  /// The first epoch of an element whose home knew it as `known`.
  [[nodiscard]] std::uint32_t next_epoch(const Location& known) const {
    return (known.epoch > reclaimed_epoch_ ? known.epoch : reclaimed_epoch_) + 1;
  }

 private:
  static const std::vector<std::int32_t> kNone;

  [[nodiscard]] bool is_near(std::int32_t process) const {
    return !nodes_->empty() && (*nodes_)[static_cast<std::size_t>(process)] == (*nodes_)[static_cast<std::size_t>(me_)];
  }
  [[nodiscard]] bool knows_elsewhere(const Location& known) const {
    return known.epoch > 0 && !known.is_here && !known.is_deleted && !known.goes_by_home && known.rank != me_;
  }
  [[nodiscard]] Route send_by_table(const Location& known, std::int32_t home) const;

  std::int32_t me_;
  std::int32_t processes_;
  std::int32_t homes_;
  const std::vector<std::int32_t>* nodes_;
  std::uint32_t reclaimed_epoch_ = 0;  // the highest of those whose tombstones were reclaimed
};

}  // namespace starling::array::detail
