// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/collective_request.hpp"

namespace starling::collective {

CollectiveRequest::CollectiveRequest(Executor& executor, p2p::Engine& p2p, State& state, const Arguments& arguments,
                                     std::int32_t tag)
    : Request(p2p::RequestKind::kCollective),
      arguments_(arguments),
      call_(executor, p2p, state, arguments_, tag),
      comm_(Ref<comm::Communicator>::share(arguments.comm)) {
  if (arguments.op) op_ = datatype::Ref<const datatype::Op>(*arguments.op);
  keep(arguments.send_type);
  keep(arguments.receive_type);
  keep_all(arguments_.send_types, send_types_);
  keep_all(arguments_.receive_types, receive_types_);
  end_.request = this;
  end_.action = [](Deed& deed) { static_cast<End&>(deed).request->end(); };
}

void CollectiveRequest::keep(const datatype::Datatype* type) {
  if (type && !type->is_predefined()) types_.emplace_back(*type);
}

void CollectiveRequest::keep_all(const datatype::Datatype* const*& types,
                                 std::vector<const datatype::Datatype*>& copy) {
  if (!types) return;
  copy.assign(types, types + call_.size());
  for (const datatype::Datatype* type : copy) keep(type);
  types = copy.data();
}

void CollectiveRequest::begin(Task task) {
  task_.emplace(std::move(task));
  if (task_->start()) {
    end();
  } else {
    task_->at_end(call_.executor(), end_);
  }
}

void CollectiveRequest::end() {
  failure = call_.take_failure();
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
