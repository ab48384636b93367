// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The job once it has been started, and its end. How it starts is in head_start.cpp.
#include "launch/head/head.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "launch/events/descendants.hpp"
#include "launch/watch/hang_words.hpp"

namespace starling::launch {
namespace {

std::string mute_words(const HeadNode& node, std::int64_t limit_ns) {
  return launcher_words(node.host.name,
                        formatted("note: nothing has come from its agent for {:.1f} s, but the machine answers: it is "
                                  "very busy, or the agent is stopped. The job goes on",
                                  static_cast<double>(limit_ns) / 1e9));
}

int input_descriptor(GuardianChannel& guardian) {
  return guardian.typed().valid() ? guardian.typed().get() : STDIN_FILENO;
}

}  // namespace

Head::Head(JobSpec& spec, HeadSettings settings, GuardianChannel& guardian, const Inherited& inherited, Origin* origin)
    : spec_(spec),
      settings_(std::move(settings)),
      guardian_(guardian),
      streams_(loop_, spec.output, [this](int error) { on_broken_output(error); }),
      rank_output_(streams_.output(),
                   [this](std::int32_t node, std::uint64_t bytes) {
                     branches_.send({FrameKind::kRoom, node, Room{false, bytes}.serialised()});
                   }),
      rank_errors_(streams_.errors(),
                   [this](std::int32_t node, std::uint64_t bytes) {
                     branches_.send({FrameKind::kRoom, node, Room{true, bytes}.serialised()});
                   }),
      branches_(loop_, Greeting::of_this_program(settings_.version), inherited,
                {[this](Frame frame) { take(std::move(frame)); },
                 [this](std::int32_t node, const std::string& why) { on_lost(node, why); },
                 [this](std::int32_t node, const std::string& why) { on_unreached(node, why); },
                 [this](std::int32_t node, const std::string& line) {
                   say(formatted("host {}: {}\n", nodes_[static_cast<std::size_t>(node)].host.name, line));
                 },
                 [] {}}),
      input_(
          loop_, input_descriptor(guardian),
          [this](std::string bytes) {
            branches_.send({FrameKind::kInput, input_node_, std::move(bytes)});
          },
          [this] {
            branches_.send({FrameKind::kInputEnd, input_node_, {}});
          }),
      queries_(loop_, nodes_, branches_),
      watch_(
          settings_.watch, queries_,
          [this](const std::string& lines) {
            if (!ending_) say(lines);
          },
          [this](const std::string& lines) { end_deadlock(lines); }),
      failure_(loop_, [this](const std::string& lines) { say(lines); }),
      deaths_(nodes_, {[this](const Frame& frame) { branches_.send(frame); },
                       [this](std::int32_t node, const std::string& why) {
                         on_lost(node, why);
                         branches_.cut(node);
                       },
                       [this] { loop_.after(HeadDeaths::kToHearOthersNs, [this] { deaths_.give_up_hosts(); }); }}),
      origin_(origin) {}

int Head::run() {
  serve();
  start_agents();
  if (!loop_.run()) {
    say(end_of_job_words({}, formatted("the launcher cannot wait for anything: {}", std::strerror(errno))));
    exit_code_ = EXIT_FAILURE;
  }
  return finish();
}

void Head::serve() {
  guardian_.serve(loop_, [this](const PassedSignal& signal) { on_signal(signal); });
  if (origin_ != nullptr && !settings_.goes_on) origin_->watch(loop_, [this] { end(128 + SIGKILL); });
  if (spec_.timeout_s) loop_.after(static_cast<std::int64_t>(*spec_.timeout_s * 1e9), [this] { on_timeout(); });
  loop_.after(Silence::kBeatNs, [this] { beat(); });
  queries_.start();
}

void Head::take(Frame frame) {
  if (frame.node < 0 || static_cast<std::size_t>(frame.node) >= nodes_.size()) return;
  HeadNode& node = nodes_[static_cast<std::size_t>(frame.node)];
  node.silence.heard(now_ns());
  switch (frame.kind) {
    case FrameKind::kHello: return on_hello(node, frame.body);
    case FrameKind::kListening: return on_listening(node, frame.body);
    case FrameKind::kEnds: return on_ends(frame.node, number_in<std::int32_t>(frame.body));
    case FrameKind::kReport: return failure_.on_report(frame.node, frame.body);
    case FrameKind::kPlaces: return failure_.on_places(frame.node, frame.body);
    case FrameKind::kOver: return on_over(node, frame.body);
    case FrameKind::kLost: return on_lost(frame.node, frame.body);
    case FrameKind::kUnreached: return on_unreached(frame.node, frame.body);
    case FrameKind::kShellSays: return say(formatted("host {}: {}\n", node.host.name, frame.body));
    default: return take_from_ranks(frame.node, frame.kind, frame.body);
  }
}

void Head::take_from_ranks(std::int32_t number, FrameKind kind, const std::string& body) {
  switch (kind) {
    case FrameKind::kOutput:
    case FrameKind::kErrors: {
      const Result<RankLines> lines = RankLines::parse(body);
      if (!lines.ok()) return damaged(number);
      return (kind == FrameKind::kOutput ? rank_output_ : rank_errors_).take(number, lines.value());
    }
    case FrameKind::kSay: return say_once(body);
    case FrameKind::kDied: return deaths_.on_died(number, number_in<WorldRank>(body));
    case FrameKind::kRankLost: return deaths_.on_rank_lost(number, RankLoss::parse(body));
    case FrameKind::kLeftEarly: return tell_all(kind, body, number);
    case FrameKind::kScan: return ending_ ? void() : watch_.take(number, body, now_ns());
    case FrameKind::kReply: return queries_.take(number, body);
    case FrameKind::kClock: return traces_.on_clock(number, body);
    case FrameKind::kTrace:
      if (!traces_.on_piece(number, body)) damaged(number);
      return;
    case FrameKind::kInputTaken: return input_.taken(number_in<std::uint64_t>(body));
    case FrameKind::kInputClosed: return input_.stop();
    default: return;
  }
}

void Head::on_ends(std::int32_t number, int exit_code) {
  if (ending_) return;
  std::set<std::int32_t> others;
  for (std::int32_t other = 0; static_cast<std::size_t>(other) < nodes_.size(); ++other) {
    if (other != number && nodes_[static_cast<std::size_t>(other)].step == Step::kRunning) others.insert(other);
  }
  failure_.begin(number, std::move(others));
  end(exit_code);
}

void Head::on_over(HeadNode& node, const std::string& body) {
  Result<Over> over = Over::parse(body);
  if (over.ok()) node.over = std::move(over).value();
  node.step = Step::kGone;
  on_gone(static_cast<std::int32_t>(&node - nodes_.data()));
  stop_if_over();
}

void Head::on_lost(std::int32_t number, const std::string& why) {
  HeadNode& node = nodes_[static_cast<std::size_t>(number)];
  const Step before = std::exchange(node.step, Step::kGone);
  on_gone(number);
  if (before != Step::kGone && !ending_) {
    const std::string what = before == Step::kRunning ? formatted("{}. {}", why, node.what_is_there()) : why;
    if (before != Step::kRunning || !settings_.goes_on) return fail(number, what), stop_if_over();
    node.is_lost = true;
    if (!spec_.quiet) say(launcher_words(node.host.name, what + "; the job goes on without this host"));
    if (number == input_node_) input_.stop();
    deaths_.on_host_lost(number);
  }
  stop_if_over();
}

void Head::on_gone(std::int32_t number) {
  queries_.on_lost(number);
  watch_.forget(number);
  failure_.on_gone(number);
}

void Head::on_unreached(std::int32_t number, const std::string& why) {
  on_lost(number, formatted("{}; {}", why, what_to_try(static_cast<std::size_t>(number))));
}

void Head::damaged(std::int32_t number) {
  on_lost(number, "its agent says what cannot be understood");
  branches_.cut(number);
}

void Head::on_signal(const PassedSignal& signal) {
  if (all_have_reached(Step::kRunning)) return tell_all(FrameKind::kSignal, number_body(std::int32_t{signal.signal}));
  // No rank is there to hear it.
  if (signal.signal == SIGINT || signal.signal == SIGTERM || signal.signal == SIGHUP || signal.signal == SIGQUIT) {
    end(128 + signal.signal);
  }
}

/// Like any program whose reader has gone: quietly, with the status of SIGPIPE. A full disk ends no computation.
void Head::on_broken_output(int error) {
  if (error == EPIPE) return end(128 + SIGPIPE);
  output_lost_ = true;
  say(describe_lost_output(error));
}

void Head::on_timeout() {
  if (ending_) return;
  const Ask ask = [this](Query query, Queries::Done done) { queries_.ask(std::move(query), std::move(done)); };
  explain_job(ask, [this](const std::string& state) {
    if (ending_) return;
    say(timeout_words(*spec_.timeout_s, state));
    end(kExitTimeout);
  });
}

void Head::end_deadlock(const std::string& lines) {
  if (ending_) return;
  say(lines);
  end(kExitDeadlock);
}

/// Both ends say something from time to time, so that each knows that the other is there.
void Head::beat() {
  const std::int64_t now = now_ns();
  const std::int64_t limit_ns = settings_.dead_after_ms * kMillisecond;
  const std::int64_t mute_limit_ns = settings_.deadline_ms * kMillisecond;
  std::int64_t next_ns = Silence::kBeatNs;
  if (!ending_) watch_.look(now);
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    HeadNode& node = nodes_[number];
    if (node.step == Step::kGreeting || node.step == Step::kGone) continue;
    tell(number, FrameKind::kHeartbeat);
    if (traces_.are_wanted()) tell(number, FrameKind::kAskClock, number_body(now));
    const bool silent = !node.hears(now, limit_ns, mute_limit_ns);
    if (!silent) tell_if_mute(node, now);
    next_ns = std::min(next_ns, node.silence.next_beat_ns(now, limit_ns, mute_limit_ns));
    if (!silent || node.step != Step::kRunning) continue;
    if (!node.was_reachable(nodes_, node.silence.overdue_ns(limit_ns, mute_limit_ns))) continue;
    on_lost(
        static_cast<std::int32_t>(number),
        formatted("nothing has come from it for {:.1f} s: {}", static_cast<double>(now - node.silence.heard_ns()) / 1e9,
                  node.silence.is_mute(now, limit_ns)
                      ? "the machine answers, but its agent hangs, or the remote shell does"
                      : "the host, its agent or the way there is down"));
    branches_.cut(static_cast<std::int32_t>(number));
  }
  loop_.after(next_ns, [this] { beat(); });
}

