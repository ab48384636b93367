// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The text of fast_round.hpp, included once for each instruction set.
//
// A receiver's segment is the first bit of its column among those that somebody can still send. That mask is not kept
// exactly: it may name segments that nobody but the receiver can send, never miss one. So a look at the segment's row
// decides, and the mask is made exact only when looks have failed.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "arrival/fast_round.hpp"

namespace starling::arrival {
namespace {

constexpr int kNone = -1;
#ifdef FAST_STATS
inline long g_fail, g_refresh, g_refresh_cols, g_recv, g_none, g_rounds;
#endif

inline std::uint64_t bit_of(int index) { return std::uint64_t{1} << (index & 63); }

/// Bits over the segments; kWords > 0 fixes how many words, 0 reads it.
template <int kWords>
struct Mask {
  static constexpr int kRoom = kWords > 0 ? kWords : 1024;
  alignas(64) std::uint64_t word[kRoom];
};

template <int kWords, bool kOneRowWord>
class FastKernel {
 public:
  explicit FastKernel(FastRound& round) : r_(round) {}

  int run() {
    start();
    receive<true>(r_.sink);
    const int head_word = kOneRowWord ? 0 : r_.head >> 6;
    const std::uint64_t high = ~std::uint64_t{0} << (r_.head & 63);
    visit(head_word, r_.active[head_word] & high);
    if constexpr (!kOneRowWord) {
      for (int w = head_word + 1; w < r_.row_words; ++w) visit(w, r_.active[w]);
      for (int w = 0; w < head_word; ++w) visit(w, r_.active[w]);
    }
    visit(head_word, r_.active[head_word] & ~high);
    end_round();
    return found_;
  }

 private:
  [[nodiscard]] int words() const { return kWords > 0 ? kWords : r_.words; }
  [[nodiscard]] std::uint64_t* column(int place) const { return r_.columns + static_cast<long>(place) * words(); }
  [[nodiscard]] std::uint64_t& row(int segment, int word) const {
    return r_.rows[static_cast<long>(segment) * (kOneRowWord ? 1 : r_.row_words) + word];
  }

  /// Free places lie in the order of the round: word 0 is the head's word from the head on, the last its other half.
  void start() {
    if constexpr (kOneRowWord) {
      free_ = r_.active[0];
      if (r_.silent != kNone) free_ &= ~bit_of(r_.silent);
      free_count_ = __builtin_popcountll(free_);
    } else {
      const int head_word = r_.head >> 6;
      const std::uint64_t high = ~std::uint64_t{0} << (r_.head & 63);
      int to = 0;
      r_.free[to++] = r_.active[head_word] & high;
      for (int w = head_word + 1; w < r_.row_words; ++w) r_.free[to++] = r_.active[w];
      for (int w = 0; w < head_word; ++w) r_.free[to++] = r_.active[w];
      r_.free[to] = r_.active[head_word] & ~high;
      if (r_.silent != kNone) r_.free[free_word(r_.silent)] &= ~bit_of(r_.silent);
      free_count_ = 0;
      for (int w = 0; w <= r_.row_words; ++w) free_count_ += __builtin_popcountll(r_.free[w]);
      for (int j = 0; j < r_.segments; ++j) r_.hints[j] = 0;
    }
    for (int w = 0; w < words(); ++w) live_.word[w] = ~std::uint64_t{0};
    const int rest = r_.segments & 63;
    if (rest != 0) live_.word[words_used() - 1] = (std::uint64_t{1} << rest) - 1;
    for (int w = words_used(); w < words(); ++w) live_.word[w] = 0;
  }
  [[nodiscard]] int words_used() const { return (r_.segments + 63) >> 6; }

  /// Where the bit of a place lies among the free words.
  [[nodiscard]] int free_word(int place) const {
    const int head_word = r_.head >> 6;
    const int word = (place >> 6) - head_word;
    if (word > 0) return word;
    if (word < 0) return word + r_.row_words;
    return (place & 63) >= (r_.head & 63) ? 0 : r_.row_words;
  }

  [[nodiscard]] std::uint64_t& free_bits(int place) {
    if constexpr (kOneRowWord) return free_;
    return r_.free[free_word(place)];
  }

  void visit(int word, std::uint64_t places) {
    for (; places != 0; places &= places - 1) {
      const int place = 64 * word + __builtin_ctzll(places);
      if (place != r_.sink) receive<false>(place);
    }
  }

  /// The first bit of a & b, or kNone.
  [[nodiscard]] int first(const std::uint64_t* a, const Mask<kWords>& b) const {
#if defined(__AVX512F__)
    if constexpr (kWords == 8) {
      const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a), _mm512_load_si512(b.word));
      const __mmask8 filled = _mm512_test_epi64_mask(both, both);
      if (filled == 0) return kNone;
      const int w = __builtin_ctz(filled);
      return 64 * w + __builtin_ctzll(a[w] & b.word[w]);
    }
#endif
    for (int w = 0; w < words(); ++w) {
      const std::uint64_t both = a[w] & b.word[w];
      if (both != 0) return 64 * w + __builtin_ctzll(both);
    }
    return kNone;
  }

