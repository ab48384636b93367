// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/agent/agent.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/small_files.hpp"
#include "base/usable_cores.hpp"
#include "launch/events/descendants.hpp"
#include "launch/query/query_channel.hpp"
#include "launch/query/respond.hpp"
#include "launch/report/last_calls.hpp"
#include "launch/start/limits.hpp"
#include "observe/job/launcher_socket.hpp"

namespace starling::launch {
namespace {

/// Containers and network namespaces of one machine have a kernel, and mostly the cores, in common.
std::string own_core_set() {
  const std::string boot = read_small_file("/proc/sys/kernel/random/boot_id");
  if (boot.empty() || core_limits().quota_cores) return "";
  std::string text = boot.substr(0, boot.find('\n'));
  for (const unsigned thread : affinity_threads()) text += formatted(" {}", thread);
  return text;
}

}  // namespace

Agent::Agent(Descriptor from_head, Descriptor to_head, const Greeting& greeting, GuardianChannel& guardian,
             const Inherited& inherited)
    : inherited_(inherited),
      output_([this](std::string body) { tell(FrameKind::kOutput, std::move(body)); }),
      errors_([this](std::string body) { tell(FrameKind::kErrors, std::move(body)); }),
      input_(
          loop_, [this](std::uint64_t bytes) { tell(FrameKind::kInputTaken, number_body(bytes)); },
          [this] { tell(FrameKind::kInputClosed); }),
      branches_(loop_, greeting, inherited,
                {[this](Frame frame) {
                   link_.send(frame);
                   if (frame.kind == FrameKind::kOver) stop_if_alone();
                 },
                 [this](std::int32_t node, const std::string& why) {
                   link_.send({FrameKind::kLost, node, why});
                   stop_if_alone();
                 },
                 [this](std::int32_t node, const std::string& why) {
                   link_.send({FrameKind::kUnreached, node, why});
                   stop_if_alone();
                 },
                 [this](std::int32_t node, const std::string& line) {
                   link_.send({FrameKind::kShellSays, node, line});
                 },
                 [this] { stop_if_alone(); }}),
      link_(loop_, std::move(from_head), std::move(to_head), greeting,
            {[this](Frame frame) { take(std::move(frame)); }, [this](const std::string& why) { abandon(why); }}) {
  guardian.serve(loop_, [this](const PassedSignal& signal) {
    if (!supervisor_) abandon(formatted("its agent got signal {} before it had ranks", signal.signal));
    supervisor_->pass_on(signal);
  });
}

int Agent::run() {
  greet();
  beat();
  if (!loop_.run()) abandon(formatted("the agent cannot wait for anything: {}", std::strerror(errno)));
  if (supervisor_) supervisor_->clear_away();
  send_log();
  say_over();
  constexpr std::int64_t kPatienceNs = 5'000'000'000;
  link_.flush(kPatienceNs);
  // The head has heard the job's status; of another than 0 here the remote shell would print its own opinion.
  return link_.idle() ? EXIT_SUCCESS : exit_code_;
}

void Agent::greet() {
  Hello hello;
  hello.usable_cores = usable_cores();
  hello.core_set = own_core_set();
  hello.boot_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
  Result<transport::tcp::HostNetwork> network = transport::tcp::own_network({});
  if (network.ok()) hello.network = std::move(network).value();
  tell(FrameKind::kHello, hello.serialised());
}

void Agent::tell(FrameKind kind, std::string body) { link_.send({kind, node_, std::move(body)}); }

void Agent::take(Frame frame) {
  silence_.heard(now_ns());
  if (frame.kind == FrameKind::kBranches && supervisor_ == nullptr && !part_) {
    const Result<std::vector<AgentStart>> starts = parse_agent_starts(frame.body);
    if (!starts.ok()) abandon(starts.status().message());
    node_ = frame.node;
    return branches_.start(starts.value());
  }
  if (frame.kind == FrameKind::kPart && node_ < 0) node_ = frame.node;
  if (frame.kind == FrameKind::kCut) return branches_.cut(frame.node);
  if (frame.node != node_ && node_ >= 0) return branches_.send(frame);
  take_own(frame.kind, frame.body);
}

void Agent::take_own(FrameKind kind, const std::string& body) {
  switch (kind) {
    case FrameKind::kPart: return take_part(body);
    case FrameKind::kRoster: return take_card(body);
    case FrameKind::kDoors: {
      const Result<PulseDoors> doors = PulseDoors::parse(body);
      if (!doors.ok()) abandon(doors.status().message());
      head_has_told_doors_ = true;
      return head_pulse_.set_doors(doors.value().addresses);
    }
    case FrameKind::kRoom: {
      const Result<Room> room = Room::parse(body);
      if (!room.ok()) abandon(room.status().message());
      return (room.value().errors ? errors_ : output_).give_room(room.value().bytes);
    }
    case FrameKind::kAskClock:
      return tell(FrameKind::kClock, ClockAnswer{number_in<std::int64_t>(body), now_ns()}.serialised());
    case FrameKind::kInput: return input_.put(body);
    case FrameKind::kInputEnd: return input_.end();
    case FrameKind::kQuery: return answer(body);
    case FrameKind::kEnd:
      exit_code_ = number_in<std::int32_t>(body);
      if (!supervisor_) over();
      [[fallthrough]];
    default:
      if (supervisor_) take_about_ranks(kind, body);
  }
}

void Agent::take_about_ranks(FrameKind kind, const std::string& body) {
  switch (kind) {
    case FrameKind::kSignal: return supervisor_->pass_on({number_in<std::int32_t>(body), false});
    case FrameKind::kDied: return supervisor_->publish_death(number_in<WorldRank>(body));
    case FrameKind::kGiveUp: return lost_ranks_.give_up(*supervisor_->view().segment, number_in<WorldRank>(body));
    case FrameKind::kLeftEarly: {
      const Result<EarlyLeaver> leaver = EarlyLeaver::parse(body);
      if (!leaver.ok()) abandon(leaver.status().message());
      supervisor_->note_early_leaver(leaver.value().rank, leaver.value().program);
      return;
    }
    case FrameKind::kEnd: return end_ranks();
    default: return;
  }
}

void Agent::end_ranks() {
  if (supervisor_->is_ending()) return;
  tell_places();
  supervisor_->end(exit_code_);
}

/// The job ends. Where the ranks here are belongs to the report of the failure, on whichever host that was first.
void Agent::tell_places() {
  const memory::JobSegment* const segment = supervisor_ ? supervisor_->view().segment : nullptr;
  if (segment != nullptr && !part_->spec.quiet) tell(FrameKind::kPlaces, rank_places(*segment).serialised());
}

void Agent::take_part(const std::string& body) {
  Result<Part> part = Part::parse(body);
  if (!part.ok()) abandon(part.status().message());
  part_ = std::move(part).value();
  name_ = bound_socket(observe::part_socket_name(part_->head_host, part_->mpiexec));
  preparation_ = prepare(*part_);
  if (preparation_.exit_code != 0) return refuse(preparation_.exit_code, preparation_.problem);
  if (!part_->spec.quiet) interfaces_.start(part_->offered.addresses);
  doors_.open(part_->offered.addresses, preparation_.ports);  // after its ranks, which need their ports
  Listening listening = preparation_.listening();
  listening.doors.addresses = doors_.addresses();
  tell(FrameKind::kListening, listening.serialised());
}

void Agent::answer(const std::string& body) {
  const Result<NumberedText> text = NumberedText::parse(body);
  if (!text.ok()) abandon(text.status().message());
  const auto reply = [this, number = text.value().number](const NodeReply& said) {
    tell(FrameKind::kReply, NumberedText{number, said.serialised()}.serialised());
  };
  const Result<Query> query = Query::parse(text.value().text);
  if (!query.ok()) return reply({"does not understand the question", {}});
  respond(loop_, supervisor_ ? supervisor_->view() : NodeView(), query.value(), reply);
}

void Agent::take_card(const std::string& body) {
  Result<bootstrap::JobCard> card = bootstrap::JobCard::parse(body);
  if (!card.ok()) abandon(card.status().message());
  if (!part_) abandon("mpiexec sends the card of the job before this host's part of it");
  // The same card goes to all nodes.
  const auto own = std::ranges::find(card.value().nodes, part_->ranks, &bootstrap::JobCard::Node::ranks);
  if (own == card.value().nodes.end()) abandon("the card of the job has no node with the ranks of this host");
  card.value().own_node = static_cast<std::int32_t>(own - card.value().nodes.begin());
  start_ranks(std::move(card).value());
}

void Agent::start_ranks(bootstrap::JobCard card) {
  NodeJob& job = preparation_.job;
  card.listeners = job.listeners;
  Result<Descriptor> file = card.to_file();
  if (!file.ok()) return refuse(EXIT_FAILURE, file.status().message());
  card_ = std::move(file).value();
  job.card = card_.get();
  const bool has_rank_zero = !part_->ranks.empty() && part_->ranks.front() == WorldRank(0);
  const Descriptor input = has_rank_zero ? input_.open() : Descriptor();
  if (has_rank_zero && !input.valid()) return refuse(EXIT_FAILURE, "no pipe: " + explain_error(errno));
  job.input = input.get();
  job.node = node_;
  if (part_->spec.trace.wanted()) record(job);
  supervisor_ = std::make_unique<Supervisor>(loop_, part_->spec, std::move(job), inherited_, *this);
  const bool started = supervisor_->start();
  preparation_.entrances.clear();  // the ranks have them
  if (!started) over();
}

/// Where nothing can be recorded here, the trace lacks this host, and the job runs.
void Agent::record(NodeJob& job) {
  constexpr std::uint64_t kMebibyte = 1024 * 1024;
  Result<EventLogFile> log = EventLogFile::create_unnamed(part_->spec.trace.limit_mib * kMebibyte);
  if (!log.ok()) return say(launcher_words(part_->host, log.status().message()));
  log_ = std::move(log).value();
  job.event_log = &log_;
  if (!part_->host.empty()) log_.put(observe::RecordKind::kHost, node_, std::as_bytes(std::span(part_->host)));
}

void Agent::refuse(int exit_code, const std::string& problem) {
  ends(exit_code, problem);
  report({launcher_words(part_->host, problem), {}});
  over();
}

void Agent::ends(int exit_code, const std::string&) {
  exit_code_ = exit_code;
  tell(FrameKind::kEnds, number_body(static_cast<std::int32_t>(exit_code)));
  tell_places();
}

void Agent::left_early(WorldRank rank, const std::string& program) {
  tell(FrameKind::kLeftEarly, EarlyLeaver{rank, program}.serialised());
}

void Agent::looked(const NodeScan& scan) {
  if (scan.is_like(told_)) return;
  told_ = scan;
  tell(FrameKind::kScan, scan.serialised());
}

void Agent::over() {
  over_ = true;
  stop_if_alone();
}

/// The agents below are served to their end.
void Agent::stop_if_alone() {
  if (!over_ || !branches_.all_over()) return;
  if (branches_.all_gone()) return loop_.stop();
  // A remote shell that stays behind its agent is not waited for without end.
  constexpr std::int64_t kPatienceNs = 2'000'000'000;
  loop_.after(kPatienceNs, [this] { loop_.stop(); });
}

void Agent::send_log() {
  constexpr std::int64_t kPatienceNs = 10'000'000'000;
  if (!log_.exists()) return;
  if (!log_.failure().ok()) say(launcher_words(part_->host, log_.failure().message()));
  log_.read_all([this](std::string_view piece) {
    tell(FrameKind::kTrace, std::string(piece));
    link_.flush(kPatienceNs);
  });
}

void Agent::say_over() {
  Over over;
  over.exit_code = supervisor_ ? supervisor_->outcome().exit_code : exit_code_;
  if (supervisor_) {
    over.joined = supervisor_->somebody_has_joined();
    over.finished = supervisor_->outcome().finished;
    over.note_on_foreign = supervisor_->note_on_foreign_mpi();
  }
  tell(FrameKind::kOver, over.serialised());
}

std::int64_t Agent::mute_limit_ns() const noexcept { return preparation_.mute_after_ms * kMillisecond; }

/// Until mpiexec has said where its machine answers, nothing tells one that gets no processor time from one that is
/// gone, but that the link ends.
std::int64_t Agent::silence_limit_ns() const noexcept {
  const std::int64_t limit_ns = preparation_.dead_after_ms * kMillisecond;
  return head_has_told_doors_ ? limit_ns : std::max(limit_ns, mute_limit_ns());
}

bool Agent::hears_head(std::int64_t now_ns) {
  const std::int64_t limit_ns = silence_limit_ns();
  if (silence_.is_suspect(now_ns, limit_ns)) {
    silence_.answered(head_pulse_.feel(now_ns));
  } else {
    head_pulse_.rest();
  }
  return !silence_.too_long(now_ns, limit_ns, mute_limit_ns());
}

void Agent::beat() {
  const std::int64_t now = now_ns();
  if (!hears_head(now)) abandon("mpiexec has not been heard for too long");
  tell(FrameKind::kHeartbeat);
  for (const std::string& note : interfaces_.look()) say(launcher_words(part_->host, note));
  loop_.after(silence_.next_beat_ns(now, silence_limit_ns(), mute_limit_ns()), [this] { beat(); });
}

void Agent::abandon(const std::string& why) {
  kill_descendants();
  // mpiexec hears it through the remote shell, if that is still there. One that does not read is not waited for.
  constexpr int kPatienceMs = 1000;
  pollfd errors{STDERR_FILENO, POLLOUT, 0};
  const bool is_read = poll(&errors, 1, kPatienceMs) == 1;
  if (is_read && !why.empty())
    std::fprintf(stderr, "starling: %s; all processes of the job have been killed here\n", why.c_str());
  _exit(EXIT_FAILURE);
}

}  // namespace starling::launch
