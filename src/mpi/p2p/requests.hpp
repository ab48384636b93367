// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The requests of point-to-point calls that mpi/ itself makes around those of the engine.
// Thread safety: the holder of the world's lock. Source: MPI-5.0, chapters 3.9 and 3.10.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "mpi/request/requests.hpp"

namespace starling::mpi {

/// A persistent send or receive.
class PersistentMessage final : public PersistentRequest {
 public:
  enum class Operation : std::uint8_t { kSend, kSynchronousSend, kReadySend, kBufferedSend, kReceive };

  PersistentMessage(Operation operation, const p2p::Message& message, CommObject& comm,
                    Ref<const datatype::Datatype> type);

 private:
  Result<p2p::Request*> begin(Context& context) override;

  Operation operation_;
  p2p::Message message_;
  Ref<CommObject> comm_;
  Ref<const datatype::Datatype> type_;
};

/// A send and a receive under one handle (MPI_Isendrecv); its status is the receive's.
class SendReceiveRequest final : public p2p::Request {
 public:
  /// `packed` holds what is sent where the receive overwrites the original (MPI_Isendrecv_replace).
  SendReceiveRequest(Context& context, const p2p::Message& send, const p2p::Message& receive,
                     std::unique_ptr<std::byte[]> packed);

  /// An incomplete one becomes an orphan of the context, which asks again when it is complete.
  void dispose() override;
  /// The receive, or the send if only that is left.
  [[nodiscard]] observe::Awaited awaited() const override {
    return receive_ != nullptr && !receive_->complete() ? receive_->awaited()
           : send_ != nullptr                           ? send_->awaited()
                                                        : observe::Awaited();
  }

 private:
  ~SendReceiveRequest() override = default;
  void watch(p2p::Request* part);
  void part_done();

  Context& context_;
  std::unique_ptr<std::byte[]> packed_;
  p2p::Request* receive_;
  p2p::Request* send_;
  int pending_ = 0;
};

}  // namespace starling::mpi
