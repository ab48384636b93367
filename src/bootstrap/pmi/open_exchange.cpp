// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/pmi/open_exchange.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "bootstrap/pmi/pmi1_exchange.hpp"
#include "bootstrap/pmi/pmi2_exchange.hpp"
#include "bootstrap/pmi/pmix_exchange.hpp"

namespace starling::bootstrap {
namespace {

STARLING_CONFIG(
    init_deadline_ms, "INIT_DEADLINE_MS", std::int64_t, 60'000, kProcess, kProcess,
    "Milliseconds that a rank which another launcher has started waits in MPI_Init for the other ranks, "
    "before it ends the job, up to 86400000; 0: without end. mpiexec learns of ranks that do not come by itself.");

constexpr const char* kPmixVariables[] = {"PMIX_NAMESPACE", "PMIX_RANK"};
constexpr const char* kPmiVariables[] = {"PMI_FD", "PMI_RANK", "PMI_SIZE", "PMI_JOBID"};

Result<std::int64_t> deadline_ms_of(const config::Store& config) {
  constexpr std::int64_t kMost = 86'400'000;
  const std::int64_t asked = config.get(init_deadline_ms);
  if (asked >= 0 && asked <= kMost) return asked;
  return Status::error(
      ErrorClass::kArg,
      formatted("STARLING_INIT_DEADLINE_MS={} is not possible: it takes 1 to {} milliseconds, or 0 for "
                "no deadline",
                asked, kMost));
}

std::optional<std::int32_t> number_of_variable(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  std::int32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc() || rest != end || value < 0) return std::nullopt;
  return value;
}

Result<std::unique_ptr<Exchange>> open_pmi(std::int64_t deadline_ms) {
  const std::optional<std::int32_t> descriptor = number_of_variable("PMI_FD");
  const std::optional<std::int32_t> rank = number_of_variable("PMI_RANK");
  const std::optional<std::int32_t> size = number_of_variable("PMI_SIZE");
  const char* const job = std::getenv("PMI_JOBID");  // the mark of PMI-2
  if (!descriptor || !rank || (job == nullptr && (!size || *rank >= *size))) {
    return Status::error(ErrorClass::kOther, "PMI_FD, PMI_RANK and PMI_SIZE do not name one rank of several");
  }
  Result<Wire> wire = Wire::open(*descriptor, deadline_ms);
  if (!wire.ok()) return std::move(wire).status();
  if (job != nullptr) return Pmi2Exchange::open(std::move(wire).value(), WorldRank(*rank), job);
  return Pmi1Exchange::open(std::move(wire).value(), WorldRank(*rank), *size);
}

}  // namespace

Result<std::unique_ptr<Exchange>> open_exchange(const config::Store& config) {
  // A launcher that has itself been started by another one hands its variables on. A descriptor ends with its process,
  // so a socket that is there is the nearest launcher's.
  const bool has_socket = Wire::is_socket(number_of_variable("PMI_FD").value_or(-1));
  const bool has_pmix = !has_socket && std::getenv("PMIX_NAMESPACE") != nullptr;
  if (!has_pmix && std::getenv("PMI_FD") == nullptr) return std::unique_ptr<Exchange>();
  const Result<std::int64_t> deadline_ms = deadline_ms_of(config);
  if (!deadline_ms.ok()) return deadline_ms.status().copy();
  return has_pmix ? open_pmix(deadline_ms.value()) : open_pmi(deadline_ms.value());
}

void forget_exchange() {
  for (const char* variable : kPmixVariables) unsetenv(variable);
  for (const char* variable : kPmiVariables) unsetenv(variable);
}

}  // namespace starling::bootstrap
