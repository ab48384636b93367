// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The text of fast_round.hpp, included once for each instruction set.
//
// A receiver's segment is the first bit of its column among those that somebody else can still send. What is known of
// these lags one transfer behind, so that the trip through the counts overlaps the next search: it may name segments
// that nobody else can send, never miss one, and the look at the segment's row decides.
#pragma once

#include "arrival/fast_round.hpp"
#include "arrival/planes.hpp"

namespace starling::arrival {
namespace {

constexpr int kNone = -1;

/// kRowWords is 1, 4 or 8, when all places' bits fit a register, or 0 for any number of words.
/// The copy of the round is local and nobody else's, so that its fields stay in registers.
template <int kWords, int kDepth, int kRowWords>
class FastKernel {
 public:
  STARLING_ARRIVAL_INLINE explicit FastKernel(const FastRound& round) : r_(round) {}

  STARLING_ARRIVAL_INLINE int run() {
    start();
    receive<true>(r_.sink);
    for (int w = 0; w <= row_words(); ++w) {
      const int word = physical(w);
      for (std::uint64_t places = r_.active[word] & half(w); places != 0; places &= places - 1) {
        const int place = 64 * word + __builtin_ctzll(places);
        if (place != r_.sink) receive<false>(place);
      }
    }
    return found_;
  }

  /// What was received can be sent from now on, who has nothing left leaves, and places become processes. Returns how
  /// many left.
  STARLING_ARRIVAL_INLINE int end() {
    for (int i = 0; i < found_; ++i) {
      const Transfer transfer = r_.found[i];
      (Vector::load(column(transfer.receiver)) | Vector::single(transfer.segment, 1)).store(column(transfer.receiver));
      if constexpr (kRowWords == 0) {
        row(transfer.segment)[transfer.receiver >> 6] |= bit_of(transfer.receiver);
      } else {
        (Row::load(row(transfer.segment)) | Row::single(transfer.receiver, 1)).store(row(transfer.segment));
      }
    }
    int left = 0;
    for (int i = 0; i < found_; ++i) {
      Transfer& transfer = r_.found[i];
      const int sender = transfer.sender;
      if (r_.held[sender] == 0 && sender != r_.root) {
        r_.active[sender >> 6] &= ~bit_of(sender);
        ++left;
      }
      transfer.receiver = r_.process[transfer.receiver];
      transfer.sender = r_.process[sender];
    }
    return left;
  }

 private:
  using Vector = Bits<kWords>;
  using Row = Bits<kRowWords == 0 ? 1 : kRowWords>;

  STARLING_ARRIVAL_INLINE std::uint64_t* column(int place) const {
    return r_.columns + static_cast<long>(place) * kWords;
  }
  STARLING_ARRIVAL_INLINE int row_words() const { return kRowWords > 0 ? kRowWords : r_.row_words; }
  STARLING_ARRIVAL_INLINE std::uint64_t* row(int segment) const {
    return r_.rows + static_cast<long>(segment) * row_words();
  }

  /// The round goes through the words from the head's on, the head's once at each end; the word of a row that is w-th.
  STARLING_ARRIVAL_INLINE int physical(int w) const {
    if constexpr (kRowWords == 1) return 0;
    const int word = (r_.head >> 6) + w;
    return word < row_words() ? word : word - row_words();
  }
  /// Which bits of the w-th word count: in the head's first from the head on, and last the others.
  STARLING_ARRIVAL_INLINE std::uint64_t half(int w) const {
    const std::uint64_t high = ~std::uint64_t{0} << (r_.head & 63);
    return w == 0 ? high : w == row_words() ? ~high : ~std::uint64_t{0};
  }

  STARLING_ARRIVAL_INLINE void start() {
    planes_.clear();
    const std::uint64_t* waiting[3];
    int count = 0;
    for (int w = 0; w < row_words(); ++w) {
      std::uint64_t places = r_.active[w];
      if (r_.silent != kNone && r_.silent >> 6 == w) places &= ~bit_of(r_.silent);
      r_.free[w] = places;
      for (; places != 0; places &= places - 1) {
        waiting[count++] = column(64 * w + __builtin_ctzll(places));
        if (count == 3) {
          planes_.add(Vector::load(waiting[0]), Vector::load(waiting[1]), Vector::load(waiting[2]));
          count = 0;
        }
      }
    }
    for (int i = 0; i < count; ++i) planes_.add(Vector::load(waiting[i]));
    two_ = planes_.two();
    one_ = planes_.one(two_);
    if constexpr (kRowWords > 0) {
      free_ = Row::load(r_.free);
    } else {
      for (int j = 0; j < r_.segments; ++j) r_.hints[j] = 0;
    }
  }

  STARLING_ARRIVAL_INLINE std::uint64_t is_free(int place) const {
    if constexpr (kRowWords == 0) return r_.free[place >> 6] >> (place & 63) & 1;
    return (free_ & Row::single(place, 1)).words_filled() != 0 ? 1 : 0;
  }

