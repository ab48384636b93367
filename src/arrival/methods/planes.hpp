// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Bit vectors over the segments in the widest registers that the file is compiled for, and how many of the free
// processes hold each segment, kept as bit planes: bit k of every count lies in one vector, so that a process which
// leaves takes itself off all counts with a ripple borrow.
//
// Everything here is forced inline: a round is one function whose vectors stay in registers.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstdint>

#ifdef STARLING_ARRIVAL_SMALL
#define STARLING_ARRIVAL_INLINE inline
#else
#define STARLING_ARRIVAL_INLINE __attribute__((always_inline)) inline
#endif

namespace starling::arrival {
namespace {

#if defined(__AVX512F__)
constexpr int kWidestLane = 8;  // words
#elif defined(__AVX2__)
constexpr int kWidestLane = 4;
#else
constexpr int kWidestLane = 2;
#endif

alignas(64) constexpr std::uint64_t kNumbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
#if defined(__AVX2__)
alignas(64) constexpr std::uint64_t kFirstBits[8] = {0, 64, 128, 192, 256, 320, 384, 448};
#endif

STARLING_ARRIVAL_INLINE std::uint64_t bit_of(int index) { return std::uint64_t{1} << (index & 63); }

/// A vector of kWords words (a power of two up to eight) in registers.
template <int kWords>
struct Bits {
  static constexpr int kLaneWords = kWords > kWidestLane ? kWidestLane : kWords;
  static constexpr int kLanes = kWords / kLaneWords;
  typedef std::uint64_t Vector __attribute__((vector_size(8 * kLaneWords)));
  typedef std::uint64_t Memory __attribute__((vector_size(8 * kLaneWords), aligned(8), may_alias));

  Vector lane[kLanes];

