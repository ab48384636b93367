// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The data accesses of a file: where each begins, who takes part, and when it is complete.
#include "base/status.hpp"
#include "io/agreement.hpp"
#include "io/file.hpp"
#include "io/settings/amode.hpp"
#include "io/two_phase/two_phase_request.hpp"

namespace starling::io {

Status File::check_allowed(Direction direction, Pointer pointer) const {
  if (direction == Direction::kWrite) STARLING_TRY(check_writable());
  if (direction == Direction::kRead && (amode_ & kWriteOnly) != 0) {
    return Status::error(ErrorClass::kAccess, "the file was opened with MPI_MODE_WRONLY, so it cannot be read");
  }
  if (pointer == Pointer::kShared) return check_shared_pointer();
  if ((amode_ & kSequential) == 0) return {};
  return Status::error(ErrorClass::kUnsupportedOperation,
                       "the file was opened with MPI_MODE_SEQUENTIAL; use the calls of the shared file pointer");
}

Result<File::Amount> File::measure(const Access& access) const {
  Result<TypeRef> in_file = file_type(*access.type, view_->datarep());
  if (!in_file.ok()) return std::move(in_file).status();
  Result<std::int64_t> bytes = datatype::packed_bytes(access.count, *in_file.value());
  if (!bytes.ok()) return std::move(bytes).status();
  if (bytes.value() % view_->etype_bytes() != 0) {
    return Status::error(ErrorClass::kType, "the data are " + std::to_string(bytes.value()) +
                                                " bytes, which are no whole number of etypes of " +
                                                std::to_string(view_->etype_bytes()) + " bytes");
  }
  return Amount{bytes.value(), bytes.value() / view_->etype_bytes()};
}

Result<std::int64_t> File::claim_in_order(std::int64_t etypes) {
  Result<std::vector<std::int64_t>> all = tell_all(world(), *comm_, etypes);
  if (!all.ok()) return std::move(all).status();
  std::int64_t before = 0;
  std::int64_t total = 0;
  for (std::int32_t rank = 0; rank < comm_->size(); ++rank) {
    const std::int64_t theirs = all.value()[static_cast<std::size_t>(rank)];
    if (rank < comm_->rank()) before += theirs;
    total += theirs;
  }
  std::int64_t base = comm_->rank() == 0 ? shared_.advance(total) : 0;
  STARLING_TRY(world().collectives().broadcast(*comm_, &base, sizeof base, 0));
  return base + before;
}

Result<std::int64_t> File::claim(const Access& access, std::int64_t etypes) {
  switch (access.pointer) {
    case Pointer::kExplicit: return access.offset;
    case Pointer::kShared: return shared_.advance(etypes);
    default: break;
  }
  const std::int64_t position = position_;
  position_ += etypes;
  return position;
}

Result<Operation::What> File::plan(const Access& access) {
  const bool in_order = access.pointer == Pointer::kShared && access.ranks == Ranks::kTogether;
  Result<Amount> amount = measure(access);
  const std::int64_t etypes = amount.ok() ? amount.value().etypes : 0;
  // In order all ranks take part, also one that has nothing to access.
  Result<std::int64_t> begin = in_order ? claim_in_order(etypes) : amount.ok() ? claim(access, etypes) : 0;
  if (!amount.ok()) return std::move(amount).status();
  if (!begin.ok()) return std::move(begin).status();
  Operation::What what{access.direction, access.buffer, access.count, access.type, 0, amount.value().file_bytes};
  if (begin.value() < 0) {
    return Status::error(ErrorClass::kArg, "offset is " + std::to_string(begin.value()) + "; it must be 0 or more");
  }
  if (what.file_bytes == 0) return what;
  if (what.file_bytes > view_->end() || begin.value() > (view_->end() - what.file_bytes) / view_->etype_bytes()) {
    return Status::error(ErrorClass::kArg, view_->end() == 0 ? "the view shows no data, for its filetype has none"
                                                             : "the access reaches behind the end of the view");
  }
  what.position = begin.value() * view_->etype_bytes();
  if (access.direction == Direction::kWrite) unsynced_ = true;
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

Status File::run_together(Operation& operation) {
  Together together(engine_, operation, hints_.collective);
  return world().collectives().run(*comm_, together);
}

Status File::access(const Access& access, std::int64_t* bytes) {
  *bytes = 0;
  STARLING_TRY(check_allowed(access.direction, access.pointer));
  if (access.ranks == Ranks::kTogether) {
    STARLING_TRY(check_no_split());
    Status failure;
    const std::unique_ptr<Operation> operation = make_operation(access, &failure);
    STARLING_TRY(run_together(*operation));
    Status concluded = operation->conclude(bytes);
    return failure.ok() ? std::move(concluded) : std::move(failure);
  }
  Result<Operation::What> what = plan(access);
  if (!what.ok()) return std::move(what).status();
  Operation operation(file_, view_, atomicity_, what.value());
  STARLING_TRY(operation.prepare());
  engine_.run(operation);
  return operation.conclude(bytes);
}

Result<p2p::Request*> File::start(const Access& access) {
  STARLING_TRY(check_allowed(access.direction, access.pointer));
  if (access.ranks == Ranks::kTogether) {
    STARLING_TRY(check_no_split());
    Status failure;
    std::unique_ptr<Operation> operation = make_operation(access, &failure);
    return TogetherRequest::start(engine_, *comm_, std::move(operation), hints_.collective, std::move(failure));
  }
  Result<Operation::What> what = plan(access);
  if (!what.ok()) return std::move(what).status();
  return engine_.start(std::make_unique<Operation>(file_, view_, atomicity_, what.value()));
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
