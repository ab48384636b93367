// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/command_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.hpp"
#include "launch/options/option_table.hpp"

namespace starling::launch {
namespace {

Result<JobSpec> parse(std::vector<const char*> words) { return parse_command_line(words); }

TEST(CommandLine, NamesProgramArgumentsAndRanks) {
  const JobSpec spec = parse({"-n", "4", "prog", "-n", "x"}).value();
  ASSERT_EQ(spec.applications.size(), 1u);
  EXPECT_EQ(spec.ranks(), 4u);
  EXPECT_EQ(spec.applications[0].command, (std::vector<std::string>{"prog", "-n", "x"}));
}

TEST(CommandLine, AddsSparesBehindTheRanksOfTheirProgram) {
  const JobSpec spec = parse({"--spares", "2", "-n", "4", "p", ":", "-n", "3", "q", ":", "--spares", "1", "r"}).value();
  EXPECT_TRUE(spec.survive);
  const std::vector<std::pair<std::uint32_t, const char*>> wanted = {{6, "2"}, {3, nullptr}, {2, "1"}};
  ASSERT_EQ(spec.applications.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(spec.applications[i].ranks, wanted[i].first);
    ASSERT_EQ(spec.applications[i].environment.size(), wanted[i].second == nullptr ? 0u : 1u);
    if (wanted[i].second != nullptr) {
      EXPECT_EQ(spec.applications[i].environment[0].name, "STARLING_JOB_SPARES");
      EXPECT_EQ(spec.applications[i].environment[0].value, wanted[i].second);
    }
  }
  EXPECT_NE(parse({"--spares", "none", "p"}).status().message().find("--spares takes"), std::string::npos);
}

TEST(CommandLine, SplitsPartsAtColons) {
  const JobSpec spec = parse({"-n", "1", "a", ":", "-np", "2", "-wdir", "/tmp", "b", "c"}).value();
  ASSERT_EQ(spec.applications.size(), 2u);
  EXPECT_EQ(spec.ranks(), 3u);
  EXPECT_EQ(spec.applications[0].folder, "");
  EXPECT_EQ(spec.applications[1].folder, "/tmp");
}

TEST(CommandLine, TakesValuesBehindAnEqualsSign) {
  const JobSpec spec = parse({"--n=3", "--timeout=1.5", "--bind-to=none", "p"}).value();
  EXPECT_EQ(spec.ranks(), 3u);
  EXPECT_EQ(spec.timeout_s, 1.5);
  EXPECT_EQ(spec.binding.bind_to, topology::BindTo::kNone);
}

TEST(CommandLine, TakesEachChoiceThatShellsOffer) {
  int tried = 0;
  for (const Option& option : options()) {
    for (std::string_view rest = option.choices; !rest.empty(); ++tried) {
      const std::string choice(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(choice.size() + 1, rest.size()));
      const std::string name = "--" + std::string(option.names[0]);
      const Status said = parse({name.c_str(), choice.c_str(), "p"}).status();
      EXPECT_TRUE(said.ok()) << name << " " << choice << ": " << said.message();
    }
  }
  EXPECT_GT(tried, 25);
}

TEST(CommandLine, TellsProgramsOfEachOption) {
  const std::string list = option_list();
  EXPECT_NE(list.find("mpiexec\toption\t-n, -np\tN\tranks of the program;"), std::string::npos);
  EXPECT_NE(list.find("\tnone hwthread core l3 numa package\n"), std::string::npos);
  EXPECT_EQ(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')), options().size());
}

TEST(CommandLine, TakesWhatToDoAboutADeadlockAndWhenToSpeak) {
  EXPECT_EQ(parse({"p"}).value().on_deadlock, std::nullopt);
  EXPECT_EQ(parse({"--on-deadlock=end", "p"}).value().on_deadlock, OnDeadlock::kEnd);
  EXPECT_EQ(parse({"--on-deadlock", "nothing", "p"}).value().on_deadlock, OnDeadlock::kNothing);
  EXPECT_EQ(parse({"--note-after", "90", "p"}).value().note_after_ms, 90'000);
  EXPECT_EQ(parse({"--note-after", "0", "p"}).value().note_after_ms, 0);
  EXPECT_EQ(parse({"--note-after", "never", "p"}).value().note_after_ms, 0);
}

TEST(CommandLine, PutsSettingsForAllBeforeThoseOfAPart) {
  const JobSpec spec = parse({"-env", "A", "1", "p", ":", "-genv", "A", "2", "q"}).value();
  ASSERT_EQ(spec.applications[0].environment.size(), 2u);
  EXPECT_EQ(spec.applications[0].environment[0].value, "2");
  EXPECT_EQ(spec.applications[0].environment[1].value, "1");
  EXPECT_EQ(spec.applications[1].environment.size(), 1u);
}

TEST(CommandLine, EndsOptionsAtTwoDashes) {
  EXPECT_EQ(parse({"-n", "2", "--", "-odd-name"}).value().applications[0].command[0], "-odd-name");
}

TEST(CommandLine, LeavesValuesAndTheProgramsWordsAsTheyAre) {
  const JobSpec spec =
      parse({"-env", "A", "-np", "-x", "B=", "--wdir=-np", "p", "-np", "--q=", "--", "---x", "-"}).value();
  ASSERT_EQ(spec.applications[0].environment.size(), 2u);
  EXPECT_EQ(spec.applications[0].environment[0].value, "-np");
  EXPECT_EQ(spec.applications[0].environment[1].value, "");
  EXPECT_EQ(spec.applications[0].command, (std::vector<std::string>{"p", "-np", "--q=", "--", "---x", "-"}));
}

TEST(CommandLine, TakesTheLastOfTwoSettingsOfAVariable) {
  const JobSpec spec = parse({"-x", "A=1", "-env", "A", "2", "-x", "A=3", "p"}).value();
  ASSERT_EQ(spec.applications[0].environment.size(), 3u);
  EXPECT_EQ(spec.applications[0].environment[1].value, "2");
  EXPECT_EQ(spec.applications[0].environment[2].value, "3");
}

TEST(CommandLine, RefusesTwoValuesOfWhatHasOne) {
  const auto problem = [](const std::vector<const char*>& words) { return parse(words).status().message(); };
  EXPECT_EQ(problem({"-n", "2", "--np", "3", "p"}), "-n takes one N, but got '2' and '3'");
  EXPECT_EQ(problem({"--timeout", "1", "-n", "2", "p", ":", "--timeout", "2", "q"}),
            "-timeout takes one SECONDS, but got '1' and '2'");
  // Options with one value that may be said often, or whose values may differ from program to program.
  for (const Option& option : options()) {
    if (option.value_count() != 1 || option.said == Said::kOften) continue;
    const std::string name = formatted("-{}", option.names.front());
    const bool refused = problem({name.c_str(), "1", name.c_str(), "2", "p"}).find("takes one") != std::string::npos;
    const bool first_is_wrong = !parse({name.c_str(), "1", "p"}).ok();
    EXPECT_TRUE(refused || first_is_wrong) << name;
  }
  EXPECT_EQ(parse({"-n", "2", "-np", "2", "p"}).value().ranks(), 2u) << "it says the same";
  EXPECT_EQ(parse({"-n", "2", "p", ":", "-n", "3", "q"}).value().ranks(), 5u);
}

TEST(CommandLine, NamesTheOptionThatLacksAValueAsItWasTyped) {
  EXPECT_EQ(parse({"-genv", "A"}).status().message(),
            "-genv takes VAR VALUE, but too little follows it: set VAR for every program of the command");
  EXPECT_EQ(
      parse({"-x", "A=1", "--machinefile"}).status().message().find("--machinefile takes FILE, but nothing follows"),
      0u);
  EXPECT_EQ(parse({"--survive=yes", "p"}).status().message(), "--survive takes no value");
}

TEST(CommandLine, TakesTheLargestNumberOfRanksThatSoftAllows) {
  const struct {
    const char* ranks;
    const char* set;
    std::uint32_t taken;
  } cases[] = {{"8", "2,4,16", 4},   {"8", "1:100", 8},  {"8", "1:100:3", 7}, {"9", "2:6:2", 6},   {"9", "2:7:2", 6},
               {"5", "100:1:-1", 5}, {"5", "9:2:-3", 3}, {"5", "7,5:5", 5},   {"5", "9,3:1,2", 2}, {"6", "6:6:100", 6}};
  for (const auto& one : cases) {
    EXPECT_EQ(parse({"-n", one.ranks, "-soft", one.set, "p"}).value().ranks(), one.taken)
        << one.ranks << " " << one.set;
    EXPECT_EQ(parse({"-soft", one.set, "-n", one.ranks, "p"}).value().ranks(), one.taken)
        << one.ranks << " " << one.set;
  }
  EXPECT_EQ(parse({"-soft", "2,4", "p"}).value().ranks(), 4U);
  const JobSpec spec = parse({"-soft", "2", "-n", "3", "p", ":", "-n", "3", "q"}).value();
  EXPECT_EQ(spec.applications[0].ranks, 2U);
  EXPECT_EQ(spec.applications[1].ranks, 3U);
  EXPECT_EQ(parse({"-n", "1", "-soft", "2,4", "p"}).status().message(),
            "-soft 2,4 holds no number of ranks from 1 to 1");
  EXPECT_EQ(parse({"-soft", "-4", "p"}).status().message(), "-soft -4 holds no number of ranks from 1 on");
  for (const char* set : {"x", "1:", "1:2:0", "1:2:3:4", ":", "1,,2", "-1", "9999999999", "1:9999999999",
                          "-9223372036854775808:9223372036854775807", "-2147483648:-1:-2147483648"}) {
    EXPECT_FALSE(parse({"-n", "4", "-soft", set, "p"}).ok()) << set;
  }
}

TEST(CommandLine, AsksWhetherANearOptionWasMeant) {
  const auto problem = [](const char* word) { return parse({word, "p"}).status().message(); };
  EXPECT_NE(problem("--tagoutput").find("did you mean '--tag-output'?"), std::string::npos);
  EXPECT_NE(problem("-hostflie=x").find("did you mean '--hostfile'?"), std::string::npos);
  EXPECT_EQ(problem("--frobnicate").find("did you mean"), std::string::npos);
}

TEST(CommandLine, RefusesWhatItDoesNotUnderstand) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{},
                                             {":"},
                                             {"-n"},
                                             {"-n", "2"},
                                             {"-n", "2x", "p"},
                                             {"-n", "-3", "p"},
                                             {"-zzz", "p"},
                                             {"p", ":"},
                                             {"-genv", "=", "x", "p"},
                                             {"--timeout", "0", "p"},
                                             {"--on-deadlock", "stop", "p"},
                                             {"--note-after", "soon", "p"},
                                             {"--note-after", "-1", "p"},
                                             {"-c", "2", "p"},
                                             {"-file", "x", "p"},
                                             {"-arch", "no_such_architecture", "p"},
                                             {"-configfile", "x", "p"},
                                             {"-configfile", "/no/such/file"},
                                             {"--rank-by", "node", "p"},
                                             {"--stdin", "all", "p"},
                                             {"--output-filename", "x:nocopy", "p"},
                                             {"-initial-errhandler", "x", "p"}}) {
    EXPECT_FALSE(parse(words).ok());
  }
}

}  // namespace
}  // namespace starling::launch
