// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Revocation and agreement on machines that are not here: the components of src/resilience in a simulation
// (simulation.hpp says what a message costs), up to 100,000 processes.
//
//   Plan A   all but process 0 wait in an allreduce on one communicator; 0 revokes it. From the call to the last
//            process that is told. The copies of the revocation that are still under way then are the jitter of plan B.
//   Plan B   allreduces on another communicator, begun by each process as soon as it is told. The first from the moment
//            when the last is told to its end everywhere, the second and third from the end everywhere of the one
//            before, each beside the same operation where nothing was revoked.
//   agree    from the call to the last verdict, with nobody dead.
// Operations are disseminations: in round k each process sends to the one 2^k after it; they differ in what a round
// carries. Beside the binomial graph the fully connected overlay of the first prototypes, in which the first receipt is
// passed on to everybody. Source of plan A and B: Bouteiller, Bosilca, Dongarra, EuroMPI 2015.
//   at_scale [MOST PROCESSES] [L ns] [o ns]
//   at_scale --operations [PROCESSES]      plans A and B with several operations and sizes
//   at_scale --overlays [MOST PROCESSES]   both overlays: times and messages
//   at_scale --curve                       comma-separated, for bench/resilience/plot.py
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "resilience/agreement.hpp"
#include "resilience/broadcast.hpp"
#include "resilience/vote_packets.hpp"
#include "simulation.hpp"

namespace {

using starling::bench::Costs;
using starling::bench::Simulation;
using starling::resilience::Agreement;
using starling::resilience::AgreementMessage;
using starling::resilience::Broadcast;
using starling::resilience::packets_of;
using starling::resilience::RankSet;
using starling::resilience::Vote;

constexpr int kOperations = 4;
constexpr std::size_t kPacketBytes = 2000;
constexpr std::int32_t kMostInAgreement = 32'768;

/// What a round of an operation carries.
struct Operation {
  const char* name = "allreduce";
  double bytes = 8;  ///< of each process
  enum class Carries : std::uint8_t { kNothing, kSame, kDoubling, kHalf } carries = Carries::kSame;

  [[nodiscard]] double in_round(std::int8_t round, std::int32_t processes) const {
    switch (carries) {
      case Carries::kNothing: return 0;
      case Carries::kSame: return bytes;
      case Carries::kDoubling: return bytes * static_cast<double>(std::int64_t{1} << round);
      case Carries::kHalf: return bytes * processes / 2;
    }
    return bytes;
  }
};
using Carries = Operation::Carries;

/// How a revocation spreads.
enum class Overlay : std::uint8_t { kBinomialGraph, kFullyConnected };

/// Operations one after the other at one process.
struct Allreduces {
  std::int8_t operation = -1;  ///< the one that it is in; -1: not begun
  std::int8_t round = 0;
  std::array<std::uint32_t, kOperations> came{};  ///< a bit for each round
  std::array<double, kOperations> ended{};
};

/// Plan A interrupted, then plan B, as the benchmark of the source.
class PlanB {
 public:
  struct Times {
    double told = 0;                       ///< the last process
    double messages = 0;                   ///< sent by each for the revocation, at most
    double all_messages = 0;               ///< by all
    double ended = 0;                      ///< when the last copy of the revocation was handled
    std::array<double, kOperations> op{};  ///< see above
  };

  PlanB(std::int32_t processes, const Costs& costs, const Operation& operation = {},
        Overlay overlay = Overlay::kBinomialGraph)
      : processes_(processes),
        operation_(operation),
        overlay_(overlay),
        simulation_(processes, costs),
        heard_(static_cast<std::size_t>(processes)),
        told_(heard_.size()),
        reduces_(heard_.size()) {
    while (std::int64_t{1} << rounds_ < processes) ++rounds_;
  }

  /// Dead before anybody learns of it: who sends to it sends in vain.
  void kill(std::int32_t process) { simulation_.kill(process); }

  Times revoked() {
    simulation_.schedule(0, 0, {EventKind::kRevoke, 0, 0});
    return run();
  }
  /// Who revokes, and no plan B.
  double spread() {
    plan_b_ = false;
    return revoked().told;
  }
  Times undisturbed() {
    for (std::int32_t process = 0; process < processes_; ++process) {
      simulation_.schedule(0, process, {EventKind::kBegin, 0, 0});
    }
    return run();
  }

 private:
  enum class EventKind : std::int8_t { kRevoke, kBegin, kReduce };
  struct Message {
    EventKind kind;
    std::int8_t operation;
    std::int8_t round;
  };

  Times run() {
    simulation_.run([this](std::int32_t process, const Message& message) { handle(process, message); });
    Times times;
    times.told = *std::max_element(told_.begin(), told_.end());
    times.messages = most_;
    times.all_messages = sent_;
    times.ended = ended_;
    for (std::size_t i = 0; i < kOperations; ++i) {
      for (const Allreduces& one : reduces_) times.op[i] = std::max(times.op[i], one.ended[i]);
    }
    for (std::size_t i = kOperations; i-- > 0;) times.op[i] -= i == 0 ? times.told : times.op[i - 1];
    return times;
  }

