// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/operation/operation_runner.hpp"

#include <algorithm>

namespace starling::io {
namespace {

STARLING_CONFIG(inline_bytes, "IO_INLINE", std::int64_t, 256 * 1024, kProcess, kProcess,
                "Bytes up to which a process reads and writes files itself; larger accesses run on a thread of their "
                "own, so that messages move meanwhile.");

}  // namespace

/// A nonblocking access of this process alone.
class OperationRunner::AccessRequest final : public p2p::Request {
 public:
  explicit AccessRequest(std::unique_ptr<Operation> operation)
      : Request(p2p::RequestKind::kCollective), operation_(std::move(operation)) {}

  AccessRequest(std::unique_ptr<Operation> operation, std::unique_ptr<Claim> claim)
      : Request(p2p::RequestKind::kCollective), operation_(std::move(operation)), claim_(std::move(claim)) {}

  [[nodiscard]] Operation& operation() noexcept { return *operation_; }

  /// Whether its place has just become known: the operation is to be executed, or has failed and is done.
  [[nodiscard]] bool take_claim() {
    if (!claim_ || !claim_->under_way->complete()) return false;
    Status failed = std::move(claim_->under_way->failure);
    claim_->under_way->dispose();
    if (failed.ok()) {
      Result<std::int64_t> position = position_of(operation_->view(), claim_->begin, operation_->bytes());
      if (position.ok()) {
        operation_->place(position.value());
      } else {
        failed = std::move(position).status();
      }
    }
    claim_.reset();
    if (failed.ok()) failed = operation_->prepare();
    if (failed.ok()) return true;
    operation_->settle(0, std::move(failed));
    operation_->mark_done();
    return false;
  }

  void end() {
    failure = operation_->conclude(&completion.bytes);
    operation_.reset();
    finish();
    if (disposed_) delete this;
  }

  void dispose() override {
    if (complete()) {
      delete this;
    } else {
      disposed_ = true;
    }
  }

 private:
  ~AccessRequest() override = default;

  std::unique_ptr<Operation> operation_;
  std::unique_ptr<Claim> claim_;  ///< null: the operation has its place
  bool disposed_ = false;
};

OperationRunner::OperationRunner(world::World& world)
    : world_(world),
      worker_(*world.job().segment, world.job().local_rank),
      inline_bytes_(world.config().get(inline_bytes)) {
  world_.progress().add(*this);
}

OperationRunner::~OperationRunner() { world_.progress().remove(*this); }

void OperationRunner::run(Operation& operation) {
  if (is_small(operation.bytes())) {
    progress::Engine& progress = world_.progress();
    progress.unlock();
    operation.execute();
    progress.lock();
    return;
  }
  worker_.post(operation);
  world_.progress().wait([&] { return operation.done(); }, [] { return observe::Wait(observe::WaitKind::kFile); });
}

p2p::Request* OperationRunner::start(std::unique_ptr<Operation> operation) {
  auto* request = new AccessRequest(std::move(operation));
  Operation& started = request->operation();
  if (Status prepared = started.prepare(); !prepared.ok()) {
    started.settle(0, std::move(prepared));
    request->end();
  } else if (is_small(started.bytes()) && started.atomicity() == Atomicity::kNone) {
    started.execute();
    request->end();
  } else {
    under_way_.push_back(request);
    worker_.post(started);
  }
  return request;
}

p2p::Request* OperationRunner::start_claimed(std::unique_ptr<Operation> operation, std::unique_ptr<Claim> claim) {
  auto* request = new AccessRequest(std::move(operation), std::move(claim));
  under_way_.push_back(request);
  return request;
}

void OperationRunner::finish(const PosixFile& file) {
  world_.progress().wait(
      [&] {
        return std::none_of(under_way_.begin(), under_way_.end(),
                            [&](AccessRequest* request) { return &request->operation().file() == &file; }) &&
               std::none_of(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.file == &file; });
      },
      [] { return observe::Wait(observe::WaitKind::kFile); });
}

bool OperationRunner::poll() {
  bool moved = std::erase_if(kept_, [](const Kept& kept) {
                 if (!kept.request->complete()) return false;
                 kept.request->dispose();
                 return true;
               }) > 0;
  for (std::size_t i = 0; i < under_way_.size();) {
    AccessRequest* request = under_way_[i];
    if (request->take_claim()) {
      worker_.post(request->operation());
      moved = true;
    }
    if (!request->operation().done()) {
      ++i;
      continue;
    }
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(i));
    request->end();
    moved = true;
  }
  return moved;
}

}  // namespace starling::io
