// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the command line says about hosts.
#include "launch/options/host_options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "launch/options/command_line.hpp"
#include "launch/options/job_hosts.hpp"

namespace starling::launch {
namespace {

using Hosts = std::vector<Host>;
using Counts = std::vector<std::uint32_t>;

JobSpec spec_of(std::vector<const char*> words) {
  Result<JobSpec> spec = parse_command_line(words);
  EXPECT_TRUE(spec.ok()) << spec.status().message();
  return spec.ok() ? std::move(spec).value() : JobSpec();
}
std::string problem_of(std::vector<const char*> words) { return parse_command_line(words).status().message(); }

Counts ranks_of(const JobSpec& spec) {
  Counts ranks;
  for (const Application& application : spec.applications) ranks.push_back(application.ranks);
  return ranks;
}

/// A file of hosts for the time of a test.
class HostFile {
 public:
  explicit HostFile(std::string_view text) {
    const int descriptor = mkstemp(path_);
    EXPECT_EQ(write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(descriptor);
  }
  ~HostFile() { unlink(path_); }
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;
  [[nodiscard]] const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/starling-hosts-XXXXXX";
};

TEST(HostOptions, NameHostsUnderEverySpelling) {
  for (const char* option : {"--host", "-host", "-hosts", "-H"}) {
    const JobSpec spec = spec_of({option, "a:8,u@b:2", "-n", "4", "p"});
    EXPECT_EQ(spec.hosts.hosts, (Hosts{{"a", "", 8, {}}, {"b", "u", 2, {}}})) << option;
    EXPECT_TRUE(spec.applications[0].hosts.empty());
    EXPECT_EQ(ranks_of(spec), Counts{4});
  }
  EXPECT_EQ(spec_of({"--host", "a,b", "--host", "a:2", "p"}).hosts.hosts, (Hosts{{"a", "", 3, {}}, {"b", "", 1, {}}}));
  EXPECT_EQ(ranks_of(spec_of({"--host", "a,b", "p"})), Counts{0});
}

TEST(HostOptions, NameHostFilesUnderEverySpelling) {
  const HostFile file("a slots=2 max_slots=3\nb\n");
  for (const char* option : {"-f", "--hostfile", "-machinefile", "--default-hostfile"}) {
    EXPECT_EQ(spec_of({option, file.path(), "p"}).hosts.hosts, (Hosts{{"a", "", 2, 3}, {"b", "", {}, {}}})) << option;
  }
  EXPECT_EQ(spec_of({"-f", file.path(), "p", ":", "-f", file.path(), "q"}).hosts.hosts[0].slots, 2u);
  EXPECT_NE(problem_of({"-f", "/nowhere", "p"}).find("'/nowhere' cannot be read"), std::string::npos);
  const HostFile program(std::string("\177ELF\2\1\1\0", 8));
  for (const std::string& problem :
       {problem_of({"-f", program.path(), "p"}), problem_of({"-configfile", program.path()})})
    EXPECT_NE(problem.find("is no text: its byte 0 is 0x7f"), std::string::npos) << problem;
}

TEST(HostOptions, ChooseFromAHostFileByAList) {
  const HostFile file("a slots=2 max_slots=3\nb slots=4\nc\n");
  EXPECT_EQ(spec_of({"-f", file.path(), "--host", "u@b,a:1", "p"}).hosts.hosts,
            (Hosts{{"b", "u", 4, {}}, {"a", "", 1, 3}}));
  EXPECT_NE(problem_of({"-f", file.path(), "--host", "d", "p"}).find("'d', which the host file does not"),
            std::string::npos);
}

TEST(HostOptions, KeepTheListsOfSeveralApplications) {
  const JobSpec spec = spec_of({"-host", "a", "-n", "1", "p", ":", "-host", "b:2,a", "-n", "2", "q", ":", "r"});
  EXPECT_EQ(spec.hosts.hosts, (Hosts{{"a", "", 2, {}}, {"b", "", 2, {}}}));
  EXPECT_EQ(spec.applications[0].hosts, (Hosts{{"a", "", 1, {}}}));
  EXPECT_EQ(spec.applications[1].hosts, (Hosts{{"b", "", 2, {}}, {"a", "", 1, {}}}));
  EXPECT_TRUE(spec.applications[2].hosts.empty());
  const JobSpec in_front = spec_of({"-host", "a:2,b", "-n", "1", "p", ":", "-n", "2", "q"});
  EXPECT_EQ(in_front.hosts.hosts, (Hosts{{"a", "", 2, {}}, {"b", "", 1, {}}}));
  EXPECT_TRUE(in_front.applications[0].hosts.empty()) << "a list in front is everybody's";
}

TEST(HostOptions, DealRanks) {
  for (const char* option : {"-N", "-ppn", "-perhost", "-npernode"}) {
    const JobSpec spec = spec_of({option, "3", "--host", "a,b", "p"});
    EXPECT_EQ(spec.hosts.deal_by, DealBy::kByNumber) << option;
    EXPECT_EQ(spec.hosts.ranks_per_host, 3u);
  }
  EXPECT_EQ(spec_of({"--map-by", "ppr:2:node", "--bind-to", "core", "--host", "a", "p"}).hosts.ranks_per_host, 2u);
  EXPECT_EQ(spec_of({"--map-by", "node:OVERSUBSCRIBE", "--host", "a", "p"}).hosts.deal_by, DealBy::kNode);
  EXPECT_EQ(spec_of({"--map-by", ":oversubscribe", "--host", "a", "p"}).hosts.deal_by, DealBy::kSlot);
  EXPECT_TRUE(spec_of({"--map-by", ":oversubscribe", "--host", "a", "p"}).hosts.may_exceed_slots);
  EXPECT_FALSE(spec_of({"--map-by", "node:nooversubscribe", "--host", "a", "p"}).hosts.may_exceed_slots);
  EXPECT_FALSE(spec_of({"--nooversubscribe", "--host", "a", "p"}).hosts.may_exceed_slots);
  EXPECT_TRUE(spec_of({"--oversubscribe", "--map-by", ":oversubscribe", "--host", "a", "p"}).hosts.may_exceed_slots);
  EXPECT_EQ(problem_of({"--nooversubscribe", "--oversubscribe", "--host", "a", "p"}),
            "--nooversubscribe and --oversubscribe are contrary; take one of them");
  EXPECT_EQ(problem_of({"--map-by", "slot:oversubscribe", "--nooversubscribe", "--host", "a", "p"}),
            "--map-by slot:oversubscribe and --nooversubscribe are contrary; take one of them");
  const JobSpec by_numa = spec_of({"--map-by", "node", "--map-by", "numa", "--host", "a", "p"});
  EXPECT_EQ(by_numa.hosts.deal_by, DealBy::kNode);
  EXPECT_EQ(by_numa.binding.map_by, topology::MapBy::kNuma);
  for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{{"-N", "0", "p"},
                                                                                     {"-N", "x", "p"},
                                                                                     {"--map-by", "chair", "p"},
                                                                                     {"--map-by", "", "p"},
                                                                                     {"--map-by", "ppr:2", "p"},
                                                                                     {"--map-by", "ppr:0:node", "p"},
                                                                                     {"--map-by", "ppr:2:numa", "p"},
                                                                                     {"--map-by", "node:pe=2", "p"}}) {
    EXPECT_NE(problem_of(words).find(std::string_view(words[0]).starts_with("-N") ? "-N takes" : "--map-by"),
              std::string::npos)
        << words[1];
  }
}

TEST(HostOptions, DealRanksInOneWay) {
  const auto problem = [](const std::vector<const char*>& words) { return problem_of(words); };
  EXPECT_EQ(problem({"-N", "2", "--map-by", "node", "p"}),
            "-N 2 and --map-by node deal the ranks to the hosts differently; take one of them");
  EXPECT_EQ(problem({"--map-by", "ppr:3:node", "-N", "2", "p"}),
            "--map-by ppr:3:node and -N 2 deal the ranks to the hosts differently; take one of them");
  EXPECT_EQ(problem({"--map-by", "core", "--map-by", "numa", "p"}),
            "--map-by core and --map-by numa are contrary; take one of them");
  EXPECT_NE(problem({"-N", "99999999999", "p"}).find("from 1 to 4000000, but got '99999999999'"), std::string::npos);
  for (const char* same : {"ppr:2:node", "slot", "core"}) {
    EXPECT_EQ(spec_of({"-N", "2", "--map-by", same, "p"}).hosts.ranks_per_host, 2u) << same;
    EXPECT_EQ(spec_of({"--map-by", same, "-N", "2", "p"}).hosts.deal_by, DealBy::kByNumber) << same;
  }
}

TEST(HostOptions, NameTheRemoteShell) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"--rsh-agent", "x -y", "p"},
                                             {"-launcher-exec", "x -y", "p"},
                                             {"--mca", "plm_rsh_agent", "x -y", "p"},
                                             {"--mca", "plm_rsh_agent", "x -y:ssh", "p"}}) {
    EXPECT_EQ(spec_of(words).hosts.remote_shell, "x -y");
  }
  EXPECT_EQ(spec_of({"-launcher", "ssh", "p"}).hosts.shell_kind, ShellKind::kSsh);
  EXPECT_EQ(spec_of({"-launcher", "rsh", "-launcher-exec", "x", "p"}).hosts.shell_kind, ShellKind::kRsh);
  EXPECT_EQ(spec_of({"-launcher", "slurm", "p"}).hosts.shell_kind, ShellKind::kSrun);
  EXPECT_NE(problem_of({"-launcher", "pbs", "p"}).find("ssh, rsh or slurm"), std::string::npos);
  EXPECT_NE(problem_of({"--rsh-agent", " ", "p"}).find("takes a command"), std::string::npos);
}

