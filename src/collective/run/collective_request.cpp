// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/run/collective_request.hpp"

#include "collective/run/told_collective.hpp"

namespace starling::collective {

CollectiveRequest::CollectiveRequest(Executor& executor, p2p::PointToPoint& p2p, CommunicatorState& state,
                                     const Arguments& arguments)
    : Request(p2p::RequestKind::kCollective),
      kept_(std::in_place, arguments, Form::kNonblocking),
      call_(executor, p2p, state.memory, kept_->get(), state.next_tag()) {
  announce_end();
}

CollectiveRequest::CollectiveRequest(Executor& executor, p2p::PointToPoint& p2p, PersistentCall& persistent)
    : Request(p2p::RequestKind::kCollective),
      persistent_(Ref<PersistentCall>::share(&persistent)),
      call_(executor, p2p, persistent.state.memory, persistent.kept.get(), persistent.state.next_tag()) {
  announce_end();
}

void CollectiveRequest::announce_end() noexcept {
  end_.request = this;
  end_.action = [](ReadyItem& item) { static_cast<End&>(item).request->end(); };
}

void CollectiveRequest::begin(Task task) {
  task_.emplace(std::move(task));
  if (task_->start()) {
    end();
  } else {
    task_->at_end(call_.executor(), end_);
    call_.begin_to_wait([](void* self) { static_cast<CollectiveRequest*>(self)->break_off(); }, this);
  }
}

void CollectiveRequest::break_off() {
  task_->destroy();
  if (end_.linked()) end_.unlink();
  end();
}

void CollectiveRequest::end() {
  call_.end_waiting();
  failure = call_.take_failure();
  if (told_.call != 0 && call_.executor().listener() != nullptr) [[unlikely]]
    tell_end(*call_.executor().listener(), told_);
  finish();
  if (disposed_) destroy();
}

void CollectiveRequest::dispose() {
  if (complete()) {
    destroy();
  } else {
    disposed_ = true;
  }
}

void CollectiveRequest::destroy() {
  this->~CollectiveRequest();
  FramePool::release(this);
}

}  // namespace starling::collective
