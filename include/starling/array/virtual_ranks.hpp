// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// VirtualRanks: an array whose elements are ranks. Each runs a function of the program in blocking style on a stack of
// its own; there may be many more of them than processes. While one waits, others of its process run; and where they
// call migrate() they may be moved to other processes, in the middle of their function.
//
//     void work(starling::array::Rank& self) {
//       self.send((self.rank() + 1) % self.size(), 3.5);
//       double value = 0;
//       self.recv(starling::array::kAnySource, value);
//       const double sum = self.allreduce(value, starling::array::Sum{});
//       self.migrate();
//     }
//     VirtualRanks ranks(session, 64, work);       on all processes
//     ranks.run();
//
// What a rank may keep across migrate(): variables on its stack; memory from its heap(), and pointers into both;
// addresses of functions and global variables, though a global has the value of the process where the rank is. Not:
// memory from new or malloc, so no std::vector or std::string that allocates (those of std::pmr on heap() may be
// kept); addresses of thread_local variables, errno's too; FILE*, handles of MPI and files; std::jmp_buf; locks. A rank
// that moves while it handles an exception is refused. docs/howto/virtual-ranks.md says more.
//
// **Thread safety**: used by the thread of their session. **Invariants**: messages from one rank to another that match
// one receive arrive in the order in which they were sent, however both move; all ranks call collectives in the same
// order. Source: O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001 (on AMPI).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <optional>
#include <starling/array/reduction.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling::array {

constexpr int kAnySource = -1;
constexpr int kAnyTag = -1;

/// What a receive has taken.
struct Status {
  int source = kAnySource;
  int tag = kAnyTag;
  std::size_t bytes = 0;
};

namespace detail {

class RankElement;
struct RankLayer;

/// A message until its rank waits the next time.
struct Letter {
  Status status;
  const char* bytes = nullptr;
};

/// Values that lie one behind another travel as they are, without their number: a vector may be received into a span.
template <class V>
concept Contiguous = requires(V& value) {
  value.data();
  value.size();
}
&&PlainBytes<std::remove_cvref_t<decltype(*std::declval<V&>().data())>> && !HasSerialize<V>;

template <class V>
std::size_t letter_size(const V& value) {
  if constexpr (Contiguous<V>) return value.size() * sizeof(*value.data());
  Archive count = Archive::counting();
  count(value);
  return count.used();
}
template <class V>
void write_letter(char* room, std::size_t size, const V& value) {
  if constexpr (Contiguous<V>) {
    if (size != 0) std::memcpy(room, value.data(), size);
  } else {
    Archive::writing(room, size)(value);
  }
}
[[noreturn]] void refuse_letter(const Letter& letter, std::size_t room);
template <class V>
void read_letter(const Letter& letter, V& into, Session& session) {
  if constexpr (Contiguous<V>) {
    constexpr std::size_t kEach = sizeof(*into.data());
    if constexpr (requires { into.resize(1); }) into.resize(letter.status.bytes / kEach);
    const std::size_t room = into.size() * kEach;
    if (letter.status.bytes > room || letter.status.bytes % kEach != 0) refuse_letter(letter, room);
    using Value = std::remove_reference_t<decltype(*into.data())>;
    static_assert(!std::is_const_v<Value>, "a message is received into values that can be changed");
    if (letter.status.bytes != 0) std::memcpy(into.data(), letter.bytes, letter.status.bytes);
  } else {
    Archive in = Archive::reading(letter.bytes, letter.status.bytes, &session);
    in(into);
    finish_reading(in);
  }
}

/// A rank's contribution to a gather.
template <class V>
struct Piece {
  std::int32_t rank = 0;
  V value{};
  void serialize(Archive& archive) { archive(rank, value); }
};

/// How a program's functions are compiled, where their stacks depend on it.
constexpr unsigned kGuardsStacks = 1;    // -fstack-protector
constexpr unsigned kSignsAddresses = 2;  // pointer authentication
constexpr unsigned how_compiled() {
  unsigned how = 0;
#if defined(__SSP__) || defined(__SSP_STRONG__) || defined(__SSP_ALL__)
  how |= kGuardsStacks;
#endif
#ifdef __ARM_FEATURE_PAC_DEFAULT
  how |= kSignsAddresses;
#endif
  return how;
}

}  // namespace detail

