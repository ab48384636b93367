// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stress/soak_plan.hpp"

#include <algorithm>
#include <random>

#include "support/pattern.hpp"

namespace starling::stress {
namespace {

using Random = std::mt19937_64;

int below(Random& random, int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); }

/// Mostly small, now and then up to the largest: every protocol gets its share of the messages.
int random_bytes(Random& random, int largest) {
  const int kind = below(random, 100);
  const int limit = kind < 60 ? 257 : kind < 85 ? 4097 : kind < 98 ? 65537 : largest + 1;
  return below(random, std::min(limit, largest + 1));
}

Mode random_mode(Random& random, Discipline discipline) {
  constexpr Mode kModes[] = {
      Mode::kIsend, Mode::kIsend, Mode::kIssend, Mode::kIbsend, Mode::kPersistent,  Mode::kPersistentSynchronous,
      Mode::kSend,  Mode::kSend,  Mode::kSsend,  Mode::kBsend,  Mode::kSendrecvHalf};
  constexpr int kNonblocking = 6;
  constexpr int kAll = static_cast<int>(std::size(kModes));
  return kModes[below(random, is_probed(discipline) ? kNonblocking : kAll)];
}

}  // namespace

int window_size(int ranks) { return 32 * ranks; }

Window make_window(const SoakOptions& options, int ranks, std::int64_t index) {
  Random random(tests::key_of(options.seed, index));
  Window window;
  window.wild = below(random, 2) == 0;
  // Each wildcard receive needs room for the largest message, so few windows have large ones.
  const int wild_largest = below(random, 8) == 0 ? options.largest_bytes : std::min(options.largest_bytes, 4096);
  // Now and then everybody talks to one rank.
  const int favourite = below(random, 4) == 0 ? below(random, ranks) : -1;
  for (int i = 0; i < window_size(ranks); ++i) {
    Message message{};
    message.source = below(random, ranks);
    message.destination = favourite >= 0 && below(random, 2) ? favourite : below(random, ranks);
    message.tag = below(random, kTags);
    message.discipline = static_cast<Discipline>(below(random, window.wild ? kDisciplines : 2));
    message.mode = random_mode(random, message.discipline);
    const bool specific = message.discipline == Discipline::kSpecific || is_probed(message.discipline);
    message.bytes = random_bytes(random, specific ? options.largest_bytes : wild_largest);
    if (is_buffered(message.mode)) message.bytes %= kLargestBuffered + 1;
    message.strided = below(random, 4) == 0;
    message.key = tests::key_of(options.seed, index, i);
    window.messages.push_back(message);
  }
  std::stable_partition(window.messages.begin(), window.messages.end(),
                        [](const Message& message) { return !is_blocking(message.mode); });
  return window;
}

}  // namespace starling::stress
