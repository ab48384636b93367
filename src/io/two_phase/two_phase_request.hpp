// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TogetherRequest: a collective access behind a request, for the nonblocking and the split calls.
// Thread safety: the holder of the world's lock. Ownership: whoever holds the request disposes of it; one that is not
// complete then is kept by the engine until it is.
#pragma once

#include <memory>

#include "io/two_phase/two_phase_access.hpp"

namespace starling::io {

class TogetherRequest final : public p2p::Request {
 public:
  /// planning: why the operation is one of nothing; the request fails with it.
  static Result<p2p::Request*> start(OperationRunner& engine, comm::Communicator& comm,
                                     std::unique_ptr<Operation> operation, const CollectiveHints& hints,
                                     Status planning);

  void dispose() override;

 private:
  TogetherRequest(OperationRunner& engine, std::unique_ptr<Operation> operation, const CollectiveHints& hints,
                  Status planning);
  ~TogetherRequest() override = default;
  void end();

  OperationRunner& engine_;
  std::unique_ptr<Operation> operation_;
  Together together_;
  Status planning_;
  p2p::Request* inner_ = nullptr;
};

}  // namespace starling::io
