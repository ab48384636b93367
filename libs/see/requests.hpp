// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Requests: what each request of the program stands for. Nothing is taken out when a request is complete: its handle
// is not asked for any more until MPI uses it again, and then it is told anew. So a call costs one line of memory.
//
// **Thread safety**: any thread; who finds an entry that is just being replaced finds nothing. **Invariants**: of more
// requests in flight than there are places the oldest are forgotten: what is not found is not known.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "handle_table.hpp"
#include "mpi/handle.hpp"
#include "observe/awaited.hpp"

namespace starling::see {

/// What completes a request.
struct Operation {
  observe::Awaited awaited;
  std::uint32_t function = 0;  ///< that has made it
  std::uint64_t bytes = 0;     ///< of a send; less than 2^48
};

class Requests {
 public:
  /// A request that is under way; one that the call has already completed may be told as well.
  void note(MPI_Request request, const Operation& operation) noexcept { active_.note(request, operation); }
  /// A persistent one, which stays until it is freed.
  void keep(MPI_Request request, const Operation& operation) noexcept { persistent_.note(request, operation); }
  void forget(MPI_Request request) noexcept { persistent_.forget(request); }

  [[nodiscard]] std::optional<Operation> find(MPI_Request request) const noexcept {
    if (const std::optional<Operation> kept = persistent_.find(request)) return kept;
    return active_.find(request);
  }
  [[nodiscard]] std::optional<Operation> find_persistent(MPI_Request request) const noexcept {
    return persistent_.find(request);
  }

 private:
  /// Some rows of a few places; a row keeps its latest.
  class Rows {
   public:
    void note(MPI_Request request, const Operation& operation) noexcept;
    void forget(MPI_Request request) noexcept;
    [[nodiscard]] std::optional<Operation> find(MPI_Request request) const noexcept;

   private:
    static constexpr std::size_t kRows = 1024;
    static constexpr std::size_t kPlaces = 4;

    struct Place {
      std::atomic<std::uintptr_t> key{0};
      std::atomic<std::uint64_t> peer_and_tag{0};
      std::atomic<std::uint64_t> context_and_as{0};
      std::atomic<std::uint64_t> bytes_and_function{0};
    };
    struct alignas(64) Row {
      std::array<Place, kPlaces> places{};
      std::atomic<std::uint32_t> next{0};
    };

    [[nodiscard]] static std::size_t row_of(std::uintptr_t bits) noexcept {
      return (std::uint64_t{bits} * 0x9e3779b97f4a7c15) >> 40 & (kRows - 1);
    }

    std::array<Row, kRows> rows_{};
  };

  Rows active_;
  Rows persistent_;
};

}  // namespace starling::see
