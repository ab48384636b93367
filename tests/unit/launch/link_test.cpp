// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/link/link.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "launch/link/branches.hpp"
#include "launch/link/messages.hpp"
#include "launch/link/silence.hpp"

namespace starling::launch {
namespace {

const Greeting kOurs{"1.2.3", "x86_64"};

std::string stream_of(const std::vector<Frame>& frames, const std::string& banner = "") {
  std::string bytes = banner + kOurs.line();
  for (const Frame& frame : frames) frame.append_to(bytes);
  return bytes;
}

/// The frames that a reader finds when the bytes come in pieces of this size.
std::vector<Frame> frames_in(const std::string& bytes, std::size_t piece) {
  FrameReader reader(kOurs);
  std::vector<Frame> frames;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.take(std::string_view(bytes).substr(at, piece));
    for (;;) {
      Result<std::optional<Frame>> next = reader.next();
      EXPECT_TRUE(next.ok()) << next.status().message();
      if (!next.ok()) return frames;
      if (!next.value()) break;
      frames.push_back(std::move(*next.value()));
    }
  }
  return frames;
}

std::string why_refused(const std::string& bytes) {
  FrameReader reader(kOurs);
  reader.take(bytes);
  for (;;) {
    Result<std::optional<Frame>> next = reader.next();
    if (!next.ok()) return next.status().message();
    if (!next.value()) return "";
  }
}

TEST(Frames, ComeOutAsTheyWentInWhateverThePieces) {
  const std::vector<Frame> sent = {{FrameKind::kHello, -1, "hello"},
                                   {FrameKind::kHeartbeat, 3, ""},
                                   {FrameKind::kOutput, 2, std::string(200'000, 'x')},
                                   {FrameKind::kOver, 70'000, std::string("\0SLNK\n", 6)}};
  for (const char* banner : {"", "Welcome\n", "#starling", "no newline> #starling-lin #"}) {
    for (const std::size_t piece : {1UL, 7UL, 16UL, 4096UL, 1'000'000UL}) {
      const std::vector<Frame> got = frames_in(stream_of(sent, banner), piece);
      ASSERT_EQ(got.size(), sent.size()) << banner << piece;
      for (std::size_t i = 0; i < sent.size(); ++i) {
        EXPECT_EQ(got[i].kind, sent[i].kind);
        EXPECT_EQ(got[i].node, sent[i].node);
        EXPECT_EQ(got[i].body, sent[i].body);
      }
    }
  }
}

TEST(Frames, OfOthersAreRefusedWithASentence) {
  EXPECT_NE(why_refused("#starling-link 1 9.9.9 x86_64\n").find("it has Starling 9.9.9"), std::string::npos);
  EXPECT_NE(why_refused("#starling-link 7 1.2.3 x86_64\n").find("install the same version"), std::string::npos);
  EXPECT_NE(why_refused("#starling-link 1 1.2.3 s390x\n").find("another kind of machine (s390x)"), std::string::npos);
  EXPECT_NE(why_refused(kOurs.line() + std::string(16, '?')).find("pass bytes on as they are"), std::string::npos);
  EXPECT_NE(why_refused(std::string(2'000'000, '.')), "");
  EXPECT_NE(why_refused("#starling-link " + std::string(500, '.')), "");
}

TEST(Frames, ThatAreDamagedAnywhereNeverHarm) {
  std::mt19937 dice(20261123);
  const std::string whole = stream_of({{FrameKind::kPart, 1, std::string(300, 'p')}, {FrameKind::kEnd, 1, "1234"}});
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = whole;
    bytes[dice() % bytes.size()] = static_cast<char>(dice());
    (void)why_refused(bytes);
  }
}

TEST(Frames, TellTheTextBeforeTheGreeting) {
  FrameReader reader(kOurs);
  reader.take("account closed");
  EXPECT_TRUE(reader.next().ok());
  EXPECT_EQ(reader.banner(), "account closed");
  EXPECT_FALSE(reader.greeted());
}

TEST(Messages, ComeOutAsTheyWentIn) {
  Part part;
  part.spec.applications.resize(2);
  part.spec.applications[1].ranks = 7;
  part.spec.applications[1].command = {"cg", "--size", "100"};
  part.spec.applications[1].environment = {{"A", "b=c"}};
  part.spec.applications[1].folder = "/tmp";
  part.spec.quiet = true;
  part.node = 3;
  part.host = "b";
  part.ranks = {WorldRank(4), WorldRank(6)};
  part.app_numbers = {0, 1};
  part.usable_cores = 12;
  part.folder = "/home/ada";
  part.environment = {"X=1", "Y="};
  const Result<Part> got = Part::parse(part.serialised());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value().spec.applications[1].command, part.spec.applications[1].command);
  EXPECT_EQ(got.value().spec.applications[1].environment[0].value, "b=c");
  EXPECT_EQ(got.value().spec.ranks(), part.spec.ranks());
  EXPECT_EQ(got.value().ranks, part.ranks);
  EXPECT_EQ(got.value().app_numbers, part.app_numbers);
  EXPECT_EQ(got.value().usable_cores, 12u);
  EXPECT_EQ(got.value().environment, part.environment);
  EXPECT_EQ(got.value().serialised(), part.serialised());
}

TEST(Messages, HaveTheDoorsOfBothEnds) {
  Listening listening;
  listening.entrances = {{{"10.0.0.1:4000", "eth0"}}, {}};
  listening.doors.addresses = {"10.0.0.1:4001", "[fd00::1]:4001"};
  const Result<Listening> got = Listening::parse(listening.serialised());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got.value().doors.addresses, listening.doors.addresses);
  EXPECT_EQ(got.value().serialised(), listening.serialised());
  const Result<PulseDoors> doors = PulseDoors::parse(listening.doors.serialised());
  ASSERT_TRUE(doors.ok());
  EXPECT_EQ(doors.value().addresses, listening.doors.addresses);
  EXPECT_FALSE(PulseDoors::parse("x").ok());
}

TEST(Messages, ThatAreCutOrLongerAreRefused) {
  const std::string bytes = RankLines{WorldRank(3), "a line\n"}.serialised();
  EXPECT_TRUE(RankLines::parse(bytes).ok());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(RankLines::parse(bytes.substr(0, length)).ok()) << length;
  }
  EXPECT_FALSE(RankLines::parse(bytes + "x").ok());
}

std::size_t widest(const std::vector<AgentStart>& starts, std::vector<bool>& seen) {
  std::size_t width = starts.size();
  for (const AgentStart& start : starts) {
    EXPECT_FALSE(seen[static_cast<std::size_t>(start.node)]);
    seen[static_cast<std::size_t>(start.node)] = true;
    width = std::max(width, widest(start.below, seen));
  }
  return width;
}

TEST(Tree, HasEachAgentOnceAndNobodyStartsTooMany) {
  for (const int hosts : {1, 4, 5, 17, 100}) {
    std::vector<AgentStart> row;
    for (int node = 0; node < hosts; ++node) row.push_back({node, {"ssh", "x"}, {}});
    std::vector<bool> seen(static_cast<std::size_t>(hosts), false);
    const std::vector<AgentStart> tree = as_tree(row, 4);
    EXPECT_LE(widest(tree, seen), 4u);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), hosts);
    EXPECT_TRUE(parse_agent_starts(serialised(tree)).ok());
  }
}