  /// The first free place in the segment's row but the receiver's own.
  STARLING_ARRIVAL_INLINE int holder(int segment, int receiver) const {
    if constexpr (kRowWords == 0) return holder_in_memory(segment, receiver);
    const Row others = Row::load(row(segment)) & free_ & ~Row::single(receiver, 1);
    const unsigned filled = others.words_filled();
    if (filled == 0) return kNone;
    alignas(64) std::uint64_t words[kRowWords > 0 ? kRowWords : 1];
    others.store(words);
    const int head_word = kRowWords == 1 ? 0 : r_.head >> 6;
    const std::uint64_t from_head = words[head_word] & (~std::uint64_t{0} << (r_.head & 63));
    const unsigned after = filled & (~1u << head_word);
    const int next = __builtin_ctz(after != 0 ? after : filled);  // the head's own again if nobody else
    const int word = from_head != 0 ? head_word : next;
    return 64 * word + __builtin_ctzll(from_head != 0 ? from_head : words[next]);
  }

  STARLING_ARRIVAL_INLINE int holder_in_memory(int segment, int receiver) const {
    const std::uint64_t* bits = row(segment);
    int w = r_.hints[segment];
    while (w <= row_words() && (bits[physical(w)] & r_.free[physical(w)] & half(w)) == 0) ++w;
    r_.hints[segment] = static_cast<std::uint16_t>(w);  // nobody before this word becomes free again in this round
    for (; w <= row_words(); ++w) {
      const int word = physical(w);
      std::uint64_t others = bits[word] & r_.free[word] & half(w);
      if (word == receiver >> 6) others &= ~bit_of(receiver);
      if (others != 0) return 64 * word + __builtin_ctzll(others);
    }
    return kNone;
  }

  template <bool kIsSink>
  STARLING_ARRIVAL_INLINE void receive(int receiver) {
    const std::uint64_t counted = is_free(receiver);
    const Vector own = Vector::load(column(receiver));
    Vector wanted = two_.or_else(one_, counted) & own;
    // The sink takes what anyone else can send, whether it holds it itself or not.
    if constexpr (kIsSink) wanted = wanted | (one_ & ~own);
    int segment = wanted.first();
    if (segment == kNone) return;
    int sender = holder(segment, receiver);
    if (sender == kNone) {
      catch_up();
      wanted = two_.or_else(one_, counted) & wanted;
      segment = wanted.first();
      if (segment == kNone) return;
      sender = holder(segment, receiver);
    }
    transfer<kIsSink>(receiver, sender, segment, counted);
  }

  /// Takes the last sender, and what the last receiver may not send on, off the counts.
  STARLING_ARRIVAL_INLINE void catch_up() {
    planes_.subtract(last_sent_, last_received_);
    two_ = planes_.two();
    one_ = planes_.one(two_);
    last_sent_ = Vector::none();
    last_received_ = Vector::none();
  }

  template <bool kIsSink>
  STARLING_ARRIVAL_INLINE void transfer(int receiver, int sender, int segment, std::uint64_t counted) {
    catch_up();
    const Vector one = Vector::single(segment, 1);
    const Vector received = Vector::load(column(receiver));
    const Vector sent = Vector::load(column(sender));
    if constexpr (kIsSink) {
      const std::uint64_t held =
          r_.columns[static_cast<long>(receiver) * kWords + (segment >> 6)] >> (segment & 63) & 1;
      counted &= held;
      r_.held[receiver] = static_cast<std::uint16_t>(r_.held[receiver] + 1 - held);
    }
    last_sent_ = sent;
    last_received_ = Vector::single(segment, counted);
    (received & ~one).store(column(receiver));
    (sent & ~one).store(column(sender));
    r_.found[found_++] = {static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(sender),
                          static_cast<std::uint16_t>(segment)};
    if constexpr (kRowWords == 0) {
      r_.free[sender >> 6] &= ~bit_of(sender);
      row(segment)[sender >> 6] &= ~bit_of(sender);
      row(segment)[receiver >> 6] &= ~bit_of(receiver);
    } else {
      const Row gone = Row::single(sender, 1);
      free_ = free_ & ~gone;
      (Row::load(row(segment)) & ~(gone | Row::single(receiver, 1))).store(row(segment));
    }
    --r_.held[sender];
  }

  const FastRound r_;
  Planes<kWords, kDepth> planes_;
  Vector one_ = Vector::none();
  Vector two_ = Vector::none();
  Vector last_sent_ = Vector::none();
  Vector last_received_ = Vector::none();
  Row free_ = Row::none();
  int found_ = 0;
};

template <int kWords, int kDepth, int kRowWords>
__attribute__((noinline)) int play(FastRound& round) {
  FastKernel<kWords, kDepth, kRowWords> kernel(round);
  const int found = kernel.run();
  round.active_count -= kernel.end();
  return found;
}

/// The counts reach as many as take part.
template <int kWords>
int play_width(FastRound& round) {
  const int members = round.active_count;
  switch (round.row_words) {
    case 1: return members < 8 ? play<kWords, 3, 1>(round) : play<kWords, 7, 1>(round);
    case 4: return members < 32 ? play<kWords, 5, 4>(round) : play<kWords, 9, 4>(round);
    case 8: return members < 64 ? play<kWords, 6, 8>(round) : play<kWords, 10, 8>(round);
    default: return members < 512 ? play<kWords, 9, 0>(round) : play<kWords, 17, 0>(round);
  }
}

[[maybe_unused]] int run_fast_round(FastRound& round) {
  switch (round.words) {
    case 1: return play_width<1>(round);
    case 2: return play_width<2>(round);
    case 4: return play_width<4>(round);
    default: return play_width<8>(round);
  }
}

}  // namespace
}  // namespace starling::arrival
