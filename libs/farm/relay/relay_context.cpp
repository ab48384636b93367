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

void RelayContext::fetch(Task&& task) const {
  const Parcel parcel = parcel_of(task.value.as<Slice>());
  const auto waiting = std::make_shared<Task>(std::move(task));
  depot.ask(parcel, Depot::What::kPiece, [this, waiting](const Slice* bytes) {
    waiting->away = false;
    if (bytes != nullptr) {
      waiting->value = Value(*bytes);
      return ready.put(std::move(*waiting));
    }
    waiting->state = TaskState::kGone;
    waiting->value = Value(Slice{std::make_shared<Buffer>(), 0, 0});
    done.put(std::move(*waiting));
  });
}

}  // namespace starling::farm
