// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The data accesses of a file: where each begins, who takes part, and when it is complete.
#include "base/format.hpp"
#include "base/status.hpp"
#include "io/file.hpp"
#include "io/settings/amode.hpp"
#include "io/two_phase/two_phase_request.hpp"

namespace starling::io {
namespace {

/// How many bytes of the file, and how many etypes, the data of an access are.
struct Amount {
  std::int64_t file_bytes = 0;
  std::int64_t etypes = 0;
};

Result<Amount> measure(const Access& access, const View& view) {
  Result<TypeRef> in_file = file_type(*access.type, view.datarep());
  if (!in_file.ok()) return std::move(in_file).status();
  Result<std::int64_t> bytes = datatype::packed_bytes(access.count, *in_file.value());
  if (!bytes.ok()) return std::move(bytes).status();
  if (bytes.value() % view.etype_bytes() != 0) {
    return Status::error(ErrorClass::kType,
                         formatted("the data are {} bytes, which are no whole number of etypes of {} bytes",
                                   bytes.value(), view.etype_bytes()));
  }
  return Amount{bytes.value(), bytes.value() / view.etype_bytes()};
}

}  // namespace

Status File::check_allowed(Direction direction, Pointer pointer) const {
  if (direction == Direction::kWrite) STARLING_TRY(check_writable(amode_));
  if (direction == Direction::kRead && (amode_ & kWriteOnly) != 0) {
    return Status::error(ErrorClass::kAccess, "the file was opened with MPI_MODE_WRONLY, so it cannot be read");
  }
  if (pointer == Pointer::kShared) return pointers_.check_shared();
  if ((amode_ & kSequential) == 0) return {};
  return Status::error(ErrorClass::kUnsupportedOperation,
                       "the file was opened with MPI_MODE_SEQUENTIAL; use the calls of the shared file pointer");
}

Result<Operation::What> File::plan(const Access& access) {
  const bool in_order = access.pointer == Pointer::kShared && access.ranks == Ranks::kAll;
  Result<Amount> amount = measure(access, *view_);
  const std::int64_t etypes = amount.ok() ? amount.value().etypes : 0;
  // In order all ranks take part, also one that has nothing to access.
  Result<std::int64_t> begin = 0;
  if (in_order) {
    begin = pointers_.claim_in_order(world(), *comm_, etypes);
  } else if (amount.ok()) {
    begin = pointers_.claim(access.pointer, access.offset, etypes);
  }
  if (!amount.ok()) return std::move(amount).status();
  if (!begin.ok()) return std::move(begin).status();
  Operation::What what{access.direction, access.buffer, access.count, access.type, 0, amount.value().file_bytes};
  Result<std::int64_t> position = position_of(*view_, begin.value(), what.file_bytes);
  if (!position.ok()) return std::move(position).status();
  what.position = position.value();
  if (access.direction == Direction::kWrite && what.file_bytes != 0) unsynced_ = true;
  return what;
}

std::unique_ptr<Operation> File::make_operation(const Access& access, Status* failure) {
  Operation::What what{access.direction, access.buffer, 0, access.type, 0, 0};
  Result<Operation::What> planned = plan(access);
  if (planned.ok()) {
    auto operation = std::make_unique<Operation>(file_, view_, atomicity_, planned.value());
    *failure = operation->prepare();
    if (failure->ok()) return operation;
  } else {
    *failure = std::move(planned).status();
  }
  return std::make_unique<Operation>(file_, view_, atomicity_, what);
}

Status File::access(const Access& access, std::int64_t* bytes) {
  *bytes = 0;
  STARLING_TRY(check_allowed(access.direction, access.pointer));
  if (access.ranks == Ranks::kAll) {
    STARLING_TRY(check_no_split());
    Status failure;
    const std::unique_ptr<Operation> operation = make_operation(access, &failure);
    TwoPhaseAccess collective(runner_, *operation, hints_.collective);
    STARLING_TRY(world().collectives().run(*comm_, collective));
    Status concluded = operation->conclude(bytes);
    return failure.ok() ? std::move(concluded) : std::move(failure);
  }
  Result<Operation::What> what = plan(access);
  if (!what.ok()) return std::move(what).status();
  Operation operation(file_, view_, atomicity_, what.value());
  STARLING_TRY(operation.prepare());
  runner_.run(operation);
  return operation.conclude(bytes);
}

Result<p2p::Request*> File::start(const Access& access) {
  STARLING_TRY(check_allowed(access.direction, access.pointer));
  if (access.ranks == Ranks::kAll) {
    STARLING_TRY(check_no_split());
    Status failure;
    std::unique_ptr<Operation> operation = make_operation(access, &failure);
    return TwoPhaseRequest::start(runner_, *comm_, std::move(operation), hints_.collective, std::move(failure));
  }
  if (access.pointer == Pointer::kShared) return start_shared(access);
  Result<Operation::What> what = plan(access);
  if (!what.ok()) return std::move(what).status();
  return runner_.start(std::make_unique<Operation>(file_, view_, atomicity_, what.value()));
}

Result<p2p::Request*> File::start_shared(const Access& access) {
  Result<Amount> amount = measure(access, *view_);
  if (!amount.ok()) return std::move(amount).status();
  Operation::What what{access.direction, access.buffer, access.count, access.type, 0, amount.value().file_bytes};
  Result<std::unique_ptr<Claim>> claim = pointers_.shared().start_advance(amount.value().etypes);
  if (!claim.ok()) return std::move(claim).status();
  if (access.direction == Direction::kWrite && what.file_bytes != 0) unsynced_ = true;
  if (claim.value()->under_way != nullptr) {
    return runner_.start_claimed(std::make_unique<Operation>(file_, view_, atomicity_, what), std::move(claim).value());
  }
  Result<std::int64_t> position = position_of(*view_, claim.value()->begin, what.file_bytes);
  if (!position.ok()) return std::move(position).status();
  what.position = position.value();
  return runner_.start(std::make_unique<Operation>(file_, view_, atomicity_, what));
}

Status File::begin(const Access& access) {
  Result<p2p::Request*> request = start(access);
  if (!request.ok()) return std::move(request).status();
  split_ = {request.value(), access.direction, access.pointer};
  return {};
}

Status File::end(Direction direction, Pointer pointer, std::int64_t* bytes) {
  *bytes = 0;
  if (split_.request == nullptr || split_.direction != direction || split_.pointer != pointer) {
    return Status::error(ErrorClass::kOther, split_.request == nullptr
                                                 ? "no split collective access of the file is under way"
                                                 : "the split collective access that is under way is of another kind");
  }
  p2p::Request& request = *split_.request;
  world().p2p().wait(request);
  split_.request = nullptr;
  *bytes = request.completion.bytes;
  Status failure = std::move(request.failure);
  request.dispose();
  return failure;
}

}  // namespace starling::io
