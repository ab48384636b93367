// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FarAccessRequest: what the handle of a request-based access to a far target stands for: complete when the origin's
// buffers are free and what it gets has come. Thread safety: the world's lock.
#pragma once

#include <utility>

#include "p2p/request/request.hpp"

namespace starling::rma {

class FarAccessRequest final : public p2p::Request {
 public:
  /// peer: the target.
  explicit FarAccessRequest(PeerId peer) noexcept : Request(p2p::RequestKind::kSend), peer_(peer) {}

  void dispose() override {
    if (complete()) {
      delete this;
    } else {
      is_given_back_ = true;
    }
  }
  /// The access is complete at the origin.
  void finish_with(Status why) {
    failure = std::move(why);
    finish();
    if (is_given_back_) delete this;
  }
  [[nodiscard]] observe::Awaited awaited() const override {
    observe::Awaited awaited;
    awaited.peer = peer_;
    awaited.as = observe::AwaitedAs::kWindow;
    return awaited;
  }

 private:
  PeerId peer_;
  bool is_given_back_ = false;
};

}  // namespace starling::rma
