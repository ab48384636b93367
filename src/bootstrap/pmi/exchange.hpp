// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Exchange: what another MPI's launcher, or a batch system, offers to the processes that it has started: the place of
// each, texts that all can read, and a fence. Three protocols do this: PMI-1 and PMI-2, texts over an inherited socket
// (Balaji et al., "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems", EuroMPI 2010), and
// PMIx, a library (the PMIx standard, version 4).
//
// Who waits in vain learns it: a launcher need not notice that a process died before MPI_Init, or never began. So no
// wait is longer than the deadline (STARLING_INIT_DEADLINE_MS).
// Thread safety: one thread at a time; abort() from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"

namespace starling::bootstrap {

class Exchange {
 public:
  /// The place of this process among those that were started together.
  struct Place {
    WorldRank rank{0};
    std::int32_t size = 1;
    std::int32_t app_number = 0;         ///< MPI_APPNUM
    std::vector<WorldRank> on_own_node;  ///< the ranks of this node, ascending, this one among them
  };

  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  [[nodiscard]] const Place& place() const noexcept { return place_; }

  /// Leaves a text for the others, who can read it after the next fence. The value is of letters, digits and "-+._".
  virtual Status put(std::string_view key, const std::string& value) = 0;
  /// Returns when all processes are here. kProcFailed when some have not come by the deadline; `step` is what they have
  /// not done, as an infinitive.
  virtual Status fence(std::string_view step) = 0;
  /// What a rank has put before a fence.
  virtual Result<std::string> get(WorldRank owner, std::string_view key) = 0;

  /// Whether the launcher ends all processes when one of them dies.
  [[nodiscard]] virtual bool ends_job_at_deaths() const noexcept { return true; }
  /// Asks the launcher to end all processes; returns.
  virtual void abort(int code, std::string_view why) noexcept = 0;
  /// This process takes leave: from now on it may end by itself. No other function may be called afterwards.
  virtual void finalize() noexcept = 0;

 protected:
  /// deadline_ms: how long a process waits for the others, or for an answer; 0: without end.
  Exchange(Place place, std::int64_t deadline_ms) : place_(std::move(place)), deadline_ms_(deadline_ms) {}

  [[nodiscard]] std::int64_t deadline_ms() const noexcept { return deadline_ms_; }
  /// The failure of a fence, which the launcher's protocol calls `call`.
  [[nodiscard]] Status others_are_missing(std::string_view step, std::string_view call) const;

 private:
  Place place_;
  std::int64_t deadline_ms_;
};

}  // namespace starling::bootstrap
