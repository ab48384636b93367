// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/methods/window.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "arrival/methods/transpose.hpp"

namespace starling::arrival {
namespace {

/// A power of two: the widths that the rounds are compiled for.
int column_words(int segments) { return static_cast<int>(std::bit_ceil((static_cast<unsigned>(segments) + 63) / 64)); }

/// Rows of 1, 4 or 8 words fit a register; then any number of words.
std::size_t words_of_row(std::size_t places) {
  const std::size_t words = (places + 63) / 64;
  return words <= 1 ? 1 : words <= 4 ? 4 : words <= 8 ? 8 : words;
}

/// Whole words of places.
std::size_t room_for(std::size_t places) { return (places + 63) / 64 * 64; }

template <typename Vector>
std::size_t bytes_of(const Vector& vector) {
  return vector.capacity() * sizeof(vector[0]);
}

}  // namespace

Window::Window(const Pattern& pattern)
    : pattern_(pattern),
      words_(column_words(pattern.segments)),
      order_(pattern.arrivals.size()),
      place_of_(order_.size()) {
  sort_by_arrival();
}

void Window::sort_by_arrival() {
  std::iota(order_.begin(), order_.end(), std::uint16_t{0});
  const auto earlier = [this](std::uint16_t a, std::uint16_t b) {
    return arrival(a) != arrival(b) ? arrival(a) < arrival(b) : a < b;
  };
  if (!std::is_sorted(order_.begin(), order_.end(), earlier)) std::sort(order_.begin(), order_.end(), earlier);
}

int Window::active_count() const {
  int count = 0;
  for (const std::uint64_t word : now_.active) count += std::popcount(word);
  return count;
}

int Window::next_active(int place) const {
  const std::size_t first = at(place) / 64;
  const std::uint64_t high = ~std::uint64_t{0} << (place % 64);
  std::uint64_t word = now_.active[first] & high;
  for (std::size_t w = first; word == 0;) {
    w = w + 1 == now_.active.size() ? 0 : w + 1;
    word = w == first ? now_.active[w] & ~high : now_.active[w];
    if (word != 0) return static_cast<int>(64 * w) + std::countr_zero(word);
  }
  return static_cast<int>(64 * first) + std::countr_zero(word);
}

void Window::admit() {
  const int place = next_place();
  now_.active[at(place) / 64] |= std::uint64_t{1} << (place % 64);
  ++next_;
}

/// Up to where in order_ the places reach: all who are due, and some more, so that the cost of renewing is shared by
/// many arrivals, but not so many that rows grow wider for them; whole words of a row.
std::size_t Window::batch_end(Ticks end, std::size_t active) const {
  std::size_t due = next_;
  while (due < order_.size() && arrival(order_[due]) < end) ++due;
  const std::size_t members = active + (due - next_);
  const std::size_t places = 64 * words_of_row(members + members / 8 + 8);
  return std::min(order_.size(), next_ + (places - active));
}

int Window::make_room(Ticks end, int place) {
  const bool placed = batch_end_ == order_.size() || (next_ < batch_end_ && arrival(order_[batch_end_]) >= end);
  if (!placed) renew_places(batch_end(end, at(active_count())), &place);
  return place;
}

/// Those in order_ from next_ on, in the order of places, behind room for those who take part.
std::vector<std::uint16_t> Window::sorted_newcomers(std::size_t end, std::size_t active) {
  // Fractions are shorter than a round, so that both fit one word.
  static_assert(kMaxTicks <= Ticks{1} << 47 && kMaxProcesses <= 1 << 16);
  std::vector<std::uint64_t> keys;
  keys.reserve(end - next_);
  for (std::size_t i = next_; i < end; ++i) {
    const auto fraction = static_cast<std::uint64_t>(arrival(order_[i]) % pattern_.round_length);
    keys.push_back(fraction << 16 | order_[i]);
  }
  if (!std::is_sorted(keys.begin(), keys.end())) std::sort(keys.begin(), keys.end());
  std::vector<std::uint16_t> sorted(room_for(active + keys.size()), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) sorted[active + i] = static_cast<std::uint16_t>(keys[i]);
  peak_bytes_ = std::max(peak_bytes_, bytes() + bytes_of(keys) + bytes_of(sorted));
  return sorted;
}

void Window::take_newcomer(std::uint16_t process, int place) {
  now_.process[at(place)] = process;
  std::uint64_t* column = now_.columns.data() + at(place) * at(words_);
  for (int w = 0; w < pattern_.segments / 64; ++w) column[w] = ~std::uint64_t{0};
  const int rest = pattern_.segments % 64;
  if (rest != 0) column[pattern_.segments / 64] = (std::uint64_t{1} << rest) - 1;
  place_of_[process] = static_cast<std::uint16_t>(place);
  if (process == pattern_.root) root_place_ = place;
}

/// Merges those who take part with the newcomers; `followed` is a place whose new one is wanted.
void Window::renew_places(std::size_t end, int* followed) {
  const int was_followed = *followed;
  const std::size_t active = at(active_count());
  const std::size_t places = active + (end - next_);
  std::vector<std::uint16_t> processes = sorted_newcomers(end, active);
  const Places old = std::move(now_);
  now_.process = std::move(processes);
  resize(places);
  batch_end_ = end;
  root_place_ = -1;
  peak_bytes_ = std::max(peak_bytes_, bytes() + old.bytes());

  // The newcomers are read ahead of where processes are written.
  std::size_t place = 0;
  std::size_t newcomer = active;
  const auto take_newcomer_here = [&] { take_newcomer(now_.process[newcomer++], static_cast<int>(place++)); };
  const auto key_of = [this](std::uint16_t process) {
    return std::pair(arrival(process) % pattern_.round_length, process);
  };
  for (std::size_t w = 0; w < old.active.size(); ++w) {
    for (std::uint64_t bits = old.active[w]; bits != 0; bits &= bits - 1) {
      const std::size_t from = 64 * w + at(std::countr_zero(bits));
      const std::uint16_t process = old.process[from];
      const auto key = key_of(process);
      while (newcomer != places && key_of(now_.process[newcomer]) < key) take_newcomer_here();
      now_.process[place] = process;
      std::copy_n(&old.columns[from * at(words_)], words_, &now_.columns[place * at(words_)]);
      now_.active[place / 64] |= std::uint64_t{1} << (place % 64);
      if (static_cast<int>(from) == was_followed) *followed = static_cast<int>(place);
      if (process == pattern_.root) root_place_ = static_cast<int>(place);
      ++place;
    }
  }
  while (newcomer != places) take_newcomer_here();
  fill_rows();
}

void Window::resize(std::size_t places) {
  row_words_ = static_cast<int>(words_of_row(places));
  // Rows may be wider, for their sums' sake; what belongs to places need not be.
  now_.columns.assign(room_for(places) * at(words_), 0);
  now_.active.assign(at(row_words_), 0);
  free_.assign(at(row_words_), 0);
  rows_.assign(at(row_words_) * at(pattern_.segments), 0);
  hints_.assign(at(pattern_.segments), 0);
}

void Window::fill_rows() {
  if (active_count() == 0) {  // so far everybody holds everything
    std::fill(rows_.begin(), rows_.end(), ~std::uint64_t{0});
    return;
  }
  std::uint64_t block[64];
  for (int w = 0; at(64 * w) < now_.process.size(); ++w) {
    for (int c = 0; 64 * c < pattern_.segments; ++c) {
      for (int i = 0; i < 64; ++i) block[i] = now_.columns[at(64 * w + i) * at(words_) + at(c)];
      transpose(block);
      const int segments = std::min(64, pattern_.segments - 64 * c);
      for (int j = 0; j < segments; ++j) rows_[at(64 * c + j) * at(row_words_) + at(w)] = block[j];
    }
  }
}

FastRound Window::round() {
  return {.words = words_,
          .row_words = row_words_,
          .segments = pattern_.segments,
          .head = 0,
          .sink = 0,
          .silent = pattern_.root_role == RootRole::kOnlyTakes ? root_place_ : -1,
          .active_count = 0,
          .root = root_place_,
          .columns = now_.columns.data(),
          .rows = rows_.data(),
          .active = now_.active.data(),
          .free = free_.data(),
          .hints = hints_.data(),
          .process = now_.process.data(),
          .found = nullptr};
}

std::size_t Window::Places::bytes() const { return bytes_of(process) + bytes_of(columns) + bytes_of(active); }

std::size_t Window::bytes() const {
  return bytes_of(order_) + bytes_of(place_of_) + now_.bytes() + bytes_of(free_) + bytes_of(rows_) + bytes_of(hints_);
}

}  // namespace starling::arrival
