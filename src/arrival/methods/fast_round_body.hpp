// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The body of fast_round.hpp, included once for each instruction set: picks the kernel of the round's widths.
#pragma once

#include "arrival/methods/fast_kernel.hpp"

namespace starling::arrival {
namespace {

template <int kWords, int kDepth, int kRowWords>
__attribute__((noinline)) int play(FastRound& round) {
  FastKernel<kWords, kDepth, kRowWords> kernel(round);
  const int found = kernel.run();
  round.active_count -= kernel.end();
  return found;
}

/// The counts reach as many as take part: kFew bits of them where that is enough, else kMany. Rows get wider with their
/// number, so that hardly fewer take part than half of what kFew bits count.
template <int kWords, int kRowWords, int kFew, int kMany>
int play_depth(FastRound& round) {
  if (round.active_count < 1 << kFew) return play<kWords, kFew, kRowWords>(round);
  return play<kWords, kMany, kRowWords>(round);
}

template <int kWords>
int play_width(FastRound& round) {
  switch (round.row_words) {
    case 1: return play_depth<kWords, 1, 3, 7>(round);
    case 4: return play_depth<kWords, 4, 7, 9>(round);
    case 8: return play_depth<kWords, 8, 8, 10>(round);
    default: return play_depth<kWords, 0, 9, 17>(round);
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
