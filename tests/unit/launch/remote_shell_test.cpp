// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/remote_shell.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "launch/hosts/this_machine.hpp"

namespace starling::launch {
namespace {

using Words = std::vector<std::string>;

Words command(HostRequest request, const Host& host, bool in_slurm, const config::Overrides& settings = {}) {
  config::Store store;
  EXPECT_TRUE(store.set_all(settings).ok());
  choose_remote_shell(request, store, in_slurm);
  return remote_command(request, host, {"/opt/starling", "agent"});
}

HostRequest shell(ShellKind kind, std::string words) {
  HostRequest request;
  request.shell_kind = kind;
  request.remote_shell = std::move(words);
  return request;
}

const Host kHost{"b", "", {}, {}};
const Host kUsersHost{"2001:db8::2", "me", {}, {}};

TEST(RemoteShell, IsSshByItself) {
  EXPECT_EQ(command({}, kHost, false), (Words{"ssh", "-x", "-T", "b", "/opt/starling", "agent"}));
  EXPECT_EQ(command({}, kUsersHost, false), (Words{"ssh", "-x", "-T", "me@2001:db8::2", "/opt/starling", "agent"}));
  EXPECT_EQ(command(shell(ShellKind::kRsh, ""), kHost, true), (Words{"rsh", "b", "/opt/starling", "agent"}));
}

TEST(RemoteShell, IsWhatTheUserNames) {
  const Words expected = {"sh", "/x/enter", "-q", "b", "/opt/starling", "agent"};
  EXPECT_EQ(command(shell(ShellKind::kAutomatic, " sh /x/enter\t-q "), kHost, true), expected);
  EXPECT_EQ(command(shell(ShellKind::kRsh, "sh /x/enter -q"), kHost, false), expected);
  EXPECT_EQ(command({}, kHost, true, {{"RSH_AGENT", "sh /x/enter -q"}}), expected);
  EXPECT_EQ(command(shell(ShellKind::kAutomatic, "sh /x/enter -q"), kHost, true, {{"RSH_AGENT", "other"}}), expected);
  EXPECT_EQ(command(shell(ShellKind::kSsh, ""), kHost, true, {{"RSH_AGENT", "other"}})[0], "ssh");
}

TEST(RemoteShell, IsFoundFromEveryFolder) {
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(command(shell(ShellKind::kAutomatic, "./enter -q ./x"), kHost, false),
            (Words{here + "/enter", "-q", "./x", "b", "/opt/starling", "agent"}));
  EXPECT_EQ(command(shell(ShellKind::kAutomatic, "../bin/enter"), kHost, false)[0],
            (std::filesystem::path(here).parent_path() / "bin/enter").string());
  EXPECT_EQ(command(shell(ShellKind::kAutomatic, "enter"), kHost, false)[0], "enter") << "PATH has it";
  EXPECT_EQ(command(shell(ShellKind::kSrun, "bin/srun"), kHost, false)[3], here + "/bin/srun");
}

TEST(RemoteShell, IsSrunInsideASlurmAllocation) {
  const Words words = command({}, kHost, true);
  EXPECT_EQ(Words(words.begin(), words.begin() + 4), (Words{"env", "-u", "SLURM_LABELIO", "srun"}));
  EXPECT_EQ(Words(words.end() - 2, words.end()), (Words{"/opt/starling", "agent"}));
  for (const char* option : {"--nodelist=b", "--ntasks=1", "--overlap", "--unbuffered", "--mpi=none"}) {
    EXPECT_EQ(std::count(words.begin(), words.end(), option), 1) << option;
  }
  EXPECT_EQ(command(shell(ShellKind::kSrun, "/opt/slurm/bin/srun"), kHost, false)[3], "/opt/slurm/bin/srun");
  EXPECT_EQ(command({}, kUsersHost, true)[0], "ssh") << "srun cannot be another user";
}

TEST(RemoteShell, RefusesWordsThatAShellWouldChange) {
  EXPECT_TRUE(check_remote_words({"/opt/starling-1.0_x/b+c/bin/starling", "agent", "--x=1,2:3@%"}).ok());
  for (const char* word :
       {"/opt/my tools/starling", "/opt/$x", "a;b", "a*", "~/x", "a'b", "a\"b", "a\\b", "a(b", "", "a\nb"}) {
    EXPECT_FALSE(check_remote_words({"/opt/starling", word}).ok()) << word;
  }
}

TEST(RemoteShell, LeavesOutWhatSrunSaysOfCoresThatCannotBeBound) {
  EXPECT_TRUE(says_nothing("srun: cluster configuration lacks support for cpu binding"));
  EXPECT_FALSE(says_nothing("srun: error: Unable to create step for job 1"));
  EXPECT_FALSE(says_nothing(""));
}

TEST(ThisMachine, KnowsItsNamesAndAddresses) {
  const ThisMachine machine({"vm.example.org", "vm"}, {"10.0.0.1", "2001:db8::1"}, "me");
  for (const char* name : {"vm", "vm.example.org", "localhost", "127.0.0.1", "127.0.1.1", "::1", "10.0.0.1",
                           "2001:db8::1", "2001:DB8:0::1", "2001:db8::1%eth0"}) {
    EXPECT_TRUE(machine.is(name)) << name;
  }
  for (const char* name : {"vm2", "vm.example.com", "example.org", "10.0.0.2", "2001:db8::2", "", "1", "10.0.0.01"}) {
    EXPECT_FALSE(machine.is(name)) << name;
  }
}

TEST(ThisMachine, IsOnlyThereForTheUserThatWeAre) {
  const ThisMachine machine({"vm"}, {}, "me");
  EXPECT_TRUE(machine.is(Host{"vm", "", {}, {}}));
  EXPECT_TRUE(machine.is(Host{"vm", "me", {}, {}}));
  EXPECT_FALSE(machine.is(Host{"vm", "other", {}, {}}));
}

TEST(ThisMachine, AsksTheSystem) {
  const ThisMachine machine = ThisMachine::ask();
  char name[256] = {};
  ASSERT_EQ(gethostname(name, sizeof name - 1), 0);
  EXPECT_TRUE(machine.is(name));
  EXPECT_TRUE(machine.is("127.0.0.1"));
  EXPECT_FALSE(machine.is("no.such.host"));
}

TEST(ThisMachine, TakesSlurmsNameOfTheNodeInsideAnAllocation) {
  setenv("SLURMD_NODENAME", "n1", 1);
  EXPECT_FALSE(ThisMachine::ask().is("n1"));
  setenv("SLURM_JOB_ID", "7", 1);
  setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
  EXPECT_TRUE(ThisMachine::ask().is("n1"));
  EXPECT_FALSE(ThisMachine::ask().is("n2"));
  for (const char* variable : {"SLURMD_NODENAME", "SLURM_JOB_ID", "SLURM_JOB_NODELIST"}) unsetenv(variable);
}

}  // namespace
}  // namespace starling::launch
