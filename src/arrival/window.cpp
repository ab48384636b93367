// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/window.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "arrival/transpose.hpp"

namespace starling::arrival {
namespace {

/// Up to eight words a power of two, for the kernels of fixed width.
int column_words(int segments) {
  const unsigned words = (static_cast<unsigned>(segments) + 63) / 64;
  return static_cast<int>(words <= 8 ? std::bit_ceil(words) : words);
}

std::size_t round_up_to_words(std::size_t bits) { return (bits + 63) / 64 * 64; }

}  // namespace

Window::Window(const Pattern& pattern)
    : pattern_(pattern), words_(column_words(pattern.segments)), order_(pattern.arrivals.size()) {
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
  for (const std::uint64_t word : active_) count += std::popcount(word);
  return count;
}

int Window::next_active(int place) const {
  const std::size_t first = at(place) / 64;
  const std::uint64_t high = ~std::uint64_t{0} << (place % 64);
  std::uint64_t word = active_[first] & high;
  for (std::size_t w = first; word == 0;) {
    w = w + 1 == active_.size() ? 0 : w + 1;
    word = w == first ? active_[w] & ~high : active_[w];
    if (word != 0) return static_cast<int>(64 * w) + std::countr_zero(word);
  }
  return static_cast<int>(64 * first) + std::countr_zero(word);
}

void Window::admit() {
  const int place = next_place();
  active_[at(place) / 64] |= std::uint64_t{1} << (place % 64);
  ++next_;
}

/// Up to where in order_ the places reach: all who are due, and as many again as take part, so that the cost of renewing
/// is shared by many arrivals; whole words of a row.
std::size_t Window::batch_end(Ticks end, std::size_t active) const {
  std::size_t due = next_;
  while (due < order_.size() && arrival(order_[due]) < end) ++due;
  const std::size_t members = active + (due - next_);
  const std::size_t places = round_up_to_words(std::max<std::size_t>(members + active + 1, 1));
  return std::min(order_.size(), next_ + (places - active));
}

int Window::make_room(Ticks end, int place) {
  const bool placed = batch_end_ == order_.size() || (next_ < batch_end_ && arrival(order_[batch_end_]) >= end);
  if (placed) return place;
  merge_places(batch_end(end, active_.empty() ? 0 : at(active_count())), &place);
  return place;
}

void Window::merge_places(std::size_t end, int* followed) {
  struct Newcomer {
    Ticks fraction;
    std::uint16_t process;
    std::size_t in_order;
  };
  std::vector<Newcomer> newcomers;
  newcomers.reserve(end - next_);
  for (std::size_t i = next_; i < end; ++i) newcomers.push_back({arrival(order_[i]) % pattern_.round_length, order_[i], i});
  const auto before = [](const Newcomer& a, const Newcomer& b) {
    return a.fraction != b.fraction ? a.fraction < b.fraction : a.process < b.process;
  };
  if (!std::is_sorted(newcomers.begin(), newcomers.end(), before)) std::sort(newcomers.begin(), newcomers.end(), before);

  const std::vector<std::uint16_t> old_process = std::move(process_);
  const std::vector<std::uint16_t> old_held = std::move(held_);
  const std::vector<std::uint64_t> old_columns = std::move(columns_);
  const std::vector<std::uint64_t> old_active = std::move(active_);
  std::size_t active = 0;
  for (const std::uint64_t word : old_active) active += static_cast<std::size_t>(std::popcount(word));
  resize(active + newcomers.size());
  const std::size_t meanwhile = newcomers.capacity() * sizeof(Newcomer) + old_columns.capacity() * sizeof(std::uint64_t) +
                                2 * old_process.capacity() * sizeof(std::uint16_t);
  batch_begin_ = next_;
  root_place_ = -1;
  batch_end_ = end;
  places_.assign(end - next_, 0);
  peak_bytes_ = std::max(peak_bytes_, bytes() + meanwhile);

  const int was_followed = *followed;
  std::size_t place = 0;
  auto newcomer = newcomers.begin();
  const auto take_newcomer = [&] {
    process_[place] = newcomer->process;
    held_[place] = static_cast<std::uint16_t>(pattern_.segments);
    for (int w = 0; w < pattern_.segments / 64; ++w) columns_[place * at(words_) + at(w)] = ~std::uint64_t{0};
    const int rest = pattern_.segments % 64;
    if (rest != 0) columns_[place * at(words_) + at(pattern_.segments / 64)] = (std::uint64_t{1} << rest) - 1;
    if (newcomer->process == pattern_.root) root_place_ = static_cast<int>(place);
    places_[newcomer->in_order - batch_begin_] = static_cast<std::uint16_t>(place);
    ++newcomer;
    ++place;
  };
  for (std::size_t w = 0; w < old_active.size(); ++w) {
    for (std::uint64_t bits = old_active[w]; bits != 0; bits &= bits - 1) {
      const std::size_t old = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
      const Newcomer here{arrival(old_process[old]) % pattern_.round_length, old_process[old], 0};
      while (newcomer != newcomers.end() && before(*newcomer, here)) take_newcomer();
      process_[place] = old_process[old];
      held_[place] = old_held[old];
      std::copy_n(old_columns.begin() + static_cast<std::ptrdiff_t>(old * at(words_)), words_,
                  columns_.begin() + static_cast<std::ptrdiff_t>(place * at(words_)));
      active_[place / 64] |= std::uint64_t{1} << (place % 64);
      if (static_cast<int>(old) == was_followed) *followed = static_cast<int>(place);
      if (old_process[old] == pattern_.root) root_place_ = static_cast<int>(place);
      ++place;
    }
  }
  while (newcomer != newcomers.end()) take_newcomer();
  fill_rows();
}

void Window::resize(std::size_t places) {
  const std::size_t room = std::max<std::size_t>(64, round_up_to_words(places));
  row_words_ = static_cast<int>(room / 64);
  process_.assign(room, 0);
  held_.assign(room, 0);
  columns_.assign(room * at(words_), 0);
  active_.assign(room / 64, 0);
  free_.assign(room / 64 + 1, 0);
  rows_.assign(room / 64 * at(pattern_.segments), 0);
  hints_.assign(at(pattern_.segments), 0);
  found_.resize(room);
}

void Window::fill_rows() {
  std::uint64_t block[64];
  for (int w = 0; w < row_words_; ++w) {
    for (int c = 0; 64 * c < pattern_.segments; ++c) {
      for (int i = 0; i < 64; ++i) block[i] = columns_[at(64 * w + i) * at(words_) + at(c)];
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
          .columns = columns_.data(),
          .rows = rows_.data(),
          .active = active_.data(),
          .free = free_.data(),
          .hints = hints_.data(),
          .held = held_.data(),
          .process = process_.data(),
          .found = found_.data()};
}

std::size_t Window::bytes() const {
  const auto of = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
  return of(order_) + of(places_) + of(process_) + of(held_) + of(columns_) + of(active_) + of(free_) +
         of(rows_) + of(hints_) + of(found_);
}

}  // namespace starling::arrival