  void handle(std::int32_t process, const Message& message) {
    const auto at = static_cast<std::size_t>(process);
    if (message.kind == EventKind::kRevoke) {
      ended_ = std::max(ended_, simulation_.now(process));
      if (!hear(process, message)) return;
      told_[at] = simulation_.now(process);
    }
    if (!plan_b_) return;
    Allreduces& mine = reduces_[at];
    if (message.kind == EventKind::kReduce) {
      mine.came[static_cast<std::size_t>(message.operation)] |= 1U << message.round;
    } else {
      begin(process, mine);
    }
    if (mine.operation >= 0) go_on(process, mine);
  }

  /// True the first time; then it has been passed on.
  bool hear(std::int32_t process, const Message& message) {
    double sent = 0;
    const auto pass = [&](std::int32_t to) {
      ++sent;
      simulation_.send(process, to, message);
    };
    Broadcast& mine = heard_[static_cast<std::size_t>(process)];
    if (overlay_ == Overlay::kBinomialGraph) {
      if (!mine.hear(process, processes_, pass)) return false;
    } else {
      if (!mine.take()) return false;
      for (std::int32_t i = 1; i < processes_; ++i) pass((process + i) % processes_);
    }
    most_ = std::max(most_, sent);
    sent_ += sent;
    return true;
  }
  void begin(std::int32_t process, Allreduces& mine) {
    if (++mine.operation == kOperations) return;
    mine.round = 0;
    send_round(process, mine);
  }
  void send_round(std::int32_t process, const Allreduces& mine) {
    const auto to = static_cast<std::int32_t>((process + (std::int64_t{1} << mine.round)) % processes_);
    simulation_.send(process, to, {EventKind::kReduce, mine.operation, mine.round},
                     operation_.in_round(mine.round, processes_));
  }
  void go_on(std::int32_t process, Allreduces& mine) {
    while (mine.operation < kOperations &&
           (mine.came[static_cast<std::size_t>(mine.operation)] >> mine.round & 1) != 0) {
      if (++mine.round < rounds_) {
        send_round(process, mine);
      } else {
        mine.ended[static_cast<std::size_t>(mine.operation)] = simulation_.now(process);
        begin(process, mine);
      }
    }
  }