  static STARLING_ARRIVAL_INLINE Bits load(const std::uint64_t* from) {
    Bits bits;
    for (int l = 0; l < kLanes; ++l) bits.lane[l] = reinterpret_cast<const Memory*>(from)[l];
    return bits;
  }
  STARLING_ARRIVAL_INLINE void store(std::uint64_t* to) const {
    for (int l = 0; l < kLanes; ++l) reinterpret_cast<Memory*>(to)[l] = lane[l];
  }
  static STARLING_ARRIVAL_INLINE Bits none() {
    Bits bits;
    for (int l = 0; l < kLanes; ++l) bits.lane[l] = Vector{};
    return bits;
  }
  /// The one bit `index`, if `bit` is 1.
  static STARLING_ARRIVAL_INLINE Bits single(int index, std::uint64_t bit) {
    Bits bits;
#if defined(__AVX512F__)
    // A shift by a word's width or more leaves nothing. (The masks are whole: what they would leave out of the plain
    // forms, g++ 12 takes for uninitialized.)
    const Vector shifts = Vector{} + static_cast<std::uint64_t>(index) - *reinterpret_cast<const Memory*>(kFirstBits);
    const Vector words = Vector{} + bit;
    if constexpr (kWords == 8) bits.lane[0] = (Vector)_mm512_maskz_sllv_epi64(0xff, (__m512i)words, (__m512i)shifts);
    if constexpr (kWords == 4) bits.lane[0] = (Vector)_mm256_maskz_sllv_epi64(0xf, (__m256i)words, (__m256i)shifts);
    if constexpr (kWords >= 4) return bits;
#elif defined(__AVX2__)
    if constexpr (kWords >= 4) {
      for (int l = 0; l < kLanes; ++l) {  // as above
        const Vector firsts = reinterpret_cast<const Memory*>(kFirstBits)[l];
        const Vector shifts = Vector{} + static_cast<std::uint64_t>(index) - firsts;
        bits.lane[l] = (Vector)_mm256_sllv_epi64((__m256i)(Vector{} + bit), (__m256i)shifts);
      }
      return bits;
    }
#endif
    for (int l = 0; l < kLanes; ++l) {
      const Vector numbers = reinterpret_cast<const Memory*>(kNumbers)[l];
      bits.lane[l] = (Vector)(numbers == static_cast<std::uint64_t>(index >> 6)) & (bit << (index & 63));
    }
    return bits;
  }
  /// This one if `first` is 1, else the other, which has all bits of this one.
  STARLING_ARRIVAL_INLINE Bits or_else(const Bits& other, std::uint64_t first) const {
    Bits bits;
    for (int l = 0; l < kLanes; ++l) bits.lane[l] = lane[l] | (other.lane[l] & (Vector{} + (first - 1)));
    return bits;
  }
  /// The first bit that is set, or -1.
  STARLING_ARRIVAL_INLINE int first() const {
    alignas(64) std::uint64_t words[kWords];
    store(words);
    const unsigned filled = words_filled();
    if (filled == 0) return -1;
    const int word = __builtin_ctz(filled);
    return 64 * word + __builtin_ctzll(words[word]);
  }
  /// A bit for each word that is not zero.
  STARLING_ARRIVAL_INLINE unsigned words_filled() const {
#if defined(__AVX512F__)
    if constexpr (kWords == 8) return _mm512_test_epi64_mask((__m512i)lane[0], (__m512i)lane[0]);
    if constexpr (kWords == 4) return _mm256_test_epi64_mask((__m256i)lane[0], (__m256i)lane[0]);
#elif defined(__AVX2__)
    if constexpr (kWords >= 4) {
      unsigned empty = 0;
      for (int l = 0; l < kLanes; ++l) {
        const __m256i zeros = (__m256i)(lane[l] == Vector{});
        empty |= static_cast<unsigned>(_mm256_movemask_pd((__m256d)zeros)) << (4 * l);
      }
      return ~empty & ((1U << kWords) - 1);
    }
#endif
    unsigned filled = 0;
    for (int w = 0; w < kWords; ++w) filled |= (lane[w / kLaneWords][w % kLaneWords] != 0 ? 1u : 0u) << w;
    return filled;
  }

#define STARLING_ARRIVAL_OPERATOR(op)                                             \
  friend STARLING_ARRIVAL_INLINE Bits operator op(const Bits& a, const Bits& b) { \
    Bits bits;                                                                    \
    for (int l = 0; l < kLanes; ++l) bits.lane[l] = a.lane[l] op b.lane[l];       \
    return bits;                                                                  \
  }
  STARLING_ARRIVAL_OPERATOR(&)
  STARLING_ARRIVAL_OPERATOR(|)
  STARLING_ARRIVAL_OPERATOR(^)
#undef STARLING_ARRIVAL_OPERATOR
  friend STARLING_ARRIVAL_INLINE Bits operator~(const Bits& a) {
    Bits bits;
    for (int l = 0; l < kLanes; ++l) bits.lane[l] = ~a.lane[l];
    return bits;
  }
};

/// One word needs no vector.
template <>
struct Bits<1> {
  std::uint64_t word;

  static STARLING_ARRIVAL_INLINE Bits load(const std::uint64_t* from) { return {*from}; }
  STARLING_ARRIVAL_INLINE void store(std::uint64_t* to) const { *to = word; }
  static STARLING_ARRIVAL_INLINE Bits none() { return {0}; }
  static STARLING_ARRIVAL_INLINE Bits single(int index, std::uint64_t bit) { return {bit << (index & 63)}; }
  STARLING_ARRIVAL_INLINE Bits or_else(const Bits& other, std::uint64_t first) const {
    return {first != 0 ? word : other.word};
  }
  STARLING_ARRIVAL_INLINE int first() const { return word == 0 ? -1 : __builtin_ctzll(word); }
  STARLING_ARRIVAL_INLINE unsigned words_filled() const { return word != 0 ? 1 : 0; }

