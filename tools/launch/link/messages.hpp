// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the frames between the head of a job and its agents carry. Each message is made into bytes by serialised() and
// read by parse(), which fails when the bytes are not such a message.
// Thread safety: values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/id.hpp"
#include "base/status.hpp"
#include "bootstrap/nodes/job_card.hpp"
#include "launch/options/job_spec.hpp"
#include "memory/losses.hpp"
#include "transport/tcp/interfaces.hpp"

namespace starling::launch {

/// The first frame of an agent: what its host is.
struct Hello {
  std::uint32_t usable_cores = 1;
  /// The same text on hosts of one kernel that have the same cores; empty: under a quota, or unknown. Copies of a
  /// virtual machine begin with the same numbers, but have run for other times.
  std::string core_set;
  /// When the kernel began, by the calendar: the same on hosts of one kernel, but for a moment.
  std::int64_t boot_ns = 0;
  transport::tcp::HostNetwork network;

  [[nodiscard]] std::string serialised() const;
  static Result<Hello> parse(std::string_view bytes);
};

/// Whether two hosts of a job have cores in common, for they are names, containers or namespaces of one machine.
[[nodiscard]] bool have_same_cores(const Hello& one, const Hello& other);

/// What an agent needs to know before its ranks can listen: everything but where the others are.
struct Part {
  JobSpec spec;  ///< of the whole job, but for what only the head does
  std::int32_t node = 0;
  std::string host;  ///< as messages name it
  std::vector<WorldRank> ranks;
  std::vector<std::int32_t> app_numbers;
  std::uint32_t usable_cores = 1;        ///< by these ranks
  transport::tcp::HostNetwork offered;   ///< the addresses at which the ranks shall listen
  bool answers = false;                  ///< rank 0 may be asked at a terminal
  bool to_terminal = false;              ///< the head prints to a terminal
  std::string folder;                    ///< where mpiexec was started
  std::vector<std::string> environment;  ///< of mpiexec, but for what describes its host
  std::string head_host;                 ///< the name that mpiexec's machine has for itself
  std::int32_t mpiexec = 0;              ///< the process of mpiexec there

  [[nodiscard]] std::string serialised() const;
  static Result<Part> parse(std::string_view bytes);
};

/// Where the pulse of a process can be felt (link/pulse.hpp).
struct PulseDoors {
  std::vector<std::string> addresses;

  [[nodiscard]] std::string serialised() const;
  static Result<PulseDoors> parse(std::string_view bytes);
};

/// Where the ranks of a node listen, by local rank.
struct Listening {
  std::vector<std::vector<bootstrap::Entrance>> entrances;
  PulseDoors doors;  ///< of the agent

  [[nodiscard]] std::string serialised() const;
  static Result<Listening> parse(std::string_view bytes);
};

/// Text of a rank, for the standard output or error of mpiexec.
struct RankLines {
  WorldRank rank;
  std::string text;

  [[nodiscard]] std::string serialised() const;
  static Result<RankLines> parse(std::string_view bytes);
};

/// The head has room for so many more bytes of output.
struct Room {
  bool errors = false;  ///< standard error; else output
  std::uint64_t bytes = 0;

  [[nodiscard]] std::string serialised() const;
  static Result<Room> parse(std::string_view bytes);
};

/// A rank that ended well and never called MPI.
struct EarlyLeaver {
  WorldRank rank;
  std::string program;

  [[nodiscard]] std::string serialised() const;
  static Result<EarlyLeaver> parse(std::string_view bytes);
};

/// A rank of another node that a rank of the sender's cannot reach any more.
struct RankLoss {
  WorldRank rank;
  memory::Losses::How how = memory::Losses::How::kEnd;

  [[nodiscard]] std::string serialised() const { return ByteWriter().put(rank).put(how).take(); }
  static RankLoss parse(std::string_view bytes) {
    ByteReader reader(bytes);
    RankLoss loss;
    loss.rank = reader.get<WorldRank>();
    loss.how = reader.get<memory::Losses::How>();
    return loss;
  }
};

/// A node's clock at the moment at which it was asked.
struct ClockAnswer {
  std::int64_t asked_ns = 0;  ///< by the head's clock
  std::int64_t node_ns = 0;

  [[nodiscard]] std::string serialised() const { return ByteWriter().put(asked_ns).put(node_ns).take(); }
  static ClockAnswer parse(std::string_view bytes) {
    ByteReader reader(bytes);
    ClockAnswer answer;
    answer.asked_ns = reader.get<std::int64_t>();
    answer.node_ns = reader.get<std::int64_t>();
    return answer;
  }
};

/// The last frame of an agent.
struct Over {
  std::int32_t exit_code = 0;   ///< of the job, as far as the node knows
  bool joined = false;          ///< a rank has called our MPI
  bool finished = false;        ///< ... and has come through MPI_Finalize
  std::string note_on_foreign;  ///< what to say if nobody has

  [[nodiscard]] std::string serialised() const;
  static Result<Over> parse(std::string_view bytes);
};

/// A text that belongs to others of the same number.
struct NumberedText {
  std::uint64_t number = 0;
  std::string text;

  [[nodiscard]] std::string serialised() const;
  static Result<NumberedText> parse(std::string_view bytes);
};

/// A frame whose body is one number.
template <typename T>
[[nodiscard]] std::string number_body(T value) {
  return ByteWriter().put(value).take();
}
template <typename T>
[[nodiscard]] T number_in(std::string_view body) {
  return ByteReader(body).get<T>();
}

}  // namespace starling::launch
