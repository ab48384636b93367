// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/executor.hpp"

namespace starling::collective {

bool Executor::poll() {
  for (Watch* watch = watched_.front(); watch != nullptr;) {
    Watch* next = watched_.next(*watch);
    if (watch->holds(*watch)) {
      watched_.remove(*watch);
      ready_.push_back(*watch);
    }
    watch = next;
  }
  bool moved = false;
  while (Deed* deed = ready_.pop_front()) {
    deed->action(*deed);
    moved = true;
  }
  return moved;
}

}  // namespace starling::collective