/// What a rank sees of itself. The object belongs to the library, and stays at its address when the rank moves.
class Rank {
 public:
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The process where it is now.
  int process() const;
  Session& session() const;

  // Messages. Values are what an Archive takes. A send copies, and never waits.

  template <class V>
  void send(int to, const V& value, int tag = 0) {
    const std::size_t size = detail::letter_size(value);
    if (char* room = room_for(to, tag, size)) detail::write_letter(room, size, value);
  }
  /// Waits for the first message of this source and tag, either of which may be any. Values that lie one behind
  /// another, in a span or an array, may be more than the message has.
  template <class V>
  Status recv(int from, V&& into, int tag = kAnyTag) {
    const detail::Letter letter = wait_for_letter(from, tag);
    detail::read_letter(letter, into, session());
    return letter.status;
  }
  template <class V, class W>
  Status sendrecv(int to, const V& value, int from, W&& into, int tag = 0) {
    send(to, value, tag);
    return recv(from, std::forward<W>(into), tag);
  }
  /// Whether recv() would not wait, and what it would take.
  std::optional<Status> iprobe(int from = kAnySource, int tag = kAnyTag) const;
  /// Waits until recv() would not wait.
  Status probe(int from = kAnySource, int tag = kAnyTag);

  // Collectives: all ranks call them, in the same order.

  void barrier() {
    const Nothing nothing;
    contribute(detail::Reducer<Nothing, Ignore>::kNumber, &nothing, kAll);
    wait_for_result();
  }
  /// `value` of the root becomes that of all.
  template <class V>
  void broadcast(V& value, int root) {
    if (root == rank_) {
      std::vector<char> bytes(detail::letter_size(value));
      detail::write_letter(bytes.data(), bytes.size(), value);
      begin_broadcast(root, bytes.data(), bytes.size());
    } else {
      detail::read_letter(wait_for_broadcast(root), value, session());
    }
  }
  /// All values, combined by an operator of reduction.hpp; on the root.
  template <class V, class Op>
  std::optional<V> reduce(const V& value, Op, int root) {
    contribute(detail::Reducer<V, Op>::kNumber, &value, root);
    if (root != rank_) return std::nullopt;
    return result<V>();
  }
  /// The same, on all ranks.
  template <class V, class Op>
  V allreduce(const V& value, Op) {
    contribute(detail::Reducer<V, Op>::kNumber, &value, kAll);
    return result<V>();
  }
  /// The values of all ranks, in their order; on the root, and nothing on others.
  template <class V>
  std::vector<V> gather(const V& value, int root) {
    contribute_piece(value, root);
    return root == rank_ ? pieces<V>() : std::vector<V>();
  }
  template <class V>
  std::vector<V> allgather(const V& value) {
    contribute_piece(value, kAll);
    return pieces<V>();
  }

  // Turns and moves.

  /// Lets the other ranks of the process run that can.
  void yield();
  /// All ranks call it, and wait for one another; then those that are to may be moved, by their measured loads
  /// (VirtualRanksOptions::balance). Whether this one was. Where ranks cannot move, run() says why on the standard
  /// error, once, and they go on.
  bool migrate();
  /// Moves to a process at once, and goes on there. False where ranks cannot move.
  bool migrate_to(int process);
  /// Memory that moves with it and stays at its addresses, up to VirtualRanksOptions::heap_bytes; its allocate() throws
  /// std::bad_alloc where there is no more.
  std::pmr::memory_resource* heap() const { return heap_; }