TEST(HostOptions, TakeThoseSettingsOfOpenMpiThatSayNothingOfPlaces) {
  EXPECT_EQ(spec_of({"--mca", "btl", "self", "--mca", "pml", "ob1", "p"}).without_effect,
            (std::vector<std::string>{"--mca btl", "--mca pml"}));
  EXPECT_NE(problem_of({"--mca", "rmaps_base_mapping_policy", "node", "p"}).find("says where ranks run"),
            std::string::npos);
  EXPECT_NE(problem_of({"--mca", "hwloc_base_binding_policy", "core", "p"}).find("--bind-to"), std::string::npos);
  EXPECT_FALSE(spec_of({"--mca", "rmaps_base_oversubscribe", "0", "p"}).hosts.may_exceed_slots);
  EXPECT_TRUE(spec_of({"--mca", "rmaps_base_oversubscribe", "1", "p"}).hosts.may_exceed_slots);
  EXPECT_NE(problem_of({"--preload-binary", "--host", "elsewhere.example", "p"}).find("copies nothing"),
            std::string::npos);
}

TEST(HostOptions, NameTheInterfaceAsMpichDoes) {
  const JobSpec spec = spec_of({"p", ":", "-iface", "eth1", "q"});
  ASSERT_EQ(spec.applications[0].environment.size(), 1u);
  EXPECT_EQ(spec.applications[0].environment[0].name, "STARLING_NET_INTERFACES");
  EXPECT_EQ(spec.applications[0].environment[0].value, "eth1");
}

