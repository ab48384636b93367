// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Bit vectors over the segments in the widest registers that the file is compiled for, and how many of the free
// processes hold each segment, kept as bit planes: bit k of every count lies in one vector, so that a process which
// leaves takes itself off all counts with a ripple borrow.
//
// Everything here is forced inline: a round is one function whose vectors stay in registers.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstdint>

#define STARLING_ARRIVAL_INLINE __attribute__((always_inline)) inline

namespace starling::arrival {
namespace {

#if defined(__AVX512F__)
constexpr int kWidestLane = 8;  // words
#else
constexpr int kWidestLane = 2;
#endif

alignas(64) constexpr std::uint64_t kNumbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};

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
    for (int l = 0; l < kLanes; ++l) {
      const Vector numbers = reinterpret_cast<const Memory*>(kNumbers)[l];
      bits.lane[l] = (Vector)(numbers == static_cast<std::uint64_t>(index >> 6)) & (bit << (index & 63));
    }
    return bits;
  }
  /// This one if `first` is 1, else the other.
  STARLING_ARRIVAL_INLINE Bits or_else(const Bits& other, std::uint64_t first) const {
    Bits bits;
    const std::uint64_t mask = ~(first - 1);
    for (int l = 0; l < kLanes; ++l) bits.lane[l] = (lane[l] & mask) | (other.lane[l] & ~mask);
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

/// How many of the free processes hold each segment; counts below 2^kDepth.
template <int kWords, int kDepth>
class Planes {
 public:
  using Vector = Bits<kWords>;

  STARLING_ARRIVAL_INLINE void clear() {
    for (int k = 0; k < kDepth; ++k) plane_[k] = Vector::none();
  }

  STARLING_ARRIVAL_INLINE void add(Vector carry) {
    for (int k = 0; k < kDepth; ++k) {
      const Vector both = plane_[k] & carry;
      plane_[k] = plane_[k] ^ carry;
      carry = both;
    }
  }

  /// Three at once: one adder first, then one ripple for all.
  STARLING_ARRIVAL_INLINE void add(const Vector& a, const Vector& b, const Vector& c) {
    Vector low{}, high{}, carry{};
    sum(a, b, c, &low, &high);
    carry = plane_[0] & low;
    plane_[0] = plane_[0] ^ low;
    if constexpr (kDepth > 1) sum(plane_[1], high, carry, &plane_[1], &carry);
    for (int k = 2; k < kDepth; ++k) {
      const Vector both = plane_[k] & carry;
      plane_[k] = plane_[k] ^ carry;
      carry = both;
    }
  }

  /// Takes off one who held `a`, and another who held `b`.
  STARLING_ARRIVAL_INLINE void subtract(const Vector& a, const Vector& b) {
    const Vector low = plane_[0];
    plane_[0] = low ^ a ^ b;
    Vector borrow = (~low & (a | b)) | (a & b);
    for (int k = 1; k < kDepth; ++k) {
      const Vector before = plane_[k];
      plane_[k] = before ^ borrow;
      borrow = borrow & ~before;
    }
  }

  /// The segments that at least two hold, and that at least one does.
  STARLING_ARRIVAL_INLINE Vector two() const {
    Vector above = Vector::none();
    for (int k = 1; k < kDepth; ++k) above = above | plane_[k];
    return above;
  }
  STARLING_ARRIVAL_INLINE Vector one(const Vector& two) const { return two | plane_[0]; }

 private:
  static STARLING_ARRIVAL_INLINE void sum(const Vector a, const Vector b, const Vector c, Vector* low, Vector* high) {
    const Vector half = a ^ b;
    *low = half ^ c;
    *high = (a & b) | (half & c);
  }

  Vector plane_[kDepth];
};

}  // namespace
}  // namespace starling::arrival
