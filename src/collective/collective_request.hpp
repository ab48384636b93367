// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CollectiveRequest: a nonblocking collective: its own copy of the arguments, what must live as long, and the task.
// Thread safety: the holder of the world's lock. Ownership: pooled; gives itself back when complete and disposed of.
#pragma once

#include <optional>
#include <vector>

#include "base/ref.hpp"
#include "collective/call.hpp"
#include "collective/task.hpp"
#include "p2p/request/request.hpp"

namespace starling::collective {

class CollectiveRequest final : public p2p::Request {
 public:
  CollectiveRequest(Executor& executor, p2p::Engine& p2p, State& state, const Arguments& arguments, std::int32_t tag);

  [[nodiscard]] Call& call() noexcept { return call_; }

  /// Runs the task as far as it goes now.
  void begin(Task task);

  void dispose() override;

 private:
  /// The task has ended, and the executor says so.
  struct End : Deed {
    CollectiveRequest* request;
  };

  ~CollectiveRequest() override = default;
  void keep(const datatype::Datatype* type);
  void keep_all(const datatype::Datatype* const*& types, std::vector<const datatype::Datatype*>& copy);
  void end();
  void destroy();

  Arguments arguments_;
  Call call_;
  Ref<comm::Communicator> comm_;
  datatype::Ref<const datatype::Op> op_;
  std::vector<datatype::Ref<const datatype::Datatype>> types_;
  std::vector<const datatype::Datatype*> send_types_;
  std::vector<const datatype::Datatype*> receive_types_;
  std::optional<Task> task_;
  End end_;
  bool disposed_ = false;
};

}  // namespace starling::collective
