// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Agent: what `starling agent` does on a host of a job: it answers the head of the job (head/head.hpp) over the link
// that is its standard input and output, starts the ranks of its node, and passes on what they print and how they end.
// It starts further agents where it is told to, and passes their frames on.
//
// When the link ends, or nothing comes through it for too long and mpiexec's machine does not answer either, it kills
// everything of the job on its host and ends.
// Thread safety: for single-threaded processes; everything runs in the event loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "launch/agent/interface_watch.hpp"
#include "launch/agent/link_sink.hpp"
#include "launch/agent/lost_ranks.hpp"
#include "launch/agent/preparation.hpp"
#include "launch/agent/rank_input.hpp"
#include "launch/link/branches.hpp"
#include "launch/link/link.hpp"
#include "launch/link/pulse.hpp"
#include "launch/link/silence.hpp"
#include "launch/supervise/guardian.hpp"
#include "launch/supervise/supervisor.hpp"

namespace starling::launch {

class Agent final : public NodeReports {
 public:
  Agent(Descriptor from_head, Descriptor to_head, const Greeting& greeting, GuardianChannel& guardian,
        const Inherited& inherited);

  /// Serves until its part of the job is over; the exit status of the agent.
  int run();

 private:
  [[nodiscard]] LineSink& output() override { return output_; }
  [[nodiscard]] LineSink& errors() override { return errors_; }
  void say(const std::string& lines) override { tell(FrameKind::kSay, lines); }
  void ends(int exit_code, const std::string& reason) override;
  void report(const FailureReport& report) override { tell(FrameKind::kReport, report.serialised()); }
  void died(WorldRank rank) override { tell(FrameKind::kDied, number_body(rank)); }
  void lost(WorldRank rank, memory::Losses::How how) override {
    tell(FrameKind::kRankLost, RankLoss{rank, how}.serialised());
  }
  void left_early(WorldRank rank, const std::string& program) override;
  void looked(const NodeScan& scan) override;
  void over() override;

  void tell(FrameKind kind, std::string body = {});
  void greet();
  void take(Frame frame);
  void take_own(FrameKind kind, const std::string& body);
  void take_about_ranks(FrameKind kind, const std::string& body);
  void end_ranks();
  void tell_places();
  void take_part(const std::string& body);
  void answer(const std::string& body);
  void take_card(const std::string& body);
  void start_ranks(bootstrap::JobCard card);
  void record(NodeJob& job);
  void refuse(int exit_code, const std::string& problem);
  void stop_if_alone();
  void beat();
  [[nodiscard]] std::int64_t mute_limit_ns() const noexcept;
  [[nodiscard]] std::int64_t silence_limit_ns() const noexcept;
  /// Whether mpiexec, or its machine, is still there.
  [[nodiscard]] bool hears_head(std::int64_t now_ns);
  /// Sends what was recorded to the head, piece by piece.
  void send_log();
  /// why: for the user; empty: the link has ended.
  [[noreturn]] void abandon(const std::string& why);
  void say_over();

  Inherited inherited_;
  EventLoop loop_;
  LinkSink output_;
  LinkSink errors_;
  RankInput input_;
  Branches branches_;
  Link link_;
  Silence silence_;
  Pulse head_pulse_;
  bool head_has_told_doors_ = false;
  Doors doors_{loop_};
  InterfaceWatch interfaces_;
  LostRanks lost_ranks_{loop_, [this](const std::string& sentence) {
                          if (!part_->spec.quiet) say(launcher_words(part_->host, sentence));
                        }};
  std::int32_t node_ = -1;
  std::optional<Part> part_;
  Preparation preparation_;
  Descriptor card_;
  Descriptor name_;   ///< a socket whose name tells where mpiexec is (observe/job/launcher_socket.hpp)
  EventLogFile log_;  ///< of a job that is traced
  std::unique_ptr<Supervisor> supervisor_;
  NodeScan told_;      ///< to the head
  bool over_ = false;  ///< no rank is left, or none will start
  int exit_code_ = 0;
};

}  // namespace starling::launch
