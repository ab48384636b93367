// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicator constructors: world/ makes the communicator, here it gets a handle, attributes and what else MPI knows.
// Source: MPI-5.0, chapters 7.4.2 and 7.7.
#include <memory>
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/attribute/attributes.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/comm/release.hpp"
#include "mpi/info/info.hpp"
#include "mpi/request/requests.hpp"
#include "mpi/topology/topologies.hpp"
#include "world/communicators/intercommunicators.hpp"
#include "world/communicators/pending_dup.hpp"

namespace starling::mpi {
namespace {

Status copy_function_failed(int code) {
  return Status::error(static_cast<ErrorClass>(code),
                       "the copy function of an attribute failed, so there is no duplicate");
}

int dup_with(MPI_Comm comm, const Info& info, MPI_Comm* newcomm) {
  Context& context = *current();
  CommObject& parent = *context.comm(comm);
  if (const int code = give_comm(context, world::dup(*context.world, *parent.comm), parent, newcomm)) return code;
  CommObject& made = *context.comm(*newcomm);
  *made.topology = *parent.topology;  // a dup takes it over too (7.4.2)
  *made.info = info;
  if (const int code = made.attributes->copy_from(comm, *parent.attributes)) {
    release_comm(context, made);
    *newcomm = MPI_COMM_NULL;
    return fail(copy_function_failed(code));
  }
  return MPI_SUCCESS;
}

/// A dup in flight. The attributes were copied when it started; the handle appears when the context id is known.
class DupRequest final : public p2p::Request {
 public:
  DupRequest(Context& context, Ref<CommObject> parent, std::unique_ptr<world::PendingDup> pending,
             AttributeSet attributes, Info info, MPI_Comm* newcomm)
      : Request(p2p::RequestKind::kCollective),
        context_(context),
        parent_(std::move(parent)),
        pending_(std::move(pending)),
        attributes_(std::move(attributes)),
        info_(std::move(info)),
        newcomm_(newcomm) {
    p2p::Request& inner = pending_->request();
    if (inner.complete()) {
      arrive();
    } else {
      inner.set_continuation([](p2p::Request& /*inner*/, void* self) { static_cast<DupRequest*>(self)->arrive(); },
                             this);
    }
  }

  void dispose() override {
    if (!complete()) {
      context_.orphans.push_back(this);
      return;
    }
    pending_->request().dispose();
    delete this;
  }

 private:
  ~DupRequest() override = default;

  void arrive() {
    *newcomm_ = MPI_COMM_NULL;
    world::MadeCommunicator made = pending_->finish();
    if (!made.ok()) {
      failure = std::move(made).status();
    } else if (Result<MPI_Comm> handle = context_.add_comm(std::move(made).value(), *parent_); handle.ok()) {
      CommObject& comm = *context_.comm(handle.value());
      *comm.topology = *parent_->topology;
      *comm.attributes = std::move(attributes_);
      *comm.info = std::move(info_);
      *newcomm_ = handle.value();
    } else {
      failure = std::move(handle).status();
    }
    completion = kEmptyCompletion;
    finish();
  }

  Context& context_;
  Ref<CommObject> parent_;
  std::unique_ptr<world::PendingDup> pending_;
  AttributeSet attributes_;
  Info info_;
  MPI_Comm* newcomm_;
};

int idup_with(MPI_Comm comm, const Info& info, MPI_Comm* newcomm, MPI_Request* request) {
  Context& context = *current();
  context.reap_orphans();
  CommObject& parent = *context.comm(comm);
  AttributeSet attributes;
  if (const int code = attributes.copy_from(comm, *parent.attributes)) return fail(copy_function_failed(code));
  auto pending = world::PendingDup::start(*context.world, parent.comm);
  if (!pending.ok()) return fail(std::move(pending).status());
  auto* made = new DupRequest(context, Ref<CommObject>::share(&parent), std::move(pending).value(),
                              std::move(attributes), info, newcomm);
  return context.add_request(made, comm, request);
}

Status check_members(const comm::Group& group, const comm::Group& of_comm) {
  for (std::int32_t rank = 0; rank < group.size(); ++rank) {
    if (of_comm.rank_of(group.process(rank)) == comm::Group::kNotMember) {
      return Status::error(
          ErrorClass::kGroup,
          formatted("rank {} of the group is not in the communicator; take a subset of its group", rank));
    }
  }
  return {};
}

}  // namespace

int comm_dup(MPI_Comm comm, MPI_Comm* newcomm) { return dup_with(comm, *current()->comm(comm)->info, newcomm); }

int comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return dup_with(comm, info_or_empty(*current(), info), newcomm);
}

int comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return idup_with(comm, *current()->comm(comm)->info, newcomm, request);
}

int comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  return idup_with(comm, info_or_empty(*current(), info), newcomm, request);
}

int comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  if (color < 0 && color != MPI_UNDEFINED) {
    return fail(
        Status::error(ErrorClass::kArg, formatted("color is {}; it must be 0 or more, or MPI_UNDEFINED", color)));
  }
  Context& context = *current();
  CommObject& parent = *context.comm(comm);
  const std::int32_t chosen = color == MPI_UNDEFINED ? world::kNoColor : color;
  return give_comm(context, world::split(*context.world, *parent.comm, chosen, key), parent, newcomm);
}

int comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  Context& context = *current();
  CommObject& parent = *context.comm(comm);
  const auto members = Ref<comm::Group>::share(context.group(group));
  if (Status subset = check_members(*members, *parent.comm->group()); !subset.ok()) return fail(std::move(subset));
  return give_comm(context, world::create(*context.world, *parent.comm, members), parent, newcomm);
}

int comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  Context& context = *current();
  CommObject& parent = *context.comm(comm);
  if (const int code = refuse_intercomm(parent)) return code;
  const auto members = Ref<comm::Group>::share(context.group(group));
  if (Status subset = check_members(*members, *parent.comm->group()); !subset.ok()) return fail(std::move(subset));
  *newcomm = MPI_COMM_NULL;
  if (members->rank_of(context.world->process()) == comm::Group::kNotMember) return MPI_SUCCESS;
  return give_comm(context, world::create_group(*context.world, *parent.comm, members, tag), parent, newcomm);
}

}  // namespace starling::mpi
