// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallTimer: what collective calls of the ranks of a communicator take, each by an algorithm that is named.
// Thread safety: for single-threaded processes; all ranks of the communicator make the same calls.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/ref.hpp"
#include "base/status.hpp"
#include "collective/collectives.hpp"
#include "world/world.hpp"

namespace starling::world {

/// Who is the root of calls that have one.
enum class Roots : std::uint8_t {
  kInTurn,  ///< each rank once, so that with two a message goes there and back
  kFirst,   ///< rank 0 of all calls
  kSecond,  ///< rank 1 of all calls
};

/// How often a call is made.
struct Patience {
  double figure_ns;         ///< so long in all, about
  std::int64_t warm_times;  ///< before that
  std::int64_t least_times;
};

class CallTimer {
 public:
  static constexpr std::int64_t kMostBytes = 1 << 20;

  CallTimer(World& world, Ref<comm::Communicator> ranks, const Patience& patience)
      : world_(world), ranks_(std::move(ranks)), patience_(patience), out_(kMostBytes / 8, 1.0), in_(kMostBytes / 8) {}

  /// On the slowest rank, in nanoseconds.
  double collective_ns(collective::Operation operation, const char* algorithm, double bytes,
                       Roots roots = Roots::kInTurn);
  /// What the call takes on its root, which is each rank in turn, so that no message of an earlier one is on its way.
  double root_ns(collective::Operation operation, const char* algorithm, double bytes);
  /// What an operation of all ranks takes on the slowest.
  double usual_ns(const std::function<void()>& operation);
  /// Within this rank's caches.
  double own_byte_ns();
  /// Rank 0 says whether there is another pass.
  bool goes_on(bool in_time);

  /// The first thing that went wrong; good: nothing has.
  [[nodiscard]] Status failure() const { return failure_.copy(); }
  void check(Status status) {
    if (!status.ok() && failure_.ok()) failure_ = std::move(status);
  }

 private:
  class Rooted;

  Ref<comm::Communicator> fresh();
  /// Of what each rank says.
  double slowest(double mine);
  double round_ns(const std::function<void()>& operation, std::int64_t times);

  World& world_;
  Ref<comm::Communicator> ranks_;
  Patience patience_;
  std::vector<double> out_;
  std::vector<double> in_;
  Status failure_;
};

/// A communicator of these ranks on a context that no other has, which its rank 0 has taken.
[[nodiscard]] Ref<comm::Communicator> communicator_of(const World& world, const Ref<comm::Group>& group,
                                                      std::uint32_t context);

/// The middle one of some values, of which there is one at least.
[[nodiscard]] double median(std::vector<double> values);
/// A quarter of them is smaller; of up to three the smallest. There has to be one.
[[nodiscard]] double lower_quartile(std::vector<double> values);

}  // namespace starling::world
