// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/late/watched.hpp"

namespace starling::collective {
namespace {

/// Leaves the call also where it is broken off.
class Leaving {
 public:
  Leaving(ArrivalTracker& tracker, std::uint64_t number) noexcept : tracker_(tracker), number_(number) {}
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;
  ~Leaving() { tracker_.leave(number_); }

 private:
  ArrivalTracker& tracker_;
  std::uint64_t number_;
};

}  // namespace

Task run_watched(Call& call, Arguments arguments, std::optional<ArrivalPrediction> prediction,
                 const Algorithm& algorithm, ArrivalTracker& tracker, std::uint64_t number) {
  const Leaving leaving(tracker, number);
  arguments.prediction = prediction ? &*prediction : nullptr;  // of this frame
  co_await algorithm.run(call, arguments);
}

}  // namespace starling::collective