TEST(Silence, IsCountedFromTheLastWordAndNotWhileStopped) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  Silence silence;
  std::int64_t now = 100 * kSecond;
  silence.heard(now);
  const auto wait = [&](std::int64_t time_ns) {
    bool long_ago = false;
    for (const std::int64_t end = now + time_ns; now < end && !long_ago;) {
      now += Silence::kBeatNs;
      long_ago = silence.too_long(now, 4 * kSecond, 30 * kSecond);
    }
    return long_ago;
  };
  EXPECT_FALSE(wait(4 * kSecond));
  silence.heard(now);
  EXPECT_FALSE(wait(3 * kSecond));
  now += 60 * kSecond;  // a debugger
  EXPECT_FALSE(silence.too_long(now, 4 * kSecond, 30 * kSecond));
  EXPECT_FALSE(wait(4 * kSecond));
  EXPECT_TRUE(wait(kSecond));
}

TEST(Silence, IsFoundAsSoonAsItLastsTooLong) {
  constexpr std::int64_t kLimitNs = 4'000'000'000;
  constexpr std::int64_t kHeardNs = 100'300'000'000;  // between two beats
  Silence silence;
  std::int64_t now = 100'000'000'000;
  EXPECT_FALSE(silence.too_long(now, kLimitNs, kLimitNs));
  silence.heard(kHeardNs);
  while (!silence.too_long(now, kLimitNs, kLimitNs)) now += silence.next_beat_ns(now, kLimitNs, kLimitNs);
  EXPECT_EQ(now, kHeardNs + kLimitNs + 1);
  EXPECT_EQ(silence.next_beat_ns(now, kLimitNs, kLimitNs), Silence::kBeatNs);
}

