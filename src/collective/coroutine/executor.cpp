// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/coroutine/executor.hpp"

namespace starling::collective {

bool Executor::resume() {
  bool moved = false;
  // Only this loop takes watches off the list, so `next` stays on it while a coroutine runs.
  for (Watch* watch = watched_.front(); watch != nullptr;) {
    Watch* next = watched_.next(*watch);
    if (watch->holds(*watch)) {
      watched_.remove(*watch);
      watch->coroutine.resume();
      moved = true;
    }
    watch = next;
  }
  while (ReadyItem* item = ready_.pop_front()) {
    item->action(*item);
    moved = true;
  }
  return moved;
}

}  // namespace starling::collective
