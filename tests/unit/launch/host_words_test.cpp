// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Hosts as they are written: --host, host files, Slurm's variables.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "base/format.hpp"
#include "launch/hosts/host_file.hpp"
#include "launch/hosts/host_list.hpp"
#include "launch/hosts/host_name.hpp"
#include "launch/hosts/slurm.hpp"
#include "support/sanitized.hpp"

namespace starling::launch {
namespace {

using Hosts = std::vector<Host>;

Hosts list(std::string_view text) {
  Result<Hosts> hosts = parse_host_list(text);
  EXPECT_TRUE(hosts.ok()) << hosts.status().message();
  return hosts.ok() ? hosts.value() : Hosts();
}
std::string list_error(std::string_view text) { return parse_host_list(text).status().message(); }

Hosts file(std::string_view text) {
  Result<Hosts> hosts = parse_host_file(text, "F");
  EXPECT_TRUE(hosts.ok()) << hosts.status().message();
  return hosts.ok() ? hosts.value() : Hosts();
}
std::string file_error(std::string_view text) { return parse_host_file(text, "F").status().message(); }

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

TEST(HostList, KnowsNamesUsersSlotsAndAddresses) {
  EXPECT_EQ(list("a:8,user@b:2,[2001:db8::2]:4,10.0.0.2"),
            (Hosts{{"a", "", 8, {}}, {"b", "user", 2, {}}, {"2001:db8::2", "", 4, {}}, {"10.0.0.2", "", {}, {}}}));
  EXPECT_EQ(list("::1,[::1]:3,fe80::1%eth0,u@2001:db8::2,u@[2001:db8::3]"), (Hosts{{"::1", "", 4, {}},
                                                                                   {"fe80::1%eth0", "", {}, {}},
                                                                                   {"2001:db8::2", "u", {}, {}},
                                                                                   {"2001:db8::3", "u", {}, {}}}));
}

TEST(HostList, AddsTheSlotsOfANameThatIsGivenTwice) {
  EXPECT_EQ(list("a,b:2,a,a:3"), (Hosts{{"a", "", 5, {}}, {"b", "", 2, {}}}));
}

/// Processor time to read a file of so many names: the least of five, for a busy machine only adds to it.
double seconds_for_names(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += formatted("n{}\n", i);
  std::clock_t least = std::numeric_limits<std::clock_t>::max();
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::clock_t before = std::clock();
    const Hosts hosts = file(text);
    EXPECT_EQ(hosts.size(), static_cast<std::size_t>(count));
    least = std::min(least, std::clock() - before);
  }
  return static_cast<double>(least) / CLOCKS_PER_SEC;
}

// If each name were compared with all before it, ten times as many would take a hundred times as long.
TEST(HostFile, MayHaveVeryManyNames) {
  constexpr int kMany = kUnderSanitizer ? 40'000 : 100'000;
  EXPECT_LT(seconds_for_names(kMany), 50 * seconds_for_names(kMany / 10));
}

TEST(HostList, SaysWhatIsWrongWithAWord) {
  expect_in("'x' is no number of slots", list_error("a:x"));
  expect_in("'' is no number of slots", list_error("a:"));
  expect_in("'0' is no number of slots", list_error("a:0"));
  expect_in("'-1' is no number of slots", list_error("a:-1"));
  expect_in("99999999999999999999 slots are too many", list_error("a:99999999999999999999"));
  expect_in("4000001 slots are too many", list_error("a:4000001"));
  expect_in("a name is empty", list_error("a,,b"));
  expect_in("a name is empty", list_error("a,"));
  expect_in("a name is empty", list_error(""));
  expect_in("'' is no name of a host", list_error(":4"));
  expect_in("'' is no name of a user", list_error("@a"));
  expect_in("no IPv6 address", list_error("[2001:db8::g]:4"));
  expect_in("has no ']'", list_error("[2001:db8::2:4"));
  expect_in("follows ']'", list_error("[::1]4"));
  expect_in("[2001:db8::2]:4", list_error("2001:db8:1:2"));
  expect_in("two users", list_error("u@a,v@a"));
  expect_in("It takes hosts", list_error("a b"));
}

TEST(HostList, LetsNothingSpecialToAShellIntoAName) {
  for (const char* word :
       {"-oProxyCommand=x", "a;b", "$(x)", "a b", "u@-a", "-u@a", "`x`", "a'b", "a\nb", "[::1%$x]"}) {
    EXPECT_FALSE(parse_host(word).ok()) << word;
  }
  EXPECT_EQ(shown_word("a\033[1m\n"), "a?[1m?");
}

TEST(HostFile, KnowsTheWordsOfOpenMpiAndMpich) {
  EXPECT_EQ(
      file(
          "# all\n\na slots=8 max_slots=16\n  user@b:2 \t max-slots = 3 # two\n[2001:db8::2]:4\n10.0.0.7\n2001:db8::3"),
      (Hosts{{"a", "", 8, 16},
             {"b", "user", 2, 3},
             {"2001:db8::2", "", 4, {}},
             {"10.0.0.7", "", {}, {}},
             {"2001:db8::3", "", {}, {}}}));
}

TEST(HostFile, TakesLinesThatEndInCarriageReturns) {
  EXPECT_EQ(file("a slots=2\r\n\r\nb\r\n"), (Hosts{{"a", "", 2, {}}, {"b", "", {}, {}}}));
}

TEST(HostFile, CountsTheLinesOfAHost) {
  EXPECT_EQ(file("a\nb\na\na\nc slots=2\nc\n"), (Hosts{{"a", "", 3, {}}, {"b", "", {}, {}}, {"c", "", 3, {}}}));
}

TEST(HostFile, NamesFileLineWordAndWhatIsUnderstood) {
  const std::string error = file_error("a\n# b\nb slot=2\n");
  expect_in("'F', line 3: 'slot=2' is not understood", error);
  expect_in("slots=N and max_slots=N", error);
  expect_in("line 1: slots: '0' is no number", file_error("a slots=0"));
  expect_in("line 1: slots: '' is no number", file_error("a slots="));
  expect_in("line 2: slots: 5000000000 slots are too many", file_error("b\na slots=5000000000"));
  expect_in("line 1: 'slots' is there twice", file_error("a:2 slots=2"));
  expect_in("line 1: 'max-slots' is there twice", file_error("a max_slots=2 max-slots=2"));
  expect_in("'slots' is not understood", file_error("a slots"));
  expect_in("8 slots, which are more than its max_slots of 4", file_error("a slots=8 max_slots=4"));
  expect_in("line 2: host 'a' has 3 slots", file_error("a slots=2 max_slots=2\na\n"));
  expect_in("names no host", file_error("# nothing\n\n"));
  expect_in("names no host", file_error(""));
  expect_in("line 1: 'slots=4' is no name of a host", file_error("slots=4\n"));
  expect_in("'a?[31m' is not understood", file_error("b a\033[31m"));
}

TEST(HostFile, SaysWhyAFileCannotBeRead) {
  expect_in("'/nowhere/hosts' cannot be read: No such file", read_host_file("/nowhere/hosts").status().message());
  expect_in("Is a directory", read_host_file("/").status().message());
  expect_in("more than 16 MiB", read_host_file("/dev/zero").status().message());
  expect_in("names no host", read_host_file("/dev/null").status().message());
}

TEST(HostFile, ReadsAFile) {
  char path[] = "/tmp/starling-hosts-XXXXXX";
  const int descriptor = mkstemp(path);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(write(descriptor, "a:2\nb\n", 6), 6);
  close(descriptor);
  Result<Hosts> hosts = read_host_file(path);
  unlink(path);
  ASSERT_TRUE(hosts.ok()) << hosts.status().message();
  EXPECT_EQ(hosts.value(), (Hosts{{"a", "", 2, {}}, {"b", "", {}, {}}}));
}

TEST(Slurm, ExpandsListsOfNodes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(expand_node_list("n1").value(), (Names{"n1"}));
  EXPECT_EQ(expand_node_list("n[1-3,7],login").value(), (Names{"n1", "n2", "n3", "n7", "login"}));
  EXPECT_EQ(expand_node_list("n[08-11]").value(), (Names{"n08", "n09", "n10", "n11"}));
  EXPECT_EQ(expand_node_list("r[1-2]n[1,3]-ib").value(), (Names{"r1n1-ib", "r1n3-ib", "r2n1-ib", "r2n3-ib"}));
  for (const char* wrong : {"", "n[1-", "n[]", "n[3-1]", "n[a-b]", "n[1-9999999999]", ",n", "n[1-1000]m[1-9999]"}) {
    EXPECT_FALSE(expand_node_list(wrong).ok()) << wrong;
  }
}

TEST(Slurm, ExpandsCounts) {
  using NodeCounts = std::vector<std::uint32_t>;
  EXPECT_EQ(expand_node_counts("2(x3),1"), (NodeCounts{2, 2, 2, 1}));
  EXPECT_EQ(expand_node_counts("16"), (NodeCounts{16}));
  for (const char* wrong : {"", "x", "2(x", "2(3)", "2(x)", "2(xx3)", "2(x9999999999)"}) {
    EXPECT_TRUE(expand_node_counts(wrong).empty()) << wrong;
  }
}

TEST(Slurm, TakesTasksForSlotsElseProcessorsElseCores) {
  EXPECT_EQ(slurm_hosts("n[1-2]", "3,1", "4(x2)").value(), (Hosts{{"n1", "", 3, {}}, {"n2", "", 1, {}}}));
  EXPECT_EQ(slurm_hosts("n[1-2]", "1", "4(x2)").value(), (Hosts{{"n1", "", 4, {}}, {"n2", "", 4, {}}}));
  EXPECT_EQ(slurm_hosts("n[1-2]", "", "").value(), (Hosts{{"n1", "", {}, {}}, {"n2", "", {}, {}}}));
  EXPECT_FALSE(slurm_hosts("$(reboot)", "", "").ok());
}

}  // namespace
}  // namespace starling::launch
