// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The constants of a machine as text and as a file, where the file is looked for, and which machine it is for.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "tuning/constants.hpp"
#include "tuning/file.hpp"
#include "tuning/machine.hpp"
#include "tuning/settings.hpp"

namespace starling::tuning::test {
namespace {

namespace fs = std::filesystem;

TEST(Constants, ComeBackFromTheirText) {
  Constants constants = default_constants();
  constants.links[0].line_ns = 123.5;
  constants.links[1].copy_byte_ns = 0.25;
  constants.turn_ns = 4000;
  const std::string text = text_of(constants, {true, true, true, true, true});
  const Result<Constants> read = parse_constants(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read.value(), constants);
}

TEST(Constants, AreTheDefaultsWithoutText) { EXPECT_EQ(parse_constants("").value(), default_constants()); }

TEST(Constants, OfADistanceThatNobodyMeasuredAreThoseOfTheNextNearer) {
  const Constants read = parse_constants("near.line_ns=77 numa.line_ns=300").value();
  EXPECT_EQ(read.at(Distance::kNear).line_ns, 77);
  EXPECT_EQ(read.at(Distance::kFar), read.at(Distance::kNear));
  EXPECT_EQ(read.at(Distance::kNuma).line_ns, 300);
  EXPECT_EQ(read.at(Distance::kNode), read.at(Distance::kNuma));
  EXPECT_EQ(read.at(Distance::kNetwork), default_constants().at(Distance::kNetwork)) << "a network is no memory";
}

TEST(Constants, RefuseWordsThatAreNone) {
  for (const char* text : {"near.line_ns", "near.line_ns=", "near.line_ns=x", "near.line_ns=-1", "near.line_ns=0",
                           "near.line_ns=inf", "near.line_ns=nan", "near.line_ns=2e9", "near.hop_ns=1", "line_ns=1",
                           "moon.line_ns=1", "near.turn_ns=1", "=x", "near.line_ns=1x"}) {
    const Result<Constants> read = parse_constants(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.status().message().find(std::string(text).substr(0, 4)), std::string::npos)
        << read.status().message();
  }
}

File some_file() {
  Constants constants = default_constants();
  constants.links[0].message_ns = 400;
  return {this_machine(), "2026-11-25T22:00:00Z", text_of(constants, {true, false, false, false, false})};
}

TEST(TuningFile, ComesBackFromItsText) {
  const File file = some_file();
  const Result<File> read = File::parse(file.text());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read.value().machine.cpu, file.machine.cpu);
  EXPECT_EQ(read.value().machine.cores, file.machine.cores);
  EXPECT_EQ(read.value().machine.host, file.machine.host);
  EXPECT_EQ(read.value().measured_at, file.measured_at);
  EXPECT_EQ(read.value().constants, file.constants);
}

TEST(TuningFile, MayHaveRemarks) {
  const Result<File> read = File::parse(
      "# one\nformat = 1 # two\n[machine]\ncpu = \"CPU #3\" # three\ncores = 4#four\n\n[near]\nline_ns = 5 # five\n");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read.value().machine.cpu, "CPU #3");
  EXPECT_EQ(read.value().machine.cores, 4);
  EXPECT_EQ(read.value().constants, "near.line_ns=5");
}

TEST(TuningFile, SaysInWhichLineItIsWrong) {
  const struct {
    const char* text;
    const char* words;
  } kCases[] = {{"", "does not say its format"},
                {"format = 1\n", "names no machine"},
                {"format = 2\n[machine]\ncpu = \"x\"\n", "line 1: it is of format 2"},
                {"format = 1\nhello\n", "line 2: 'hello' is no 'key = value'"},
                {"line_ns = 3\n", "stands in no section"},
                {"format = 1\n[moon]\n", "line 2: there is no section [moon]"},
                {"format = 1\n[machine\n", "there is no section"},
                {"format = 1\n[near]\nline_ns = fast\n", "line 3"},
                {"format = 1\n[near]\nline_ns = 1 near.copy_byte_ns=2\n", "line 3"},
                {"format = 1\n[near]\nhop_ns = 3\n", "there is no constant 'near.hop_ns'"},
                {"format = 1\n[machine]\ncpu = \"x\"\ncores = many\n", "no number of cores"}};
  for (const auto& [text, words] : kCases) {
    const Result<File> read = File::parse(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.status().message().find(words), std::string::npos) << read.status().message();
  }
}

