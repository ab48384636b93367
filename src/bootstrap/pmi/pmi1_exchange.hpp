// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Pmi1Exchange: PMI-1, lines of text over an inherited socket. MPICH's hydra, Intel MPI's mpiexec and Flux speak it.
// Thread safety: as Exchange.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bootstrap/pmi/exchange.hpp"
#include "bootstrap/pmi/fields.hpp"
#include "bootstrap/pmi/wire.hpp"

namespace starling::bootstrap {

class Pmi1Exchange final : public Exchange {
 public:
  static Result<std::unique_ptr<Exchange>> open(Wire wire, WorldRank rank, std::int32_t size);

  Status put(std::string_view key, const std::string& value) override;
  Status fence(std::string_view step) override;
  Result<std::string> get(WorldRank owner, std::string_view key) override;
  void abort(int code, std::string_view why) noexcept override;
  void finalize() noexcept override;

 private:
  Pmi1Exchange(Place place, Wire wire, std::string space)
      : Exchange(std::move(place), wire.deadline_ms()), wire_(std::move(wire)), space_(std::move(space)) {}

  Wire wire_;
  std::string space_;  ///< the name under which the launcher keeps the texts of this job
};

}  // namespace starling::bootstrap
