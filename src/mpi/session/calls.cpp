// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sessions: start and end, their process sets, and groups and communicators from them. Source: MPI-5.0, chapter 11.3.
#include "api/calls.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/error_handling.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/text.hpp"
#include "mpi/env/life.hpp"
#include "mpi/info/info.hpp"
#include "mpi/p2p/send_buffer.hpp"
#include "mpi/session/process_sets.hpp"
#include "world/communicators/communicators.hpp"
#include "world/communicators/intercommunicators.hpp"

namespace starling::mpi {
namespace {

struct LevelName {
  int level;
  const char* name;
};
constexpr std::array kLevels = {
    LevelName{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"}, LevelName{MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
    LevelName{MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"}, LevelName{MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}};
constexpr std::string_view kLevelKey = "thread_level";

const char* name_of(int level) {
  return std::find_if(kLevels.begin(), kLevels.end(), [&](const LevelName& one) { return one.level == level; })->name;
}

/// What the key asks for. It is no mere hint (11.3.1), so one that is not understood is an error.
Result<int> wanted_level(const Info& info) {
  const std::string* wanted = info.get(kLevelKey);
  if (wanted == nullptr) return MPI_THREAD_SINGLE;
  const auto* found =
      std::find_if(kLevels.begin(), kLevels.end(), [&](const LevelName& one) { return *wanted == one.name; });
  if (found != kLevels.end()) return found->level;
  return Status::error(ErrorClass::kInfoValue, "thread_level is \"" + *wanted +
                                                   "\"; it may be MPI_THREAD_SINGLE, _FUNNELED, _SERIALIZED or "
                                                   "_MULTIPLE");
}

/// The caller gave the handler for this failure, since there is no session yet that could have one.
int fail_through(MPI_Errhandler errhandler, Status failure) {
  return fail(std::move(failure), ErrorOwner::of_handler(errhandler));
}

/// A number for the text that all ranks compute alike (FNV-1a), as a tag.
std::int32_t tag_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return static_cast<std::int32_t>((hash ^ (hash >> 32)) & 0x7fffffffU);
}

Status check_member(world::World& world, const comm::Group& group) {
  if (group.rank_of(world.process()) != comm::Group::kNotMember) return {};
  return Status::error(ErrorClass::kGroup, "the calling process is not in the group; only its members may call");
}

Status check_leader(const char* name, int rank, const comm::Group& group) {
  if (rank >= 0 && rank < group.size()) return {};
  return Status::error(ErrorClass::kRank,
                       formatted("{} is {}; the group that it leads has ranks 0 to {}", name, rank, group.size() - 1));
}

int give_from_groups(Context& context, world::MadeCommunicator made, MPI_Info info, MPI_Errhandler errhandler,
                     MPI_Comm* newcomm) {
  if (!made.ok()) return fail_through(errhandler, std::move(made).status());
  Result<MPI_Comm> handle = context.add_comm(std::move(made).value(), errhandler);
  if (!handle.ok()) return fail_through(errhandler, std::move(handle).status());
  if (info != MPI_INFO_NULL) *context.comm(handle.value())->info = *find_info(context, info);
  *newcomm = handle.value();
  return MPI_SUCCESS;
}

}  // namespace

int session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  Context& context = *current();
  *session = MPI_SESSION_NULL;
  auto object = std::make_unique<SessionObject>();
  if (info != MPI_INFO_NULL) *object->info = *find_info(context, info);
  Result<int> wanted = wanted_level(*object->info);
  if (!wanted.ok()) return fail_through(errhandler, std::move(wanted).status());
  // Calls take the lock for all threads once they do for one.
  int level = context.threaded() ? MPI_THREAD_MULTIPLE : wanted.value();
  if (Status started = use_engines(context, &level); !started.ok()) return fail_through(errhandler, std::move(started));
  object->info->set(kLevelKey, name_of(level));
  object->errhandler = errhandler;
  *session = to_handle<MPI_Session>(context.sessions.insert(std::move(object)));
  if (*session == nullptr) {
    *session = MPI_SESSION_NULL;
    static_cast<void>(leave_engines(context));
    return fail_through(errhandler, too_many("sessions"));
  }
  context.use_errhandler(errhandler);
  return MPI_SUCCESS;
}

int session_finalize(MPI_Session* session) {
  Context& context = *current();
  SessionObject& object = *context.session(*session);
  flush(context, object.buffer);
  context.release_errhandler(object.errhandler);
  context.sessions.erase(*session);
  *session = MPI_SESSION_NULL;
  return done(leave_engines(context));
}

int session_get_info(MPI_Session session, MPI_Info* info_used) {
  Context& context = *current();
  return give_info(context, *context.session(session)->info, info_used);
}

int session_get_num_psets(MPI_Session /*session*/, MPI_Info /*info*/, int* npset_names) {
  *npset_names = static_cast<int>(process_set_names(*current()->world).size());
  return MPI_SUCCESS;
}

int session_get_nth_pset(MPI_Session session, MPI_Info /*info*/, int n, int* pset_len, char* pset_name) {
  const std::vector<std::string> names = process_set_names(*current()->world);
  if (n < 0 || static_cast<std::size_t>(n) >= names.size()) {
    return fail(Status::error(ErrorClass::kArg,
                              formatted("n is {}; there are {} process sets, counted from 0", n, names.size())),
                session);
  }
  const std::string& name = names[static_cast<std::size_t>(n)];
  if (*pset_len > 0 && pset_name == nullptr) {
    return fail(
        Status::error(
            ErrorClass::kArg,
            formatted("pset_name is a null pointer, but pset_len says that it has room for {} characters", *pset_len)),
        session);
  }
  if (*pset_len > 0) {
    int copied = 0;
    copy_text(name, pset_name, *pset_len, &copied);
  }
  *pset_len = static_cast<int>(name.size()) + 1;
  return MPI_SUCCESS;
}

int session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info) {
  Context& context = *current();
  Result<Ref<comm::Group>> group = process_set(*context.world, pset_name);
  if (!group.ok()) return fail(std::move(group).status(), session);
  Info facts;
  facts.set("mpi_size", std::to_string(group.value()->size()));
  return give_info(context, std::move(facts), info);
}

int group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
  Context& context = *current();
  *newgroup = MPI_GROUP_NULL;
  Result<Ref<comm::Group>> group = process_set(*context.world, pset_name);
  if (!group.ok()) return fail(std::move(group).status(), session);
  group.value()->set_origin(value_of(session));
  Result<MPI_Group> handle = context.add_group(std::move(group).value());
  if (!handle.ok()) return fail(std::move(handle).status(), session);
  *newgroup = handle.value();
  return MPI_SUCCESS;
}

int comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                           MPI_Comm* newcomm) {
  Context& context = *current();
  *newcomm = MPI_COMM_NULL;
  const auto members = Ref<comm::Group>::share(context.group(group));
  if (members->size() == 0) return MPI_SUCCESS;
  world::World& world = *context.world;
  if (Status member = check_member(world, *members); !member.ok()) return fail_through(errhandler, std::move(member));
  auto made = world::create_group(world, *world.comm_groups(), members, tag_of(stringtag));
  return give_from_groups(context, std::move(made), info, errhandler, newcomm);
}

int intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                 const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                 MPI_Comm* newintercomm) {
  Context& context = *current();
  *newintercomm = MPI_COMM_NULL;
  const auto ours = Ref<comm::Group>::share(context.group(local_group));
  const auto theirs = Ref<comm::Group>::share(context.group(remote_group));
  if (ours->size() == 0 || theirs->size() == 0) return MPI_SUCCESS;
  world::World& world = *context.world;
  Status sound = check_member(world, *ours);
  if (sound.ok()) sound = check_leader("local_leader", local_leader, *ours);
  if (sound.ok()) sound = check_leader("remote_leader", remote_leader, *theirs);
  if (!sound.ok()) return fail_through(errhandler, std::move(sound));
  const std::int32_t their_leader = world.comm_groups()->group()->rank_of(theirs->process(remote_leader));
  if (their_leader == comm::Group::kNotMember) {
    return fail_through(errhandler, Status::error(ErrorClass::kGroup,
                                                  "the leader of remote_group is a process of another job; connect "
                                                  "the two jobs by MPI_Comm_accept and MPI_Comm_connect"));
  }
  const std::int32_t tag = tag_of(stringtag);
  auto local = world::create_group(world, *world.comm_groups(), ours, tag);
  if (!local.ok()) return fail_through(errhandler, std::move(local).status());
  const world::PeerLeader way{world.comm_groups().get(), their_leader, tag};
  auto made = world::intercomm_create(world, *local.value(), local_leader, way);
  return give_from_groups(context, std::move(made), info, errhandler, newintercomm);
}

}  // namespace starling::mpi