  friend STARLING_ARRIVAL_INLINE Bits operator&(const Bits& a, const Bits& b) { return {a.word & b.word}; }
  friend STARLING_ARRIVAL_INLINE Bits operator|(const Bits& a, const Bits& b) { return {a.word | b.word}; }
  friend STARLING_ARRIVAL_INLINE Bits operator^(const Bits& a, const Bits& b) { return {a.word ^ b.word}; }
  friend STARLING_ARRIVAL_INLINE Bits operator~(const Bits& a) { return {~a.word}; }
};

/// One word in a vector register, for planes that are more than there are other registers.
class WordInVector {
 public:
  static STARLING_ARRIVAL_INLINE WordInVector of(const Bits<1>& bits) {
    WordInVector result;
    result.lane_ = Lane{bits.word, 0};
    return result;
  }
  static STARLING_ARRIVAL_INLINE WordInVector none() { return of(Bits<1>::none()); }
  [[nodiscard]] STARLING_ARRIVAL_INLINE Bits<1> bits() const { return {lane_[0]}; }

  friend STARLING_ARRIVAL_INLINE WordInVector operator&(WordInVector a, const WordInVector& b) {
    a.lane_ &= b.lane_;
    return a;
  }
  friend STARLING_ARRIVAL_INLINE WordInVector operator|(WordInVector a, const WordInVector& b) {
    a.lane_ |= b.lane_;
    return a;
  }
  friend STARLING_ARRIVAL_INLINE WordInVector operator^(WordInVector a, const WordInVector& b) {
    a.lane_ ^= b.lane_;
    return a;
  }
  friend STARLING_ARRIVAL_INLINE WordInVector operator~(WordInVector a) {
    a.lane_ = ~a.lane_;
    return a;
  }

 private:
  typedef std::uint64_t Lane __attribute__((vector_size(16)));
  Lane lane_;
};

/// How many of the free processes hold each segment; counts below 2^kDepth: the lowest bit of all counts, and the
/// planes above. No array, so that every plane has a register of its own.
template <typename Vector, int kDepth>
class Planes {
 public:
  STARLING_ARRIVAL_INLINE void clear() {
    low_ = Vector::none();
    high_.clear();
  }

  STARLING_ARRIVAL_INLINE void add(const Vector& carry) {
    const Vector both = low_ & carry;
    low_ = low_ ^ carry;
    high_.add(both);
  }

  /// Two bits of the same weight at once.
  STARLING_ARRIVAL_INLINE void add(const Vector& a, const Vector& b) {
    const Vector half = a ^ b;
    const Vector both = (a & b) | (low_ & half);
    low_ = low_ ^ half;
    high_.add(both);
  }

  /// Three at once: one adder first, then one ripple for all.
  STARLING_ARRIVAL_INLINE void add(const Vector& a, const Vector& b, const Vector& c) {
    const Vector half = a ^ b;
    const Vector low = half ^ c;
    const Vector both = (a & b) | (half & c);
    const Vector carry = low_ & low;
    low_ = low_ ^ low;
    high_.add(both, carry);
  }

  /// Takes off one who held `a`, and another who held `b`.
  STARLING_ARRIVAL_INLINE void subtract(const Vector& a, const Vector& b) {
    const Vector borrow = (~low_ & (a | b)) | (a & b);
    low_ = low_ ^ a ^ b;
    high_.subtract(borrow);
  }
  STARLING_ARRIVAL_INLINE void subtract(const Vector& a) {
    const Vector borrow = a & ~low_;
    low_ = low_ ^ a;
    high_.subtract(borrow);
  }

  /// Where a bit of the count is set, here or above.
  [[nodiscard]] STARLING_ARRIVAL_INLINE Vector any() const { return low_ | high_.any(); }
  [[nodiscard]] STARLING_ARRIVAL_INLINE const Vector& low() const { return low_; }
  [[nodiscard]] STARLING_ARRIVAL_INLINE const Planes<Vector, kDepth - 1>& high() const { return high_; }

 private:
  Vector low_;
  Planes<Vector, kDepth - 1> high_;
};

template <typename Vector>
class Planes<Vector, 0> {
 public:
  STARLING_ARRIVAL_INLINE void clear() {}
  STARLING_ARRIVAL_INLINE void add(const Vector&) {}
  STARLING_ARRIVAL_INLINE void add(const Vector&, const Vector&) {}
  STARLING_ARRIVAL_INLINE void subtract(const Vector&) {}
  [[nodiscard]] STARLING_ARRIVAL_INLINE Vector any() const { return Vector::none(); }
};

}  // namespace
}  // namespace starling::arrival
