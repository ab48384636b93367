// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TwoPhaseRequest: a collective access behind a request, for the nonblocking and the split calls.
// Thread safety: the holder of the world's lock. Ownership: whoever holds the request disposes of it; one that is not
// complete then is kept by the runner until it is.
#pragma once

#include <memory>

#include "io/two_phase/two_phase_access.hpp"

namespace starling::io {

class TwoPhaseRequest final : public p2p::Request {
 public:
  /// planning: why the operation is one of nothing; the request fails with it.
  static Result<p2p::Request*> start(OperationRunner& runner, comm::Communicator& comm,
                                     std::unique_ptr<Operation> operation, const CollectiveHints& hints,
                                     Status planning);

  void dispose() override;

 private:
  TwoPhaseRequest(OperationRunner& runner, std::unique_ptr<Operation> operation, const CollectiveHints& hints,
                  Status planning);
  ~TwoPhaseRequest() override = default;
  void end();

  OperationRunner& runner_;
  std::unique_ptr<Operation> operation_;
  TwoPhaseAccess access_;
  Status planning_;
  p2p::Request* inner_ = nullptr;
};

}  // namespace starling::io