 private:
  friend class detail::RankElement;
  static constexpr int kAll = -1;
  Rank(detail::RankElement& element, int rank, int size, std::pmr::memory_resource* heap)
      : element_(&element), heap_(heap), rank_(rank), size_(size) {}
  ~Rank() = default;

  char* room_for(int to, int tag, std::size_t bytes);
  detail::Letter wait_for_letter(int from, int tag);
  void contribute(std::uint32_t reducer, const void* value, int root);
  detail::Letter wait_for_result();
  void begin_broadcast(int root, const char* bytes, std::size_t size);
  detail::Letter wait_for_broadcast(int root);

  template <class V>
  V result() {
    const detail::Letter letter = wait_for_result();
    V value{};
    Archive in = Archive::reading(letter.bytes, letter.status.bytes, &session());
    in(value);
    detail::finish_reading(in);
    return value;
  }
  template <class V>
  void contribute_piece(const V& value, int root) {
    const std::vector<detail::Piece<V>> piece{{rank_, value}};
    contribute(detail::Reducer<std::vector<detail::Piece<V>>, Concat>::kNumber, &piece, root);
  }
  template <class V>
  std::vector<V> pieces() {
    std::vector<V> all(static_cast<std::size_t>(size_));
    for (detail::Piece<V>& each : result<std::vector<detail::Piece<V>>>()) {
      all[static_cast<std::size_t>(each.rank)] = std::move(each.value);
    }
    return all;
  }

  detail::RankElement* element_;  // another object after a move
  std::pmr::memory_resource* heap_;
  int rank_;
  int size_;
};

struct VirtualRanksOptions {
  std::size_t stack_bytes = std::size_t{256} << 10;  // of a rank; below it lies a page that nobody may touch
  /// Of a rank at most, for Rank::heap(): addresses, of which only what is used takes memory.
  std::size_t heap_bytes = std::size_t{256} << 20;
  /// How migrate() chooses who moves; all strategies of arrays.
  BalanceOptions balance = {};
  /// Addresses for all stacks and heaps: 0 takes one of the usual places that is free in all processes.
  std::uintptr_t at_address = 0;
};

class VirtualRanks {
 public:
  using Main = void (*)(Rank&);

  /// All processes make it together, as they make arrays: `count` ranks in equal parts. Throws Error where processes
  /// give different numbers, or the system has no addresses for them.
  VirtualRanks(Session& session, int count, Main main, const VirtualRanksOptions& options = {})
      : VirtualRanks(session, count, main, options, detail::how_compiled()) {}
  ~VirtualRanks();
  VirtualRanks(const VirtualRanks&) = delete;
  VirtualRanks& operator=(const VirtualRanks&) = delete;

  /// All processes, not within Session::run(): runs `main` on every rank until all have returned. Throws Error, on all
  /// processes, for an exception that leaves a rank, and where the ranks wait for one another in vain: with what they
  /// wait for. After that it must not be called again.
  void run();

  int size() const;
  /// Whether ranks can move; else why not, and what to do.
  bool can_move() const { return why_not().empty(); }
  const std::string& why_not() const;
  /// On process 0: of each migrate() of the last run, what balancing found and did.
  const std::vector<BalanceReport>& balanced() const;
  /// Of this process, since the object was made.
  struct Counters {
    std::uint64_t arrived = 0;      // ranks from other processes
    std::uint64_t moved_bytes = 0;  // of the stacks and heaps that left
  };
  Counters counters() const;

 private:
  VirtualRanks(Session& session, int count, Main main, const VirtualRanksOptions& options, unsigned how_compiled);
  std::shared_ptr<detail::RankLayer> layer_;
};

/// Before MPI starts, first in main: sees to it that this process has the program and its libraries at the same
/// addresses as the others, so that ranks can move, by running the program anew once without the randomizing of
/// addresses. False where the system does not allow that: start it by `setarch -R` then. Nothing needs it where
/// addresses are not randomized.
bool same_addresses(char** argv);

}  // namespace starling::array
