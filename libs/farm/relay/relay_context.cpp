// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "relay_context.hpp"

namespace starling::farm {

void RelayContext::quarantine(Task& task, const std::string& why) const {
  auto text = std::make_shared<Buffer>();
  text->append(why.data(), why.size());
  task.state = TaskState::kFailed;
  task.away = false;  // the text is here
  task.value = Value(Slice{text, 0, why.size()});
  done.put(std::move(task));
}

void RelayContext::fetch(Task&& task, Take then) const {
  const Parcel parcel = parcel_of(task.value.as<Slice>());
  const auto waiting = std::make_shared<Task>(std::move(task));
  depot.ask(parcel, Depot::What::kPiece, [waiting, then = std::move(then)](const Slice* bytes) {
    waiting->away = false;
    if (bytes == nullptr) waiting->state = TaskState::kGone;
    waiting->value = Value(bytes != nullptr ? *bytes : Slice{std::make_shared<Buffer>(), 0, 0});
    then(std::move(*waiting));
  });
}

void RelayContext::fetch(Task&& task) const {
  fetch(std::move(task), [this](Task&& fetched) {
    if (fetched.state == TaskState::kGone) {
      stragglers.leave(fetched.number);
      return lose(std::move(fetched));
    }
    ready.put(std::move(fetched));
  });
}

void RelayContext::lose(Task&& task) const {
  if (!is_elsewhere(task.number)) done.put(std::move(task));
}

}  // namespace starling::farm
