// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Pmi2Exchange: PMI-2, messages over an inherited socket, each behind its length in six characters. srun --mpi=pmi2
// speaks it. Thread safety: as Exchange.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bootstrap/pmi/exchange.hpp"
#include "bootstrap/pmi/wire.hpp"

namespace starling::bootstrap {

class Pmi2Exchange final : public Exchange {
 public:
  /// job: as the launcher names it (PMI_JOBID). The launcher's word for rank and size counts.
  static Result<std::unique_ptr<Exchange>> open(Wire wire, WorldRank rank, std::string job);

  Status put(std::string_view key, const std::string& value) override;
  Status fence(std::string_view step) override;
  Result<std::string> get(WorldRank owner, std::string_view key) override;
  /// srun goes on without the dead unless it is told otherwise (--kill-on-bad-exit).
  [[nodiscard]] bool ends_job_at_deaths() const noexcept override { return false; }
  void abort(int code, std::string_view why) noexcept override;
  void finalize() noexcept override;

 private:
  Pmi2Exchange(Place place, Wire wire, std::string job)
      : Exchange(std::move(place), wire.deadline_ms()), wire_(std::move(wire)), job_(std::move(job)) {}

  Wire wire_;
  std::string job_;
};

}  // namespace starling::bootstrap
