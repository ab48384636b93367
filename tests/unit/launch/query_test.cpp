// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Queries to the nodes of a job, and the socket at which commands ask: everybody gets an answer or a problem, in time.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "launch/query/queries.hpp"
#include "launch/query/query_channel.hpp"
#include "launch/query/query_server.hpp"
#include "launch/query/snapshot_answers.hpp"
#include "observe/job/launcher_socket.hpp"

namespace starling::launch {
namespace {

/// A job of two nodes with two ranks each; what is sent to a node is kept.
class QueriesTest : public testing::Test {
 protected:
  struct Sent {
    std::int32_t node;
    std::uint64_t number;
    Query query;
  };

  Answers answers_to(Query query) {
    std::optional<Answers> got;
    queries_.ask(std::move(query), [&](Answers answers) {
      got = std::move(answers);
      loop_.stop();
    });
    EXPECT_FALSE(got.has_value());
    if (after_asking_) after_asking_();
    EXPECT_TRUE(loop_.run());
    EXPECT_TRUE(got.has_value());
    return got.value_or(Answers());
  }

  EventLoop loop_;
  std::vector<QueriedNode> nodes_{{4, "a", {0, 1}, ""}, {5, "b", {2, 3}, ""}};
  std::vector<Sent> sent_;
  std::function<void()> after_asking_;
  Queries queries_{loop_,
                   {[this] { return nodes_; },
                    [this](std::int32_t node, std::uint64_t number, const Query& query) {
                      sent_.push_back({node, number, query});
                    }}};
};

TEST_F(QueriesTest, PutTheAnswersOfAllNodesTogether) {
  after_asking_ = [this] {
    queries_.on_reply(5, sent_[1].number, {{}, "from b"});
    queries_.on_reply(4, sent_[0].number, {{}, "from a"});
  };
  const Answers answers = answers_to(snapshot_query(0));
  EXPECT_EQ(answers.ranks, 4);
  ASSERT_EQ(answers.nodes.size(), 2U);
  EXPECT_EQ(answers.nodes[0].host, "a");
  EXPECT_EQ(answers.nodes[0].reply.bytes, "from a");
  EXPECT_EQ(answers.nodes[1].reply.bytes, "from b");
}

TEST_F(QueriesTest, AskOnlyTheNodesOfTheRanks) {
  after_asking_ = [this] { queries_.on_reply(5, sent_[0].number, {{}, "from b"}); };
  Query query = snapshot_query(0);
  query.ranks = {3};
  const Answers answers = answers_to(query);
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(sent_[0].node, 5);
  EXPECT_EQ(answers.ranks, 4);
  ASSERT_EQ(answers.nodes.size(), 1U);
  EXPECT_EQ(answers.nodes[0].ranks, (std::vector{2, 3}));
}

TEST_F(QueriesTest, SayWhichNodeDoesNotAnswer) {
  after_asking_ = [this] {
    queries_.on_reply(4, sent_[0].number, {{}, "from a"});
    queries_.on_reply(5, sent_[1].number + 1, {{}, "to another question"});
    queries_.on_reply(6, sent_[0].number, {{}, "from nobody"});
  };
  const Answers answers = answers_to(snapshot_query(0));
  EXPECT_EQ(answers.nodes[0].reply.problem, "");
  EXPECT_EQ(problems_of(answers),
            std::vector<std::string>{"host b does not answer: nothing is known of ranks 2 and 3"});
  queries_.on_reply(5, sent_[1].number, {{}, "too late"});
}

TEST_F(QueriesTest, SayWhichNodeIsLost) {
  after_asking_ = [this] {
    queries_.on_lost(5);
    queries_.on_reply(4, sent_[0].number, {{}, "from a"});
    queries_.on_lost(4);  // it has answered
  };
  const Answers answers = answers_to(snapshot_query(60'000 * kMillisecond));
  EXPECT_EQ(answers.nodes[0].reply.bytes, "from a");
  EXPECT_EQ(answers.nodes[1].reply.problem, "is lost");
}

TEST_F(QueriesTest, AnswerThoughNobodyCanBeAsked) {
  for (QueriedNode& node : nodes_) node.problem = "has ended its ranks";
  EXPECT_EQ(problems_of(answers_to(snapshot_query(60'000 * kMillisecond))).size(), 2U);
  EXPECT_TRUE(sent_.empty());
}

TEST_F(QueriesTest, RefuseAnAnswerThatIsTooLong) {
  after_asking_ = [this] {
    queries_.on_reply(4, sent_[0].number, {{}, std::string(NodeReply::kLongest + 1, 'x')});
    queries_.on_reply(5, sent_[1].number, {{}, std::string(NodeReply::kLongest, 'x')});
  };
  const Answers answers = answers_to(snapshot_query(60'000 * kMillisecond));
  EXPECT_EQ(answers.nodes[0].reply.problem, "has an answer of more than 4 MiB");
  EXPECT_EQ(answers.nodes[0].reply.bytes, "");
  EXPECT_EQ(answers.nodes[1].reply.bytes.size(), NodeReply::kLongest);
}

TEST(QueryMessages, ComeBackAsTheyWereAndAreRefusedWhenCut) {
  Query query{QueryKind::kPositions, "text", {1, 7}, 5};
  Answers answers{8, {{"a", {0, 1}, {"", "bytes"}}, {"b", {2}, {"is lost", ""}}}};
  const std::string asked = query.serialised();
  const std::string answered = answers.serialised();
  EXPECT_EQ(Query::parse(asked).value().serialised(), asked);
  EXPECT_EQ(Answers::parse(answered).value().serialised(), answered);
  for (std::size_t length = 0; length < asked.size(); ++length)
    EXPECT_FALSE(Query::parse(asked.substr(0, length)).ok()) << length;
  for (std::size_t length = 0; length < answered.size(); ++length)
    EXPECT_FALSE(Answers::parse(answered.substr(0, length)).ok()) << length;
  query.kind = QueryKind::kKinds;
  EXPECT_FALSE(Query::parse(query.serialised()).ok());
  query.kind = QueryKind::kSnapshot;
  query.patience_ns = -1;
  EXPECT_FALSE(Query::parse(query.serialised()).ok());
}

TEST(LauncherSockets, TellWhereMpiexecIs) {
  const auto part = observe::parse_socket_name(observe::part_socket_name("one.example/x", 4711));
  ASSERT_TRUE(part.has_value());
  EXPECT_FALSE(part->is_head);
  EXPECT_EQ(part->host, "one.example/x");
  EXPECT_EQ(part->mpiexec, 4711);
  EXPECT_TRUE(observe::parse_socket_name(observe::head_socket_name())->is_head);
  EXPECT_NE(observe::head_socket_name(), observe::head_socket_name());
  for (const char* const name : {"", "starling-part/", "starling-part/7", "starling-part/7/8", "dbus-7"})
    EXPECT_FALSE(observe::parse_socket_name(name).has_value()) << name;
}

/// A server whose only node answers at once.
class QueryServerTest : public QueriesTest {
 protected:
  void SetUp() override {
    nodes_.resize(1);
    if (!server_.start(name_)) GTEST_SKIP() << "no abstract sockets here";
  }

  Descriptor connection() {
    const SocketAddress address = SocketAddress::of(name_);
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    EXPECT_EQ(connect(made.get(), address.get(), address.length), 0);
    return made;
  }

  /// What comes until the server hangs up.
  std::string said_to(const std::string& bytes) {
    const Descriptor client = connection();
    EXPECT_EQ(write(client.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    std::string said;
    loop_.on_readable(client.get(), [&] {
      char buffer[4096];
      const ssize_t count = read(client.get(), buffer, sizeof buffer);
      if (count > 0) return static_cast<void>(said.append(buffer, static_cast<std::size_t>(count)));
      loop_.remove(client.get());
      loop_.stop();
    });
    const auto answer = loop_.after(20 * kMillisecond, [this] {
      for (const Sent& each : sent_) queries_.on_reply(each.node, each.number, {{}, "bytes"});
    });
    EXPECT_TRUE(loop_.run());
    loop_.cancel(answer);
    return said;
  }

  std::string name_ = observe::head_socket_name();
  QueryServer server_{loop_, queries_};
};

TEST_F(QueryServerTest, AnswersAQuestion) {
  const std::string said = said_to(ChannelMessage::framed(snapshot_query(0).serialised()));
  const auto body = ChannelMessage::body_in(said, ChannelMessage::kLongestAnswer);
  ASSERT_TRUE(body.ok() && body.value());
  ASSERT_EQ(body.value()->front(), static_cast<char>(ChannelReply::kAnswers));
  const Result<Answers> answers = Answers::parse(body.value()->substr(1));
  ASSERT_TRUE(answers.ok());
  EXPECT_EQ(answers.value().nodes.front().reply.bytes, "bytes");
}

TEST_F(QueryServerTest, RefusesGarbageAndGoesOn) {
  const std::string good = ChannelMessage::framed(snapshot_query(0).serialised());
  std::mt19937 random(18);
  for (int round = 0; round < 50; ++round) {
    std::string bytes = good;
    bytes[random() % 16] = static_cast<char>(0x80 | random());
    if (bytes == good) continue;
    const auto body = ChannelMessage::body_in(bytes, ChannelMessage::kLongestQuery);
    if (body.ok()) continue;  // it waits for more
    EXPECT_NE(said_to(bytes).find("another build"), std::string::npos);
  }
  EXPECT_NE(said_to(ChannelMessage::framed("no query")).find("another build"), std::string::npos);
  EXPECT_NE(said_to(good).find("bytes"), std::string::npos);
}

TEST_F(QueryServerTest, OutlivesClientsThatLeaveAndThatStayTooLong) {
  const std::string good = ChannelMessage::framed(snapshot_query(0).serialised());
  for (int i = 0; i < 3; ++i) {
    const Descriptor leaver = connection();
    EXPECT_GT(write(leaver.get(), good.data(), good.size()), 0);
  }
  EXPECT_NE(said_to(good).find("bytes"), std::string::npos);
  std::vector<Descriptor> silent;
  for (std::size_t i = 0; i < QueryServer::kMostClients; ++i) silent.push_back(connection());
  EXPECT_EQ(said_to(good), "");  // hung up: too many
  silent.clear();
  loop_.after(kMillisecond, [this] { loop_.stop(); });
  EXPECT_TRUE(loop_.run());
  EXPECT_NE(said_to(good).find("bytes"), std::string::npos);
}

}  // namespace
}  // namespace starling::launch