TEST(TuningFile, IsTakenForNoneWhateverItsBytes) {
  const std::string good = some_file().text();
  for (std::size_t length = 0; length < good.size(); length += 7) {
    static_cast<void>(File::parse(good.substr(0, length)).ok());
    std::string flipped = good;
    flipped[length] = static_cast<char>(flipped[length] ^ 0x11);
    static_cast<void>(File::parse(flipped).ok());
  }
}

/// Settings with a folder of their own, in which there may be a file.
class Settings : public testing::Test {
 protected:
  Settings() : folder_(fs::temp_directory_path() / formatted("starling-tuning-{}", getpid())) {
    fs::create_directories(folder_ / "starling");
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  ~Settings() override {
    unsetenv("XDG_CONFIG_HOME");
    fs::remove_all(folder_);
  }
  [[nodiscard]] std::string usual() const { return (folder_ / "starling/tune.conf").string(); }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  /// message_ns with these settings, near; adds warnings.
  double message_ns(const config::Overrides& overrides = {}) {
    config_ = config::Store();
    EXPECT_TRUE(config_.set_all(overrides).ok());
    take_file(config_, &warnings_);
    const Result<Constants> constants = constants_of(config_);
    EXPECT_TRUE(constants.ok()) << constants.status().message();
    return constants.value().at(Distance::kNear).message_ns;
  }
  static double usual_message_ns() { return default_constants().at(Distance::kNear).message_ns; }

  fs::path folder_;
  config::Store config_;
  std::vector<std::string> warnings_;
};

TEST_F(Settings, FindTheFileAtItsUsualPlace) {
  EXPECT_EQ(usual_path(), usual());
  EXPECT_EQ(message_ns(), usual_message_ns());
  write(usual(), some_file().text());
  EXPECT_EQ(message_ns(), 400);
  EXPECT_NE(origin_of(config_).find(usual()), std::string::npos) << origin_of(config_);
  EXPECT_NE(config_.alike().find("near.message_ns=400"), std::string::npos) << "what all ranks need alike";
  EXPECT_EQ(message_ns({{"TUNE_FILE", "none"}}), usual_message_ns());
  EXPECT_EQ(origin_of(config_), "the defaults");
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
}

TEST_F(Settings, NameAFileOrTheConstantsThemselves) {
  write(usual(), some_file().text());
  File other = some_file();
  other.constants = "near.message_ns=500";
  write(folder_ / "other", other.text());
  EXPECT_EQ(message_ns({{"TUNE_FILE", folder_ / "other"}}), 500);
  EXPECT_EQ(message_ns({{"TUNING", "near.message_ns=600"}}), 600) << "said is said";
  EXPECT_EQ(origin_of(config_), "STARLING_TUNING");
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
}

TEST_F(Settings, WarnOnceAndSayWhatToDoWhereTheFileDoesNotHold) {
  File elsewhere = some_file();
  elsewhere.machine.cpu = "Another CPU";
  File smaller = some_file();
  smaller.machine.cores += 1;
  std::string later = some_file().text();
  later.replace(later.find("format = 1"), 10, "format = 9");
  for (const std::string& text : {elsewhere.text(), smaller.text(), later, std::string("nonsense")}) {
    write(usual(), text);
    warnings_.clear();
    EXPECT_EQ(message_ns(), usual_message_ns());
    ASSERT_EQ(warnings_.size(), 1u) << text;
    EXPECT_NE(warnings_[0].find(usual()), std::string::npos) << warnings_[0];
    EXPECT_NE(warnings_[0].find("starling tune -o"), std::string::npos) << warnings_[0];
    EXPECT_NE(warnings_[0].find("defaults"), std::string::npos) << warnings_[0];
  }
  warnings_.clear();
  EXPECT_EQ(message_ns({{"TUNE_FILE", folder_ / "missing"}}), usual_message_ns());
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(Settings, TakeWhatTheLauncherHasReadInPlaceOfTheirOwnFile) {
  write(usual(), some_file().text());
  EXPECT_EQ(message_ns(), 400);
  take_told(config_, "near.message_ns=700");
  EXPECT_EQ(constants_of(config_).value().at(Distance::kNear).message_ns, 700);
  take_told(config_, "");
  EXPECT_EQ(constants_of(config_).value(), default_constants());
  EXPECT_EQ(message_ns({{"TUNING", "near.message_ns=600"}}), 600);
  take_told(config_, "near.message_ns=700");
  EXPECT_EQ(constants_of(config_).value().at(Distance::kNear).message_ns, 600);
}

TEST(TuningSetting, IsAnErrorWhereItCannotBeRead) {
  config::Store config;
  ASSERT_TRUE(config.set("TUNING", "near.hop_ns=1").ok());
  const Result<Constants> constants = constants_of(config);
  ASSERT_FALSE(constants.ok());
  EXPECT_NE(constants.status().message().find("STARLING_TUNING"), std::string::npos);
}

TEST(Machine, IsKnownByItsProcessor) {
  EXPECT_EQ(internal::cpu_in("processor\t: 0\nmodel\t\t: 1\nmodel name\t: Some CPU @ 2 GHz\n"), "Some CPU @ 2 GHz");
  EXPECT_EQ(internal::cpu_in("processor : 0\nCPU implementer : 0x41\nCPU part\t: 0xd0c\n"), "0x41/0xd0c");
  EXPECT_EQ(internal::cpu_in("nothing"), "");
  EXPECT_FALSE(this_machine().cpu.empty());
  EXPECT_GE(this_machine().cores, 1);
}

/// Two packages, each of two NUMA nodes of two caches of two cores: 16 hardware threads.
class Drawn : public testing::Test {
 protected:
  Drawn() : root_(fs::temp_directory_path() / formatted("starling-machine-{}", getpid())) {
    for (unsigned thread = 0; thread < 16; ++thread) {
      const std::string cpu = formatted("cpu/cpu{}", thread);
      put(cpu + "/cache/index0/shared_cpu_list", formatted("{}", thread));
      put(cpu + "/cache/index1/shared_cpu_list", range(thread, 2));
      put(cpu + "/topology/package_cpus_list", range(thread, 8));
    }
    for (unsigned node = 0; node < 4; ++node) put(formatted("node/node{}/cpulist", node), range(node * 4, 4));
  }
  ~Drawn() override { fs::remove_all(root_); }

  [[nodiscard]] Distance spread(const std::vector<unsigned>& threads) const {
    return internal::spread_of(threads, root_.string());
  }

 private:
  static std::string range(unsigned thread, unsigned size) {
    const unsigned first = thread / size * size;
    return formatted("{}-{}\n", first, first + size - 1);
  }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(Drawn, SaysHowFarItsThreadsAreApart) {
  EXPECT_EQ(spread({5}), Distance::kNear);
  EXPECT_EQ(spread({4, 5}), Distance::kNear);
  EXPECT_EQ(spread({4, 6}), Distance::kFar);
  EXPECT_EQ(spread({4, 5, 6, 7}), Distance::kFar);
  EXPECT_EQ(spread({3, 4}), Distance::kNuma);
  EXPECT_EQ(spread({0, 1, 2, 3, 4, 5, 6, 7}), Distance::kNuma);
  EXPECT_EQ(spread({7, 8}), Distance::kNode);
  EXPECT_EQ(spread({}), Distance::kNear);
}

}  // namespace
}  // namespace starling::tuning::test