  enum class Row { kSomebody, kOnlyReceiver, kNobody };

  /// The first free place in the segment's row but the receiver's own.
  Row first_holder(int segment, int receiver, int* holder) {
    if constexpr (kOneRowWord) {
      const std::uint64_t all = row(segment, 0) & free_;
      const std::uint64_t others = all & ~bit_of(receiver);
      if (others == 0) return all == 0 ? Row::kNobody : Row::kOnlyReceiver;
      const std::uint64_t from_head = others & (~std::uint64_t{0} << r_.head);
      *holder = __builtin_ctzll(from_head != 0 ? from_head : others);
      return Row::kSomebody;
    } else {
      const int head_word = r_.head >> 6;
      int w = r_.hints[segment];
      std::uint64_t all = 0;
      for (; w <= r_.row_words; ++w) {
        const int physical = head_word + w < r_.row_words ? head_word + w : head_word + w - r_.row_words;
        all = row(segment, physical) & r_.free[w];
        if (all != 0) break;
      }
      r_.hints[segment] = static_cast<std::uint16_t>(w);
      if (w > r_.row_words) return Row::kNobody;
      const int own_word = free_word(receiver);
      for (;;) {
        const int physical = head_word + w < r_.row_words ? head_word + w : head_word + w - r_.row_words;
        all = row(segment, physical) & r_.free[w];
        if (w == own_word) all &= ~bit_of(receiver);
        if (all != 0) {
          *holder = 64 * physical + __builtin_ctzll(all);
          return Row::kSomebody;
        }
        if (++w > r_.row_words) return Row::kOnlyReceiver;
      }
    }
  }

  template <bool kIsSink>
  void receive(int receiver) {
#ifdef FAST_STATS
    ++g_recv;
#endif
    const std::uint64_t* wants = kIsSink ? live_.word : column(receiver);
    int segment = first(wants, live_);
    if (segment == kNone) return;
    int holder = kNone;
    const Row row = first_holder(segment, receiver, &holder);
    if (row != Row::kSomebody) {
      segment = search(wants, receiver, segment, row, &holder);
      if (segment == kNone) return;
    }
    transfer(receiver, holder, segment);
  }

  /// After a look that failed.
  __attribute__((noinline)) int search(const std::uint64_t* wants, int receiver, int segment, Row failed, int* holder) {
    Mask<kWords> rest = live_;
    for (;;) {
#ifdef FAST_STATS
      ++g_fail;
#endif
      rest.word[segment >> 6] &= ~bit_of(segment);
      if (failed == Row::kNobody) live_.word[segment >> 6] &= ~bit_of(segment);
      segment = first(wants, rest);
#ifdef FAST_STATS
      if (segment==kNone) ++g_none;
#endif
      if (segment == kNone) return kNone;
      failed = first_holder(segment, receiver, holder);
      if (failed == Row::kSomebody) return segment;
    }
  }

  void transfer(int receiver, int sender, int segment) {
    r_.found[found_++] = {static_cast<std::uint16_t>(receiver), static_cast<std::uint16_t>(sender),
                          static_cast<std::uint16_t>(segment)};
    free_bits(sender) &= ~bit_of(sender);
    --free_count_;
    column(sender)[segment >> 6] &= ~bit_of(segment);
    row(segment, kOneRowWord ? 0 : sender >> 6) &= ~bit_of(sender);
    row(segment, kOneRowWord ? 0 : receiver >> 6) &= ~bit_of(receiver);
    --r_.held[sender];
  }

  /// What was received can be sent from now on, who has nothing left leaves, and places become processes.
  void end_round() {
    for (int i = 0; i < found_; ++i) {
      const auto [receiver, sender, segment] = r_.found[i];
      std::uint64_t& word = column(receiver)[segment >> 6];
      r_.held[receiver] = static_cast<std::uint16_t>(r_.held[receiver] + ((word & bit_of(segment)) == 0 ? 1 : 0));
      word |= bit_of(segment);
      row(segment, kOneRowWord ? 0 : receiver >> 6) |= bit_of(receiver);
    }
    for (int i = 0; i < found_; ++i) {
      Transfer& transfer = r_.found[i];
      const int sender = transfer.sender;
      if (r_.held[sender] == 0 && sender != r_.root) {
        r_.active[sender >> 6] &= ~bit_of(sender);
        --r_.active_count;
      }
      transfer.receiver = r_.process[transfer.receiver];
      transfer.sender = r_.process[sender];
    }
  }

  FastRound& r_;
  Mask<kWords> live_;
  std::uint64_t free_ = 0;
  int free_count_ = 0;
  int found_ = 0;
};

template <int kWords>
int run_width(FastRound& round) {
  return round.row_words == 1 ? FastKernel<kWords, true>(round).run() : FastKernel<kWords, false>(round).run();
}

int run_fast_round(FastRound& round) {
#ifdef FAST_STATS
  ++g_rounds;
#endif
  switch (round.words) {
    case 1: return run_width<1>(round);
    case 2: return run_width<2>(round);
    case 4: return run_width<4>(round);
    case 8: return run_width<8>(round);
    default: return run_width<0>(round);
  }
}

}  // namespace
}  // namespace starling::arrival
