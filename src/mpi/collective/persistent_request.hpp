// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The request of a persistent collective.
// Thread safety: the holder of the world's lock. Source: MPI-5.0, chapter 6.13.
#pragma once

#include "mpi/request/requests.hpp"

namespace starling::mpi {

/// A persistent collective (6.13).
class PersistentCollective final : public PersistentRequest {
 public:
  explicit PersistentCollective(Ref<collective::PersistentCall> call) noexcept;

 private:
  ~PersistentCollective() override;
  Result<p2p::Request*> begin(Context& context) override;

  Ref<collective::PersistentCall> call_;
};

}  // namespace starling::mpi
