// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/dynamic/join.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/random_bytes.hpp"
#include "world/communicators/make.hpp"
#include "world/dynamic/join_socket.hpp"
#include "world/dynamic/meeting.hpp"
#include "world/network/library_layout.hpp"
#include "world/world.hpp"

namespace starling::world {
namespace {

STARLING_CONFIG(
    patience_ms, "JOIN_PATIENCE_MS", std::int64_t, 30'000, kProcess, kProcess,
    "Milliseconds that MPI_Comm_join waits for the next message of the other end, once the first has come.");

// The messages over the socket. Another byte order fails at the magic word.
struct Greeting {
  static constexpr std::uint64_t kMagic = 0x336e696f4a726174;  ///< counted up with each change of the messages

  std::uint64_t magic = kMagic;
  std::uint64_t layout = kLibraryLayout;
  std::uint64_t job = 0;
  std::uint64_t rank = 0;
};
struct Offer {
  std::uint64_t refused = 0;
  bootstrap::SegmentAddress address;
};
struct Answer {
  static constexpr std::uint64_t kYes = 0x736579;

  std::uint64_t opened = 0;
};
/// Of the intercommunicator's contexts, as ContextIds::first.
using FirstId = std::uint32_t;
static_assert(sizeof(Greeting) == 32 && sizeof(Offer) == 24 && sizeof(Answer) == 8, "sent as they are");

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
    if (me_.job != other_.job) {
      STARLING_TRY(offers() ? offer() : answer());
    }
    Result<ContextIdRange> ids = agree_on_ids();
    if (!ids.ok()) return std::move(ids).status();
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

  [[nodiscard]] bool offers() const noexcept { return me_ < other_; }

  Status offer() {
    Result<JobConnection*> made = world_.connections().make(2);
    Offer offered;
    if (made.ok()) {
      offered.address = made.value()->address();
    } else {
      offered.refused = 1;
    }
    STARLING_TRY(socket_.send(offered));
    if (!made.ok()) return std::move(made).status();
    Answer answered;
    Status told = socket_.receive(&answered);
    if (told.ok() && answered.opened == Answer::kYes) return use(made.value());
    made.value()->leave();
    STARLING_TRY(std::move(told));
    return meet();
  }

  Status answer() {
    Offer offered;
    STARLING_TRY(socket_.receive(&offered));
    if (offered.refused != 0) {
      return failed("the process at the other end of the socket got no shared memory; its own message says why");
    }
    Result<JobConnection*> opened = world_.connections().open(offered.address, LocalRank{1});
    STARLING_TRY(socket_.send(Answer{opened.ok() ? Answer::kYes : 0}));
    if (opened.ok()) return use(opened.value());
    Status met = meet();
    if (met.ok()) return met;
    return Status::error(met.error_class(), formatted("{}; before that, {}", met.message(), opened.status().message()));
  }

  /// Where one cannot open the other's shared memory.
  Status meet() {
    transport::tcp::Secret secret{};
    if (offers()) STARLING_TRY(fill_randomly(std::as_writable_bytes(std::span(secret))));
    STARLING_TRY(offers() ? socket_.send(secret) : socket_.receive(&secret));
    const Meeting::Side side = offers() ? Meeting::Side::kCaller : Meeting::Side::kAcceptor;
    Meeting meeting(world_, socket_, side, secret, ErrorClass::kOther);
    STARLING_TRY(meeting.prepare());
    STARLING_TRY(meeting.introduce());
    return use(meeting.join());
  }

  Status use(Result<Met> met) {
    if (!met.ok()) return std::move(met).status();
    return use(met.value().connection);
  }
  /// When the last communicator of the two goes, the connection is left.
  Status use(JobConnection* connection) {
    const std::vector<GlobalProcess> by_place = offers() ? std::vector{me_, other_} : std::vector{other_, me_};
    jobs_ = connection->jobs(world_.processes().numbers_of(by_place), nullptr);
    return connection->wait_for_all();  // both are there already
  }

  Result<ContextIdRange> agree_on_ids() {
    ContextIds ids;
    if (offers()) {
      ids = ContextIds::take(world_, jobs_, kIdsOfInter);
      STARLING_TRY(socket_.send(FirstId{ids.first}));
    } else {
      STARLING_TRY(socket_.receive(&ids.first));
    }
    return ids.agreed(world_, jobs_);
  }

  World& world_;
  JoinSocket socket_;
  GlobalProcess me_;
  GlobalProcess other_;
  Ref<comm::ConnectedJobs> jobs_;
};

}  // namespace

MadeCommunicator join(World& world, int socket) { return Joining(world, socket).run(); }

}  // namespace starling::world