TEST(HostOptions, LeaveNoHostsWhereAllAreThisMachine) {
  const JobSpec spec = spec_of({"-host", "localhost:3,127.0.0.1", "p"});
  EXPECT_TRUE(spec.hosts.hosts.empty());
  EXPECT_EQ(ranks_of(spec), Counts{4});
  const JobSpec own = spec_of({"-host", "localhost", "p", ":", "-host", "localhost:2", "q"});
  EXPECT_EQ(ranks_of(own), (Counts{1, 2}));
  EXPECT_TRUE(own.applications[1].hosts.empty());
  EXPECT_EQ(ranks_of(spec_of({"p"})), Counts{1});
  EXPECT_EQ(ranks_of(spec_of({"-N", "4", "p"})), Counts{4});
  EXPECT_EQ(ranks_of(spec_of({"-ppn", "4", "-n", "6", "p", ":", "-n", "2", "q"})), (Counts{6, 2}));
  const HostFile file("localhost slots=1 max_slots=2\n");
  EXPECT_EQ(ranks_of(spec_of({"-f", file.path(), "-n", "2", "p"})), Counts{2});
  EXPECT_NE(problem_of({"-f", file.path(), "-n", "3", "p"}).find("max_slots is 2 on 'localhost'"), std::string::npos);
}