void Head::tell_if_mute(HeadNode& node, std::int64_t now_ns) {
  const std::int64_t limit_ns = settings_.dead_after_ms * kMillisecond;
  if (!node.silence.is_mute(now_ns, limit_ns)) {
    node.mute_is_told = false;
  } else if (!node.mute_is_told && !ending_ && node.was_reachable(nodes_, node.silence.heard_ns() + limit_ns)) {
    node.mute_is_told = true;
    if (!spec_.quiet) say(mute_words(node, limit_ns));
  }
}

void Head::tell(std::size_t number, FrameKind kind, std::string body) {
  branches_.send({kind, static_cast<std::int32_t>(number), std::move(body)});
}

void Head::tell_all(FrameKind kind, const std::string& body, std::int32_t except) {
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    if (nodes_[number].step == Step::kRunning && static_cast<std::int32_t>(number) != except) tell(number, kind, body);
  }
}

void Head::say(const std::string& lines) { streams_.say(lines); }

void Head::say_once(const std::string& lines) {
  if (said_.insert(lines).second) say(lines);
}

void Head::fail(std::int32_t number, const std::string& sentence) {
  if (ending_) return;
  const std::string& host = nodes_[static_cast<std::size_t>(number)].host.name;
  const bool is_told = origin_ != nullptr && origin_->tell(formatted("host {}: {}", host, sentence));
  if (!is_told) say(end_of_job_words(host, sentence));
  end(EXIT_FAILURE);
}