  std::int32_t processes_;
  Operation operation_;
  Overlay overlay_;
  std::int8_t rounds_ = 0;
  bool plan_b_ = true;
  double most_ = 0;
  double sent_ = 0;
  double ended_ = 0;
  Simulation<Message> simulation_;
  std::vector<Broadcast> heard_;
  std::vector<double> told_;
  std::vector<Allreduces> reduces_;
};

/// The last verdict of an agreement that all begin at once.
double agreed(std::int32_t processes, const Costs& costs) {
  struct Message {
    std::int32_t from;  ///< -1: the call itself
    AgreementMessage text;
  };
  Simulation<Message> simulation(processes, costs);
  struct Post final : Agreement::Post {
    Post(Simulation<Message>& s, std::int32_t p) : simulation(s), process(p) {}
    void send(std::int32_t member, const AgreementMessage& message) override {
      // All packets of a vote as one message: with nobody dead there is one.
      double bytes = 0;
      for (const auto& packet : packets_of(message.vote, kPacketBytes)) bytes += static_cast<double>(packet.size());
      simulation.send(process, member, {process, message}, bytes);
    }
    std::uint64_t token() override { return 0; }
    Simulation<Message>& simulation;
    std::int32_t process;
  };
  std::vector<Agreement> members;
  for (std::int32_t i = 0; i < processes; ++i) members.emplace_back(i, processes);
  Vote mine;
  mine.dead = RankSet(processes);
  mine.acknowledged = RankSet(processes);
  for (std::int32_t i = 0; i < processes; ++i) simulation.schedule(0, i, {-1, AgreementMessage()});
  double last = 0;
  simulation.run([&](std::int32_t process, const Message& message) {
    Agreement& member = members[static_cast<std::size_t>(process)];
    Post post(simulation, process);
    const bool before = member.verdict().has_value();
    if (message.from < 0) {
      member.start(mine, post);
    } else {
      member.receive(message.from, message.text, post);
    }
    if (!before && member.verdict()) last = std::max(last, simulation.now(process));
  });
  return last;
}

/// The time until the last that can be told is, where a share of the others than 0 is dead: the median of some draws.
double spread_among(std::int32_t processes, double dead_share, const Costs& costs, std::mt19937& random) {
  constexpr int kTrials = 3;
  std::vector<double> times;
  std::vector<std::int32_t> order(static_cast<std::size_t>(processes) - 1);
  std::iota(order.begin(), order.end(), 1);
  for (int trial = 0; trial < kTrials; ++trial) {
    std::shuffle(order.begin(), order.end(), random);
    PlanB plan(processes, costs);
    const auto dead = static_cast<std::size_t>(dead_share * processes);
    for (std::size_t i = 0; i < dead; ++i) plan.kill(order[i]);
    times.push_back(plan.spread());
  }
  std::sort(times.begin(), times.end());
  return times[kTrials / 2];
}

void print_operations(std::int32_t processes, const Costs& costs) {
  constexpr Operation kOperationsTried[] = {
      {"barrier", 0, Carries::kNothing},       {"allreduce", 8, Carries::kSame},
      {"allreduce", 1024, Carries::kSame},     {"allreduce", 65'536, Carries::kSame},
      {"allgather", 8, Carries::kDoubling},    {"allgather", 1024, Carries::kDoubling},
      {"alltoall (Bruck)", 8, Carries::kHalf}, {"alltoall (Bruck)", 1024, Carries::kHalf}};
  std::printf("%d processes; times in us\n%-17s %7s %12s %9s %7s %7s %7s\n", processes, "operation", "bytes",
              "undisturbed", "revoke", "first", "second", "third");
  for (const Operation& operation : kOperationsTried) {
    const double plain = PlanB(processes, costs, operation).undisturbed().op[kOperations - 1];
    const PlanB::Times after = PlanB(processes, costs, operation).revoked();
    std::printf("%-17s %7.0f %12.1f %9.1f %7.2f %7.2f %7.2f\n", operation.name, operation.bytes, plain / 1e3,
                after.told / 1e3, after.op[0] / plain, after.op[1] / plain, after.op[2] / plain);
  }
}

void print_overlays(std::int32_t most, const Costs& costs) {
  std::printf("%9s %-10s %9s %12s %12s %9s %7s %7s %7s; times in us\n", "processes", "overlay", "by each", "messages",
              "last told", "last copy", "first", "second", "third");
  for (const std::int32_t processes : {16, 32, 128, 512, 1024, 2048, 4096}) {
    if (processes > most) break;
    const double plain = PlanB(processes, costs).undisturbed().op[kOperations - 1];
    for (const Overlay overlay : {Overlay::kBinomialGraph, Overlay::kFullyConnected}) {
      const PlanB::Times after = PlanB(processes, costs, {}, overlay).revoked();
      std::printf("%9d %-10s %9.0f %12.0f %12.1f %9.1f %7.2f %7.2f %7.2f\n", processes,
                  overlay == Overlay::kBinomialGraph ? "graph" : "full", after.messages, after.all_messages,
                  after.told / 1e3, after.ended / 1e3, after.op[0] / plain, after.op[1] / plain, after.op[2] / plain);
    }
  }
}

void print_curve(const Costs& costs) {
  std::printf("processes,undisturbed,revoke,first,second,third\n");
  for (std::int32_t processes = 16; processes <= 65'536; processes *= 2) {
    const double plain = PlanB(processes, costs).undisturbed().op[kOperations - 1];
    const PlanB::Times after = PlanB(processes, costs).revoked();
    std::printf("%d,%.2f,%.2f,%.2f,%.2f,%.2f\n", processes, plain / 1e3, after.told / 1e3, after.op[0] / 1e3,
                after.op[1] / 1e3, after.op[2] / 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "--operations") return print_operations(argc > 2 ? std::atoi(argv[2]) : 1024, {}), 0;
  if (what == "--overlays") return print_overlays(argc > 2 ? std::atoi(argv[2]) : 4096, {}), 0;
  if (what == "--curve") return print_curve({}), 0;
  const std::int32_t most = argc > 1 ? std::atoi(argv[1]) : 100'000;
  Costs costs;
  if (argc > 2) costs.latency = std::atof(argv[2]);
  if (argc > 3) costs.overhead = std::atof(argv[3]);
  std::mt19937 random(1);
  std::printf("L %.0f ns, o %.0f ns, G %.1f ns/byte; times in us\n", costs.latency, costs.overhead, costs.byte);
  std::printf("%9s %9s | %9s %9s %9s | %9s %7s %7s %7s | %9s\n", "processes", "allreduce", "revoke", "half dead",
              "messages", "first op", "first", "second", "third", "agree");
  for (const std::int32_t processes : {16, 32, 128, 1024, 8000, 32768, 100'000}) {
    if (processes > most) break;
    const PlanB::Times calm = PlanB(processes, costs).undisturbed();
    const PlanB::Times after = PlanB(processes, costs).revoked();
    const double half_dead = spread_among(processes, 0.5, costs, random);
    const double plain = calm.op[kOperations - 1];
    std::printf("%9d %9.1f | %9.1f %9.1f %9.0f | %9.1f %7.2f %7.2f %7.2f | ", processes, plain / 1e3, after.told / 1e3,
                half_dead / 1e3, after.messages, after.op[0] / 1e3, after.op[0] / plain, after.op[1] / plain,
                after.op[2] / plain);
    // Every simulated process has several sets of all.
    if (processes <= kMostInAgreement) {
      std::printf("%9.1f\n", agreed(processes, costs) / 1e3);
    } else {
      std::printf("%9s\n", "-");
    }
  }
  return 0;
}
