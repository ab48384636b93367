// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "relay_context.hpp"

namespace starling::farm {

void RelayContext::quarantine(Task& task, const std::string& why) const {
  auto text = std::make_shared<Buffer>();
  text->append(why.data(), why.size());
  task.state = TaskState::kFailed;
  task.value = Value(Slice{text, 0, why.size()});
  done.put(std::move(task));
}

}  // namespace starling::farm