void Head::end(int exit_code) {
  if (ending_) return;
  ending_ = true;
  exit_code_ = exit_code;
  if (exit_code != 0 && origin_ != nullptr) {
    origin_->tell(formatted("it has ended with status {}; its own report says why", exit_code));
  }
  loop_.cancel(deadline_);
  input_.stop();
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    HeadNode& node = nodes_[number];
    if (node.step == Step::kGreeting) {
      branches_.cut(static_cast<std::int32_t>(number));
      node.step = Step::kGone;
    } else {
      tell(number, FrameKind::kEnd, number_body(static_cast<std::int32_t>(exit_code)));
    }
  }
  const bool any_runs = std::ranges::any_of(nodes_, [](const HeadNode& node) { return node.step == Step::kRunning; });
  constexpr std::int64_t kToKillMs = 12'000;
  constexpr std::int64_t kToLeaveMs = 2000;
  const std::int64_t patience_ms = any_runs ? settings_.grace_ms + kToKillMs : kToLeaveMs;
  loop_.after(patience_ms * kMillisecond, [this] { give_up_waiting(); });
  stop_if_over();
}

void Head::give_up_waiting() {
  for (HeadNode& node : nodes_) {
    if (node.step == Step::kRunning) {
      say(launcher_words(node.host.name, "its agent does not say that all processes of the job have ended there"));
    }
    node.step = Step::kGone;
  }
  loop_.stop();
}

void Head::stop_if_over() {
  if (std::ranges::all_of(nodes_, [](const HeadNode& node) { return node.step == Step::kGone; })) loop_.stop();
}

int Head::finish() {
  failure_.finish();
  if (origin_ != nullptr) origin_->job_is_over();
  const bool joined = std::ranges::any_of(nodes_, [](const HeadNode& node) { return node.over.joined; });
  if (settings_.goes_on && !ending_ && exit_code_ == 0) exit_code_ = deaths_.exit_code();
  for (const HeadNode& node : nodes_) {
    if (!settings_.goes_on && !ending_ && exit_code_ == 0) exit_code_ = node.over.exit_code;
    if (!joined && !node.over.note_on_foreign.empty()) say_once(node.over.note_on_foreign);
  }
  // The agents are leaving; what the remote shells still have to say is heard.
  constexpr std::int64_t kPatienceNs = 2'000'000'000;
  constexpr std::int64_t kPauseNs = 1'000'000;
  const std::int64_t deadline = now_ns() + kPatienceNs;
  while (!branches_.all_gone() && now_ns() < deadline) {
    loop_.after(kPauseNs, [this] { loop_.stop(); });
    if (!loop_.run()) break;
  }
  branches_.close();
  kill_descendants();
  if (const std::string lines = traces_.finish(spec_.quiet); !lines.empty()) say(lines);
  streams_.drain();
  return output_lost_ && exit_code_ == 0 ? EXIT_FAILURE : exit_code_;
}

}  // namespace starling::launch
