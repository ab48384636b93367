// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FastKernel: one round of the fast method, on columns, counts and rows of fixed widths. Included once for each
// instruction set (fast_round_body.hpp).
//
// A receiver's segment is the first bit of its column among those that somebody else can still send.
//
// One search must know the sender that the last one found, so the way from sender to sender is what a round takes.
// Where it crosses between vectors and words it is cut twice (kDelayed): a search starts from the segments that could
// be sent before the last transfer, a guess that mostly is right and that a jump corrects; and a sender's column is
// stored one transfer later, so that the processor need not know the last sender before it loads the next receiver's
// column.
#pragma once

#include <type_traits>

#include "arrival/methods/fast_round.hpp"
#include "arrival/methods/planes.hpp"

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
    put_down();
    return found_;
  }

  /// What was received can be sent from now on, who has nothing left leaves, and places become processes. Returns how
  /// many left.
  STARLING_ARRIVAL_INLINE int end() {
    int left = 0;
    for (int i = 0; i < found_; ++i) hold_received(r_.found[i]);
    for (int i = 0; i < found_; ++i) {
      left += leave_if_done(r_.found[i].sender);
      name_processes(r_.found[i]);
    }
    return left;
  }

 private:
  using Vector = Bits<kWords>;
  using Row = Bits<kRowWords == 0 ? 1 : kRowWords>;
  /// Scalars are quick enough without.
  static constexpr bool kDelayed = kWords > 1 && kRowWords != 1;
  static constexpr bool kPlanesApart = kWords == 1 && kDepth > 8;
  using Plane = std::conditional_t<kPlanesApart, WordInVector, Vector>;

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
    count_holders();
    look_at_counts();
    one_ = at_least_.one;
    two_ = at_least_.two;
    guess_one_ = one_;
    guess_two_ = two_;
    if constexpr (kRowWords == 0) {
      for (int j = 0; j < r_.segments; ++j) r_.hints[j] = 0;
    } else {
      free_ = Row::load(r_.free);
    }
    if constexpr (kRowWords > 1) {
      alignas(64) std::uint64_t words[kRowWords];
      for (int w = 0; w < kRowWords; ++w) words[w] = ~std::uint64_t{0};
      words[r_.head >> 6] <<= r_.head & 63;
      from_head_ = Row::load(words);
      for (int place = 0; place < 64 * kRowWords; ++place) unsent_[place] = 1;
      if (r_.silent != kNone) unsent_[r_.silent] = 0;
    }
  }

  STARLING_ARRIVAL_INLINE void count_holders() {
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
          planes_.add(counted(waiting[0]), counted(waiting[1]), counted(waiting[2]));
          count = 0;
        }
      }
    }
    for (int i = 0; i < count; ++i) planes_.add(counted(waiting[i]));
  }

  static STARLING_ARRIVAL_INLINE Plane counted(const std::uint64_t* from) { return counted(Vector::load(from)); }
  static STARLING_ARRIVAL_INLINE Plane counted(const Vector& vector) {
    if constexpr (kPlanesApart) {
      return WordInVector::of(vector);
    } else {
      return vector;
    }
  }
  static STARLING_ARRIVAL_INLINE Vector bits(const Plane& plane) {
    if constexpr (kPlanesApart) {
      return plane.bits();
    } else {
      return plane;
    }
  }

  STARLING_ARRIVAL_INLINE std::uint64_t is_free(int place) const {
    if constexpr (kRowWords > 1) return unsent_[place];
    if constexpr (kRowWords == 1) return free_.word >> place & 1;
    return r_.free[place >> 6] >> (place & 63) & 1;
  }

  /// The first free place in the segment's row but the receiver's own; there is one.
  STARLING_ARRIVAL_INLINE int holder(int segment, int receiver) const {
    if constexpr (kRowWords == 0) {
      return holder_in_memory(segment, receiver);
    } else if constexpr (kRowWords == 1) {
      const std::uint64_t others = (Row::load(row(segment)) & free_ & ~Row::single(receiver, 1)).word;
      return (__builtin_ctzll(others >> r_.head | others << (-r_.head & 63)) + r_.head) & 63;
    } else {
      const Row others = Row::load(row(segment)) & free_ & ~Row::single(receiver, 1);
      alignas(64) std::uint64_t words[kRowWords];
      others.store(words);
      const int head_word = r_.head >> 6;
      // The words in the order of the round; of the head's own only what lies before the head may be left.
      const unsigned turns = (others & from_head_).words_filled() * ((1u << kRowWords) + 1) >> head_word;
      const int turn = __builtin_ctz(turns | 1u << kRowWords);  // no jump, which would be guessed wrong too often
      const int word = (turn + head_word) & (kRowWords - 1);
      const std::uint64_t places = words[word] & (~std::uint64_t{0} << (turn == 0 ? r_.head & 63 : 0));
      return 64 * word + __builtin_ctzll(places);
    }
  }

  STARLING_ARRIVAL_INLINE int holder_in_memory(int segment, int receiver) const {
    const std::uint64_t* bits = row(segment);
    int w = r_.hints[segment];
    while (w <= row_words() && (bits[physical(w)] & r_.free[physical(w)] & half(w)) == 0) ++w;
    r_.hints[segment] = static_cast<std::uint16_t>(w);  // nobody before this word becomes free again in this round
    for (;; ++w) {
      const int word = physical(w);
      std::uint64_t others = bits[word] & r_.free[word] & half(w);
      if (word == receiver >> 6) others &= ~bit_of(receiver);
      if (others != 0) return 64 * word + __builtin_ctzll(others);
    }
  }

  template <bool kIsSink>
  STARLING_ARRIVAL_INLINE void receive(int receiver) {
    std::uint64_t free = is_free(receiver);
    Vector own = Vector::load(column(receiver));
    if (kDelayed && receiver == sender_) [[unlikely]] {
      own = sender_column_;
      free = 0;
      asm("" : "+r"(free));  // a jump: nobody shall wait to know the last sender
    }
    const Vector wanted = wanted_of<kIsSink>(own, two_.or_else(one_, free), one_);
    int segment = wanted.first();
    if constexpr (kDelayed) {
      int guess = wanted_of<kIsSink>(own, guess_two_.or_else(guess_one_, free), guess_one_).first();
      int hidden = guess;
      asm("" : "+r"(hidden));  // a jump again: what follows shall start from the guess
      if (hidden != segment) [[unlikely]]
        guess = segment;
      segment = guess;
    }
    if (segment == kNone) return;
    transfer<kIsSink>(receiver, own, holder(segment, receiver), segment, free);
  }

  /// The sink takes what anyone else can send, whether it holds it itself or not.
  template <bool kIsSink>
  static STARLING_ARRIVAL_INLINE Vector wanted_of(const Vector& own, const Vector& to_holder, const Vector& to_others) {
    if constexpr (kIsSink) return (to_holder & own) | (to_others & ~own);
    return to_holder & own;
  }

  template <bool kIsSink>
  STARLING_ARRIVAL_INLINE void transfer(int receiver, const Vector& received, int sender, int segment,
                                        std::uint64_t counted) {
    const Vector one = Vector::single(segment, 1);
    const Vector sent = Vector::load(column(sender));
    if constexpr (kIsSink) {
      const std::uint64_t held = column(receiver)[segment >> 6] >> (segment & 63) & 1;
      counted &= held;
    }
    take_off(sent, Vector::single(segment, counted));
    (received & ~one).store(column(receiver));
    put_down();
    sender_ = sender;
    sender_column_ = sent & ~one;
    if constexpr (!kDelayed) put_down();
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
  }

  /// Stores what the last sender still holds.
  STARLING_ARRIVAL_INLINE void put_down() {
    if (sender_ == kNone) return;
    sender_column_.store(column(sender_));
    if constexpr (kRowWords > 1) unsent_[sender_] = 0;
    sender_ = kNone;
  }

  /// Takes the sender, and what the receiver may not send on, off the counts. The next search starts from the counts
  /// before and the sender's column, so that it overlaps the trip through the planes.
  STARLING_ARRIVAL_INLINE void take_off(const Vector& sent, const Vector& received) {
    const Vector one = at_least_.two | (at_least_.one & ~received);
    const Vector two = at_least_.three | (at_least_.two & ~received);
    const Vector three = at_least_.four | (at_least_.three & ~received);
    guess_one_ = one_;
    guess_two_ = two_;
    one_ = two | (one & ~sent);
    two_ = three | (two & ~sent);
    planes_.subtract(counted(sent), counted(received));
    look_at_counts();
  }

  STARLING_ARRIVAL_INLINE void look_at_counts() {
    const Plane four = planes_.high().high().any();
    const Plane& second = planes_.high().low();
    at_least_.four = bits(four);
    at_least_.three = bits(four | (planes_.low() & second));
    at_least_.two = bits(four | second);
    at_least_.one = bits(four | second | planes_.low());
  }

  /// The receiver can send it on from the next round on.
  STARLING_ARRIVAL_INLINE void hold_received(const Transfer& transfer) {
    column(transfer.receiver)[kWords == 1 ? 0 : transfer.segment >> 6] |= bit_of(transfer.segment);
    row(transfer.segment)[kRowWords == 1 ? 0 : transfer.receiver >> 6] |= bit_of(transfer.receiver);
  }

  /// How many leave: one or none.
  STARLING_ARRIVAL_INLINE int leave_if_done(int sender) {
    if (Vector::load(column(sender)).words_filled() != 0 || sender == r_.root) return 0;
    r_.active[kRowWords == 1 ? 0 : sender >> 6] &= ~bit_of(sender);
    return 1;
  }

  STARLING_ARRIVAL_INLINE void name_processes(Transfer& transfer) {
    transfer.receiver = r_.process[transfer.receiver];
    transfer.sender = r_.process[transfer.sender];
  }

  const FastRound r_;
  Planes<Plane, kDepth> planes_;
  struct AtLeast {
    Vector one, two, three, four;
  };
  AtLeast at_least_;  ///< so many free processes hold the segment, by the planes
  Vector one_;        ///< at least one free process does, now
  Vector two_;
  Vector guess_one_;  ///< before the last transfer
  Vector guess_two_;
  int sender_ = kNone;  ///< whose column is not stored yet
  Vector sender_column_ = Vector::none();
  Row free_ = Row::none();
  Row from_head_ = Row::none();
  std::uint8_t unsent_[kRowWords > 1 ? 64 * kRowWords : 1];
  int found_ = 0;
};

}  // namespace
}  // namespace starling::arrival
