// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/coroutine/transfer.hpp"

#include <string>

#include "base/format.hpp"
#include "collective/coroutine/call.hpp"

namespace starling::collective {

void settle(Call& call, const Flight& flight) {
  p2p::Request& request = *flight.request;
  if (!request.failure.ok()) {
    call.note(std::move(request.failure));
  } else if (flight.expected_bytes != Flight::kSend && request.completion.bytes != flight.expected_bytes) {
    call.note(
        Status::error(ErrorClass::kTruncate,
                      formatted("{}: rank {} sent {} bytes where this rank expects {}. Do all ranks make the same "
                                "collective calls in the same order, with counts and types that match?",
                                name(call.operation()), call.told_rank(flight.peer), request.completion.bytes,
                                flight.expected_bytes)));
  }
  request.dispose();
}

void abandon(const Flight& flight) {
  flight.request->set_continuation(nullptr, nullptr);
  flight.request->dispose();
}

void Transfer::await_suspend(std::coroutine_handle<> waiting) noexcept {
  coroutine = waiting;
  flight_.request->set_continuation(
      [](p2p::Request&, void* context) {
        auto& transfer = *static_cast<Transfer*>(context);
        transfer.call_->executor().queue(transfer);
      },
      this);
}

bool Batch::await_ready() const noexcept {
  for (std::size_t i = 0; i < size_; ++i) {
    if (!flight(i).request->complete()) return false;
  }
  return true;
}

void Batch::await_suspend(std::coroutine_handle<> waiting) noexcept {
  coroutine = waiting;
  for (std::size_t i = 0; i < size_; ++i) {
    if (flight(i).request->complete()) continue;
    ++outstanding_;
    flight(i).request->set_continuation(&Batch::arrived, this);
  }
}

void Batch::await_resume() {
  for (std::size_t i = 0; i < size_; ++i) settle(call_, flight(i));
  size_ = 0;
  more_.clear();
}

void Batch::arrived(p2p::Request& /*request*/, void* context) {
  auto& batch = *static_cast<Batch*>(context);
  if (--batch.outstanding_ == 0) batch.call_.executor().queue(batch);
}

}  // namespace starling::collective
