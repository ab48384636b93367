// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The soak's plan: which rank sends what to whom, the same on every rank because it comes from the seed alone.
//
// Messages come in windows. A window cannot deadlock: every rank first does what never blocks (posts its receives,
// starts its nonblocking sends), then its blocking sends, which only go to communicators whose receives were all
// posted, then it probes, then it waits. Windows with wildcards end in a barrier, so that a wildcard never takes the
// next window's message. Thread safety: pure functions and values.
#pragma once

#include <cstdint>
#include <vector>

namespace starling::stress {

struct SoakOptions {
  std::uint64_t seed = 1;
  std::int64_t messages = 100000;  ///< of the whole job
  int largest_bytes = 1 << 20;
};

enum class Mode : std::uint8_t {
  // Nonblocking: in a window these come first.
  kIsend,
  kIssend,
  kIbsend,
  kPersistent,
  kPersistentSynchronous,
  // Blocking.
  kSend,
  kSsend,
  kBsend,
  kSendrecvHalf,  ///< the sending half of an MPI_Sendrecv whose other half is nobody
};
constexpr bool is_blocking(Mode mode) { return mode >= Mode::kSend; }
constexpr bool is_buffered(Mode mode) { return mode == Mode::kIbsend || mode == Mode::kBsend; }
constexpr int kLargestBuffered = 4096;

/// How the receives of a communicator are done. The soak has one communicator for each.
enum class Discipline : std::uint8_t {
  kSpecific,   ///< source and tag
  kAnyTag,     ///< source, any tag
  kAnySource,  ///< any source, tag
  kAny,        ///< any source, any tag
  kProbe,      ///< probe any, then receive
  kMatched,    ///< matched probe any, then matched receive
};
constexpr int kDisciplines = 6;
constexpr bool is_probed(Discipline discipline) { return discipline >= Discipline::kProbe; }
/// A wildcard source could take a message of the next window.
constexpr bool is_wild(Discipline discipline) { return discipline >= Discipline::kAnySource; }

constexpr int kTags = 5;

struct Message {
  int source;
  int destination;
  int tag;
  int bytes;
  Discipline discipline;
  Mode mode;
  bool strided;       ///< the sender's layout has gaps
  std::uint64_t key;  ///< of its pattern: differs for every message of the run
};

struct Window {
  std::vector<Message> messages;  ///< in the order in which each source sends
  bool wild = false;              ///< ends with a barrier
};

Window make_window(const SoakOptions& options, int ranks, std::int64_t index);

/// Messages in each window of a job with so many ranks.
int window_size(int ranks);

}  // namespace starling::stress
