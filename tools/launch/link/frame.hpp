// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Frames: what mpiexec (the head of a job) and the agents on its hosts tell each other, and how they lie in a stream of
// bytes.
//
// A stream begins with a greeting, a line of text: "#starling-link 1 0.1.0 x86_64". What stands before it is skipped,
// for a remote shell may print a message of the day first. Behind it there are frames only:
//
//   word 'SLNK' | kind, 4 bytes | node, 4 bytes | length of the body, 4 bytes | body
//
// A frame names the node that it comes from or goes to, so that an agent can pass it on. Thread safety: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace starling::launch {

enum class FrameKind : std::uint32_t {
  // From an agent to the head.
  kHello,        ///< messages.hpp: Hello
  kListening,    ///< Listening
  kOutput,       ///< RankLines, of standard output
  kErrors,       ///< ... of standard error
  kSay,          ///< lines of the launcher's own
  kEnds,         ///< Ends: the job ends because of this node
  kReport,       ///< FailureReport: of the failure behind kEnds
  kPlaces,       ///< RankPlaces: the last calls of the ranks as the job ends, behind kEnds or after kEnd
  kDied,         ///< RankDeath; also from the head, to the other nodes
  kRankLost,     ///< RankLoss: ranks of this node have lost one of another
  kLeftEarly,    ///< EarlyLeaver; also from the head, to the other nodes
  kScan,         ///< NodeScan: what the ranks do, where it has changed
  kInputTaken,   ///< bytes of kInput that rank 0 has room for again, as a number of 8 bytes
  kInputClosed,  ///< rank 0 reads no more
  kOver,         ///< Over: nothing of the job is left on this host
  kLost,         ///< text: a node below this agent is lost, and why
  kUnreached,    ///< the same, before its agent was heard
  kClock,        ///< ClockAnswer
  kTrace,        ///< the next bytes of the log of the node's events (observe/event_log.hpp)
  kShellSays,    ///< lines: from the standard error of a remote shell
  kReply,        ///< NumberedText: the NodeReply to the kQuery of this number
  // From the head to an agent.
  kBranches,   ///< Branches: further agents to start
  kCut,        ///< an agent below does not answer: end it and those below it
  kPart,       ///< Part
  kRoster,     ///< the job card; start
  kDoors,      ///< PulseDoors: of the head
  kRoom,       ///< Room: output that may be sent again
  kSignal,     ///< SignalFrame
  kInput,      ///< bytes for rank 0's standard input
  kInputEnd,   ///< there is no more of it
  kQuery,      ///< NumberedText: a Query about the ranks (query/query.hpp)
  kAskClock,   ///< the head's clock, in nanoseconds, as a number of 8 bytes
  kGiveUp,     ///< a rank of this node is lost to others: end it; as a WorldRank
  kEnd,        ///< end the ranks; exit status as a number of 4 bytes
  kHeartbeat,  ///< both ways: nothing else to say
  kKinds
};

struct Frame {
  FrameKind kind = FrameKind::kHeartbeat;
  std::int32_t node = 0;
  std::string body;

  static constexpr std::size_t kHeaderBytes = 16;
  /// Room for the card of a job of some hundred thousand ranks. A longer frame is damage.
  static constexpr std::size_t kLongestBody = 64 * 1024 * 1024;

  void append_to(std::string& bytes) const;
};

/// Who is at an end of the link.
struct Greeting {
  std::string version;       ///< of Starling
  std::string architecture;  ///< of the machine, as uname has it

  static constexpr std::string_view kWord = "#starling-link ";
  static constexpr std::string_view kProtocol = "5";

  [[nodiscard]] static Greeting of_this_program(std::string version);
  [[nodiscard]] std::string line() const;
  /// Whether somebody who greets like this can be talked to.
  [[nodiscard]] Status understands(std::string_view line) const;
};

/// Takes a stream apart.
class FrameReader {
 public:
  explicit FrameReader(Greeting own) : own_(std::move(own)) {}

  void take(std::string_view bytes) { bytes_.append(bytes); }
  /// The next whole frame, none yet, or the sentence's rest that says why there will never be one more.
  [[nodiscard]] Result<std::optional<Frame>> next();

  [[nodiscard]] bool greeted() const noexcept { return greeted_; }
  /// What came before the greeting, as far as it is kept.
  [[nodiscard]] std::string banner() const;

 private:
  [[nodiscard]] Result<bool> skip_to_greeting();
  void drop(std::size_t count);

  Greeting own_;
  std::string bytes_;
  std::size_t taken_ = 0;
  std::size_t skipped_ = 0;
  std::string banner_;
  bool greeted_ = false;
};

}  // namespace starling::launch
