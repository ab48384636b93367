// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

void OwnSteps::take(std::int64_t number, std::span<const Transfer> transfers) {
  const Transfer* receives = nullptr;
  const Transfer* sends = nullptr;
  for (const Transfer& transfer : transfers) {
    if (transfer.receiver == rank_) receives = &transfer;
    if (transfer.sender == rank_) sends = &transfer;
  }
  if (receives != nullptr) steps_.push_back({number, receives->sender, receives->segment, Direction::kReceive});
  if (sends != nullptr) steps_.push_back({number, sends->receiver, sends->segment, Direction::kSend});
}

}  // namespace starling::arrival
