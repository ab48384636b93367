// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankElement: the element of an array that a virtual rank is. Its methods are what others tell it; each lets the
// rank's fiber go on if that was what it waits for, so the fiber runs as a part of a method, and its time is the
// element's load.
//
// What is under way with a rank: the fiber, the Rank and the heap lie in the rank's slot, and move as bytes; messages
// that it has not taken are kept here, and are serialized.
//
// **Thread safety**: none; belongs to the thread of its session. **Invariants**: while the fiber waits for anything but
// a move the element stays where it is; where the element is, its slot is taken.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <starling/array/element.hpp>
#include <starling/array/virtual_ranks.hpp>
#include <string>
#include <vector>

#include "fiber/fiber.hpp"
#include "fiber/heap.hpp"
#include "fiber/slots.hpp"
#include "rank_layer.hpp"

namespace starling::array::detail {

/// The last argument of a method: all bytes that are left, in their message.
struct Rest {
  const char* bytes = nullptr;
  std::size_t size = 0;
  void serialize(Archive& archive);
};

/// What a message between ranks begins with.
struct Heading {
  std::uint32_t run = 0;
  std::int32_t source = 0;
  std::int32_t tag = 0;
};

/// How far the ranks of a process are; adds up.
struct Progress {
  std::int64_t done = 0;
  std::int64_t at_migrate = 0;
};
struct AddProgress {
  void operator()(Progress& into, const Progress& value) const {
    into.done += value.done;
    into.at_migrate += value.at_migrate;
  }
};

/// One on each process: tells of its ranks.
class RankTeller : public Element<RankTeller> {
 public:
  RankTeller();
  void tell(const Future<Progress>& to);
};

class RankElement : public Element<RankElement> {
 public:
  enum class Waits : std::uint8_t {
    kUnstarted,
    kRuns,
    kLetter,
    kProbe,
    kResult,
    kBroadcast,
    kTurn,
    kMigrate,
    kMoves,
    kDone
  };

  static constexpr std::uint64_t kVersion = 1;  // of what lies in a slot

  RankElement();
  ~RankElement();

  // What others tell it.
  void start(std::uint32_t run);
  void take(Heading heading, Rest letter);
  void take_result(Rest result);
  void take_broadcast(std::uint32_t run, std::int32_t root, std::uint32_t number, Rest value);
  void go_on(std::uint32_t run);
  /// For the error that says that ranks wait in vain; empty where it does not.
  std::string waits_for();
  void serialize(Archive& archive);

  // What its rank asks of it, on its fiber.
  char* room_for(int to, int tag, std::size_t bytes);
  Letter wait_for_letter(int from, int tag);
  std::optional<Status> look_for(int from, int tag) const;
  Status probe(int from, int tag);
  void contribute_for(std::uint32_t reducer, const void* value, int root);
  Letter wait_for_result();
  void begin_broadcast(const char* bytes, std::size_t size);
  Letter wait_for_broadcast(int root);
  void yield();
  /// The element is another one when they return: `self` is what stays.
  static void migrate(Rank& self);
  static void migrate_to(Rank& self, int process);

  RankLayer& layer() const;
  Waits waits() const { return waits_; }
  /// Its function ends by an exception that nobody is told of.
  void stop();

 private:
  struct Kept {
    std::uint32_t run = 0;
    Status status;
    std::vector<char> bytes;
    void serialize(Archive& archive) { archive(run, status.source, status.tag, status.bytes, bytes); }
  };
  /// In the rank's slot, at the end of its stack.
  struct Slot {
    Fiber fiber;
    Rank rank;
    Heap* heap;
    Slot(char* bottom, std::size_t bytes, RankElement& element, int size, Heap* its_heap)
        : fiber(bottom, bytes, &RankElement::body, this),
          rank(element, element.index(), size, its_heap),
          heap(its_heap) {}
    ~Slot() = default;
  };
  static_assert(sizeof(Slot) == sizeof(Fiber) + sizeof(Rank) + sizeof(Heap*));
  struct Stopped {};  // thrown through a rank's function that is not to go on

  static void body(void* slot);
  static bool matches(const Status& status, int from, int tag);
  Slot& slot() const;
  std::size_t number() const { return static_cast<std::size_t>(index()); }
  bool has_slot() const { return waits_ != Waits::kUnstarted && waits_ != Waits::kDone; }
  void resume();
  void wait(Waits what);
  void leave_slot();
  void stay();
  void may_leave();
  bool is_of_now(std::uint32_t run) const;
  void check_peer(int rank, const char* call) const;
  void pack_slot(Archive& archive);
  void unpack_slot(Archive& archive);
  void queue_turn();

  Entry* entry_;
  Waits waits_ = Waits::kUnstarted;
  bool is_stopped_ = false;
  bool is_packed_ = false;  // as it goes nowhere else, its bytes are on their way
  std::size_t packed_bytes_ = 0;
  int wanted_source_ = 0;
  int wanted_tag_ = 0;
  std::uint32_t broadcasts_ = 0;  // that it has taken part in
  Letter arrived_;
  std::vector<char> taken_;  // what arrived_ refers to, where it had been kept
  std::deque<Kept> kept_;
  std::map<std::uint32_t, Kept> early_broadcasts_;
  std::exception_ptr broken_;
};

}  // namespace starling::array::detail