/// Seconds after its last word at which it has lasted too long, while its machine answers until then.
std::int64_t longest_silence_s(std::int64_t answers_until_s) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kHeardNs = 100 * kSecond;
  Silence silence;
  std::int64_t now = kHeardNs;
  EXPECT_FALSE(silence.too_long(now, 4 * kSecond, 30 * kSecond));
  silence.heard(now);
  for (bool long_ago = false; !long_ago; long_ago = silence.too_long(now, 4 * kSecond, 30 * kSecond)) {
    now += silence.next_beat_ns(now, 4 * kSecond, 30 * kSecond);
    const bool answers = now <= kHeardNs + answers_until_s * kSecond;
    EXPECT_EQ(silence.is_suspect(now, 4 * kSecond), now - kHeardNs > 2 * kSecond);
    if (answers && silence.is_suspect(now, 4 * kSecond)) silence.answered(now);
    EXPECT_EQ(silence.is_mute(now, 4 * kSecond),
              now - kHeardNs > 4 * kSecond && now - silence.sign_ns() <= 4 * kSecond);
  }
  return (now - kHeardNs) / kSecond;
}

TEST(Silence, OfAnAgentIsLongerWhileItsMachineAnswers) {
  EXPECT_EQ(longest_silence_s(0), 4);
  EXPECT_EQ(longest_silence_s(10), 14) << "the machine has gone after 10 s";
  EXPECT_EQ(longest_silence_s(100), 30);
}

/// Two ends of a link in one loop.
class LinkTest : public testing::Test {
 protected:
  LinkTest() {
    int there[2];
    int back[2];
    EXPECT_EQ(pipe2(there, O_CLOEXEC) | pipe2(back, O_CLOEXEC), 0);
    one_ = make(back[0], there[1], one_frames_, one_end_);
    two_ = make(there[0], back[1], two_frames_, two_end_);
  }
  std::unique_ptr<Link> make(int reading, int writing, std::vector<Frame>& frames, std::optional<std::string>& end) {
    return std::make_unique<Link>(loop_, Descriptor(reading), Descriptor(writing), kOurs,
                                  Link::Handlers{[&frames](Frame frame) { frames.push_back(std::move(frame)); },
                                                 [&end](const std::string& why) { end = why; }});
  }
  void serve() {
    loop_.after(20'000'000, [this] { loop_.stop(); });
    ASSERT_TRUE(loop_.run());
  }

  EventLoop loop_;
  std::vector<Frame> one_frames_;
  std::vector<Frame> two_frames_;
  std::optional<std::string> one_end_;
  std::optional<std::string> two_end_;
  std::unique_ptr<Link> one_;
  std::unique_ptr<Link> two_;
};

TEST_F(LinkTest, CarriesMoreThanAPipeHoldsBothWays) {
  for (int i = 0; i < 20; ++i) {
    one_->send({FrameKind::kInput, i, std::string(50'000, 'i')});
    two_->send({FrameKind::kOutput, i, std::string(70'000, 'o')});
  }
  EXPECT_FALSE(one_->idle());
  for (int i = 0; i < 100 && (one_frames_.size() < 20 || two_frames_.size() < 20); ++i) serve();
  ASSERT_EQ(one_frames_.size(), 20u);
  ASSERT_EQ(two_frames_.size(), 20u);
  EXPECT_EQ(one_frames_[19].body, std::string(70'000, 'o'));
  EXPECT_TRUE(one_->idle());
}

TEST_F(LinkTest, TellsItsEndOnceAndAfterTheLastFrame) {
  two_->send({FrameKind::kOver, 0, "last"});
  two_->close();
  serve();
  ASSERT_EQ(one_frames_.size(), 1u);
  EXPECT_EQ(one_end_, "");
  EXPECT_EQ(two_end_, std::nullopt);
  EXPECT_TRUE(one_->ended());
}

}  // namespace
}  // namespace starling::launch