TEST(HostOptions, SayThatThisMachineHasMoreRanksThanAreAskedForOnEachHost) {
  EXPECT_TRUE(spec_of({"-N", "2", "p", ":", "-n", "1", "q"}).notes.empty());
  EXPECT_TRUE(spec_of({"-N", "2", "--host", "a,b", "-n", "5", "p"}).notes.empty())
      << "where they are dealt it is known";
  const std::string more = "5 ranks are more than 2 a host, and all are on this machine: no other is named";
  EXPECT_EQ(spec_of({"-N", "2", "-n", "5", "p"}).notes, std::vector{more});
  EXPECT_EQ(spec_of({"--map-by", "ppr:2:node", "-n", "1", "p", ":", "-n", "5", "q"}).notes, std::vector{more});
  EXPECT_EQ(spec_of({"-N", "2", "--host", "localhost:8", "-n", "5", "p"}).notes, std::vector{more});
}

TEST(HostOptions, CountUsableCoresWhereAFileHasNoNumber) {
  JobSpec spec = spec_of({"--host", "a", "p"});
  spec.hosts.hosts[0].slots.reset();
  ASSERT_TRUE(settle_here(spec, ThisMachine({"b"}, {}, ""), 6).ok());
  EXPECT_EQ(spec.hosts.hosts.size(), 1u) << "it is another machine";
  ASSERT_TRUE(settle_here(spec, ThisMachine({"a"}, {}, ""), 6).ok());
  EXPECT_TRUE(spec.hosts.hosts.empty());
  EXPECT_EQ(ranks_of(spec), Counts{6});
}

TEST(HostOptions, TakeTheHostsOfASlurmAllocationWhereNoneAreNamed) {
  setenv("SLURM_JOB_ID", "7", 1);
  setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
  setenv("SLURM_TASKS_PER_NODE", "2(x2)", 1);
  EXPECT_EQ(spec_of({"p"}).hosts.hosts, (Hosts{{"n1", "", 2, {}}, {"n2", "", 2, {}}}));
  EXPECT_EQ(spec_of({"-host", "n2", "p"}).hosts.hosts, (Hosts{{"n2", "", 1, {}}}));
  setenv("SLURM_JOB_NODELIST", "n[1-", 1);
  EXPECT_NE(problem_of({"p"}).find("'n[1-' is not understood"), std::string::npos);
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_TASKS_PER_NODE"}) unsetenv(name);
}

TEST(HostOptions, SurviveOnSeveralHostsWithSparesBehindAKnownNumber) {
  EXPECT_TRUE(spec_of({"--survive", "--host", "a", "-n", "2", "p"}).survive);
  EXPECT_EQ(spec_of({"--spares", "1", "--host", "a:2", "-n", "2", "p"}).ranks(), 3u);
  EXPECT_NE(problem_of({"--spares", "1", "--host", "a:2", "p"}).find("takes the number of ranks without them: -n N"),
            std::string::npos);
  EXPECT_EQ(spec_of({"--spares", "1", "--host", "localhost:2", "p"}).ranks(), 3u);
}

TEST(HostOptions, TakeOverWhatTheAllocationGave) {
  JobSpec spec = spec_of({"-host", "a:2,b", "p", ":", "-n", "2", "q"});
  EXPECT_EQ(spec.rank_requests(), (std::vector<RankRequest>{{0, {}}, {2, {}}}));
  Allocation allocation;
  allocation.ranks = {3, 2};
  spec.take(allocation);
  EXPECT_EQ(spec.ranks(), 5u);
}

}  // namespace
}  // namespace starling::launch
