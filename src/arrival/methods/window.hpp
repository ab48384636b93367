// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The places of the fast method: a compact window over the order of fractional arrival, with the processes that take
// part and the next that will, renewed when the arrivals outrun it. So the states cost nothing for those that have
// completed and for those that are far from arriving.
//
// Thread safety: none; one owner.
// Invariants: places are in the order of (arrival modulo round length, rank), and so is every round, once round from
// its head's place. Columns and rows agree for active places.
#pragma once

#include <cstdint>
#include <new>
#include <vector>

#include "arrival/methods/fast_round.hpp"
#include "arrival/schedule/pattern.hpp"

namespace starling::arrival {

/// Words on cache lines of their own, so that no vector of eight lies across two.
template <typename T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <typename U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* pointer, std::size_t) noexcept { ::operator delete (pointer, std::align_val_t{64}); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};
using WordVector = std::vector<std::uint64_t, LineAllocator<std::uint64_t>>;

class Window {
 public:
  /// The widest columns that there are rounds for.
  static constexpr int kMostSegments = 512;

  explicit Window(const Pattern& pattern);

  /// Whether anyone is still to arrive, and when the next does.
  [[nodiscard]] bool awaiting() const noexcept { return next_ < order_.size(); }
  [[nodiscard]] Ticks next_arrival() const { return arrival(order_[next_]); }
  [[nodiscard]] int next_place() const { return place_of_[order_[next_]]; }

  /// Makes sure that all who arrive before `end` have places; returns where `place` (or -1) has moved to.
  int make_room(Ticks end, int place);
  /// The next to arrive takes part from now on.
  void admit();

  [[nodiscard]] int active_count() const;
  [[nodiscard]] bool is_active(int place) const { return (now_.active[at(place) / 64] >> (place % 64) & 1) != 0; }
  /// The first active place at or after this one, once round; there must be one.
  [[nodiscard]] int next_active(int place) const;
  /// Arrival modulo round length.
  [[nodiscard]] Ticks fraction(int place) const { return arrival(now_.process[at(place)]) % pattern_.round_length; }
  [[nodiscard]] int root_place() const noexcept { return root_place_; }
  /// The most memory that was held at a time.
  [[nodiscard]] std::size_t peak_bytes() const noexcept { return peak_bytes_; }

  /// What a round works on; head, sink and found are the caller's.
  [[nodiscard]] FastRound round();

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] Ticks arrival(std::uint16_t process) const { return pattern_.arrivals[process]; }
  void sort_by_arrival();
  std::size_t batch_end(Ticks end, std::size_t active) const;
  void renew_places(std::size_t end, int* followed);
  [[nodiscard]] std::vector<std::uint16_t> sorted_newcomers(std::size_t end, std::size_t active);
  void take_newcomer(std::uint16_t process, int place);
  void resize(std::size_t places);
  void fill_rows();
  [[nodiscard]] std::size_t bytes() const;

  const Pattern& pattern_;
  int words_;
  int row_words_ = 0;
  std::vector<std::uint16_t> order_;  // by (arrival, rank)
  std::size_t next_ = 0;              // in order_: the next to arrive
  std::size_t batch_end_ = 0;
  std::vector<std::uint16_t> place_of_;  // by process, for those in the batch
  int root_place_ = -1;

  /// What belongs to places and moves with them.
  struct Places {
    std::vector<std::uint16_t> process;
    WordVector columns;
    std::vector<std::uint64_t> active;
    [[nodiscard]] std::size_t bytes() const;
  };
  Places now_;
  // By word.
  WordVector free_;
  WordVector rows_;
  // By segment.
  std::vector<std::uint16_t> hints_;
  std::size_t peak_bytes_ = 0;
};

}  // namespace starling::arrival
