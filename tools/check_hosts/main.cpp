// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling-check-hosts: the job of 'starling doctor --host a,b', one rank on each host. Each pair of ranks exchanges
// short messages and long ones, each kind within a deadline, and a line says how it went. The first failure ends the
// job.
//
// usage: starling-check-hosts up|down HOST...
//   up     of each pair the lower rank calls the other, and messages of all lengths go to and fro
//   down   the higher rank calls the other
//   HOST   the names of the hosts, in the order of the ranks
// Exits with 1 after a failure, with 3 where it is that no connection was made.
#include <mpi.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "pair_check.hpp"

namespace {

using starling::formatted;
using starling::check_hosts::ConnectionView;
using starling::check_hosts::Message;
using starling::check_hosts::PairCheck;

constexpr Message kMessages[] = {{8, 100, "8 B"}, {64 << 10, 10, "64 KiB"}, {1 << 20, 5, "1 MiB"}};

struct Hosts {
  std::vector<std::string> names;  ///< by rank
  int own = 0;

  [[nodiscard]] std::string call(int caller, int called) const {
    return formatted("{} calls {}", names[static_cast<std::size_t>(caller)], names[static_cast<std::size_t>(called)]);
  }
};

void say(const char* mark, const std::string& what, const std::string& text) {
  std::fputs(formatted("{} {:<18} {}\n", mark, what, text).c_str(), stdout);
  std::fflush(stdout);
}

std::string card(const ConnectionView& view) {
  if (view.interface.empty()) return view.own_address;
  return formatted("{} ({}, MTU {})", view.own_address, view.interface, view.interface_mtu);
}

std::string way(const PairCheck& check) {
  const auto view = check.connection();
  return view ? formatted("{} to {}", card(*view), view->peer_address) : "a connection";
}

/// What a failure with messages of one kind means.
std::string explanation(const PairCheck& check, const Message& message, bool short_ones_pass) {
  const auto view = check.connection();
  const std::string what = formatted("a message of {} {}", message.name, check.problem());
  if (short_ones_pass && view) {
    return formatted(
        "short messages pass, but {}: look at the MTU of {}, of the other host's card and of what is between "
        "them. All must be the same.",
        what, card(*view));
  }
  if (view) return what;
  return formatted(
      "{}. No connection was made: is a firewall between the hosts (STARLING_NET_PORTS sets the ports to let "
      "through)? 'starling explain net' says at which addresses a host is called.",
      what);
}

std::string duration(double microseconds) {
  return microseconds < 1000 ? formatted("{:.1f} us", microseconds) : formatted("{:.1f} ms", microseconds / 1000);
}

/// The exit status after a failure.
constexpr int kFailed = 1;
constexpr int kNoConnection = 3;

/// 0, or the exit status after a failure, which is reported by the caller.
int check_pair(const Hosts& hosts, int partner, bool calls, bool all_lengths) {
  PairCheck check(partner, calls);
  const std::string what = calls ? hosts.call(hosts.own, partner) : hosts.call(partner, hosts.own);
  std::string times;
  for (const Message& message : kMessages) {
    const bool is_first = &message == kMessages;
    if (!is_first && !all_lengths) break;
    if (!check.exchange(message)) {
      say("FAIL", what, explanation(check, message, !is_first));
      return check.connection() ? kFailed : kNoConnection;
    }
    if (is_first) times = formatted("connected in {}", duration(check.first_us()));
    times += formatted(", {} in {}", message.name, duration(check.fastest_us()));
  }
  if (calls) say("ok  ", what, formatted("over {}: {}.", way(check), times));
  return 0;
}

/// The partner of a rank in a round in which each rank has one (the circle method); -1: it rests.
int partner_in(int round, int rank, int size) {
  const int even = size + size % 2;
  const int turning = even - 1;
  int partner = -1;
  if (rank == turning) {
    for (int other = 0; other < turning; ++other) {
      if ((2 * other) % turning == round) partner = other;
    }
  } else {
    partner = (round - rank + turning) % turning;
    if (partner == rank) partner = turning;
  }
  return partner < size ? partner : -1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int size = 0;
  Hosts hosts;
  MPI_Comm_rank(MPI_COMM_WORLD, &hosts.own);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string_view direction = argc > 1 ? argv[1] : "";
  hosts.names.assign(argv + (argc > 2 ? 2 : argc), argv + argc);
  if ((direction != "up" && direction != "down") || hosts.names.size() != static_cast<std::size_t>(size)) {
    std::fputs("starling-check-hosts is a part of 'starling doctor --host a,b', which starts it\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const bool up = direction == "up";
  for (int round = 0; round < size + size % 2 - 1; ++round) {
    const int partner = partner_in(round, hosts.own, size);
    if (partner < 0) continue;
    if (const int code = check_pair(hosts, partner, (hosts.own < partner) == up, up); code != 0) {
      MPI_Abort(MPI_COMM_WORLD, code);
    }
  }
  MPI_Finalize();
  return 0;
}
