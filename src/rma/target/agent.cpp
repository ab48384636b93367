// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/agent.hpp"

namespace starling::rma {

Agent::Agent(const memory::JobSegment& segment, TargetHandler& handler, std::int64_t core) : loop_(segment, handler) {
  thread_ = progress::start_helper("starling-agent", [this] { loop_.run(); });
  if (thread_) progress::place_helper(*thread_, segment, core);
}

Agent::~Agent() {
  loop_.stop();
  if (thread_) thread_->join();
}

}  // namespace starling::rma
