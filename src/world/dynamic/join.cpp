// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/dynamic/join.hpp"

#include <string>
#include <utility>

#include "world/communicators/make.hpp"
#include "world/dynamic/join_socket.hpp"
#include "world/network/library_layout.hpp"
#include "world/world.hpp"

namespace starling::world {
namespace {

STARLING_CONFIG(
    patience_ms, "JOIN_PATIENCE_MS", std::int64_t, 30'000, kProcess, kProcess,
    "Milliseconds that MPI_Comm_join waits for the next message of the other end, once the first has come.");

// The messages over the socket. Both processes are on one machine: another byte order fails at the magic word.
struct Greeting {
  static constexpr std::uint64_t kMagic = 0x326e696f4a726174;

  std::uint64_t magic = kMagic;
  std::uint64_t layout = kLibraryLayout;
  std::uint64_t job = 0;
  std::uint64_t rank = 0;
};
struct Offer {
  std::uint64_t refused = 0;
  bootstrap::SegmentAddress address;  ///< of the connection; nothing where both are of one job
  std::uint64_t first_id = 0;         ///< of the intercommunicator's contexts
};
struct Answer {
  static constexpr std::uint64_t kYes = 0x736579;

  std::uint64_t opened = 0;
};
static_assert(sizeof(Greeting) == 32 && sizeof(Offer) == 32 && sizeof(Answer) == 8);

Status failed(const char* what) { return Status::error(ErrorClass::kOther, what); }

/// The steps of both ends, in the order of join.hpp.
class Joining {
 public:
  Joining(World& world, int socket)
      : world_(world),
        socket_(world.progress(), socket, world.config().get(patience_ms),
                "Both ends have to call MPI_Comm_join on a connected socket that holds no unread data") {}

  MadeCommunicator run() {
    STARLING_TRY(socket_.check());
    STARLING_TRY(greet());
    Result<ContextIdRange> ids = me_ < other_ ? offer() : answer();
    if (!ids.ok()) return std::move(ids).status();
    if (connection_ != nullptr) STARLING_TRY(connection_->wait_for_all());  // both are there already
    auto remote = Ref<comm::Group>::adopt(new comm::Group(std::vector{world_.processes().number_of(other_)}));
    return make_inter(world_, ids.value(), world_.comm_self()->group(), std::move(remote), jobs_);
  }

 private:
  Status greet() {
    me_ = world_.processes().global(world_.process());
    Greeting mine;
    mine.job = me_.job;
    mine.rank = static_cast<std::uint64_t>(me_.rank.value);
    STARLING_TRY(socket_.send(mine));
    Greeting theirs;
    STARLING_TRY(socket_.receive(&theirs));
    other_ = {theirs.job, WorldRank(static_cast<std::int32_t>(theirs.rank))};
    if (theirs.magic != Greeting::kMagic) {
      return failed(
          "the other end of the socket does not send what MPI_Comm_join sends: it is not a process of this library "
          "that calls MPI_Comm_join, or other data was left in the socket");
    }
    if (theirs.layout != kLibraryLayout) return failed("the other end of the socket runs another build of the library");
    return me_ == other_ ? failed("both ends of the socket are in this process") : Status();
  }

  Result<ContextIdRange> offer() {
    Offer offered;
    Status made = make(&offered);
    offered.refused = made.ok() ? 0 : 1;
    STARLING_TRY(socket_.send(offered));
    STARLING_TRY(std::move(made));
    Answer answered;
    STARLING_TRY(socket_.receive(&answered));
    if (answered.opened == Answer::kYes) return ids_.agreed(world_, jobs_);
    return failed(
        "the process at the other end of the socket could not open the shared memory; its own message says why");
  }

  Status make(Offer* offered) {
    if (!of_one_job()) {
      Result<JobConnection*> connection = world_.connections().make(2);
      if (!connection.ok()) return std::move(connection).status();
      use(connection.value(), {me_, other_});
      offered->address = connection_->address();
    }
    ids_ = ContextIds::take(world_, jobs_, kIdsOfInter);
    offered->first_id = ids_.first;
    return ids_.taken.copy();
  }

  Result<ContextIdRange> answer() {
    Offer offered;
    STARLING_TRY(socket_.receive(&offered));
    if (offered.refused != 0) {
      return failed("the process at the other end of the socket got no shared memory; its own message says why");
    }
    Status opened = open(offered.address);
    Answer answered;
    if (opened.ok()) answered.opened = Answer::kYes;
    STARLING_TRY(socket_.send(answered));
    STARLING_TRY(std::move(opened));
    ids_.first = static_cast<std::uint32_t>(offered.first_id);
    return ids_.agreed(world_, jobs_);
  }

  Status open(const bootstrap::SegmentAddress& address) {
    if (of_one_job()) return {};
    Result<JobConnection*> connection = world_.connections().open(address, LocalRank{1});
    if (!connection.ok()) return std::move(connection).status();
    use(connection.value(), {other_, me_});
    return {};
  }

  /// When the last communicator of the two goes, the connection is left.
  void use(JobConnection* connection, const std::vector<GlobalProcess>& by_place) {
    connection_ = connection;
    jobs_ = connection->jobs(world_.processes().numbers_of(by_place), nullptr);
  }

  [[nodiscard]] bool of_one_job() const noexcept { return me_.job == other_.job; }

  World& world_;
  JoinSocket socket_;
  GlobalProcess me_;
  GlobalProcess other_;
  JobConnection* connection_ = nullptr;
  Ref<comm::ConnectedJobs> jobs_;
  ContextIds ids_;
};

}  // namespace

MadeCommunicator join(World& world, int socket) { return Joining(world, socket).run(); }

}  // namespace starling::world
