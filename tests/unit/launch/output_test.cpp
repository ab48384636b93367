// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace starling::launch {
namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
  }
  Descriptor reading;
  Descriptor writing;
};

void put(Descriptor& pipe, std::string_view text) {
  ASSERT_EQ(write(pipe.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

/// Two streams into one sink whose output can be read back.
class StreamTest : public testing::Test {
 protected:
  explicit StreamTest(Labels labels = {})
      : sink_(loop_, result_.writing.get(), labels, [this](int) { broken_ = true; }),
        one_(loop_, std::move(first_.reading), sink_, WorldRank(7), LineStream::Prompts::kNo),
        two_(loop_, std::move(second_.reading), sink_, WorldRank(8), LineStream::Prompts::kNo) {
    fcntl(result_.reading.get(), F_SETFL, O_NONBLOCK);
  }

  /// Serves what is ready now.
  void serve() {
    loop_.after(1'000'000, [this] { loop_.stop(); });
    ASSERT_TRUE(loop_.run());
  }
  std::string result() {
    char buffer[65536];
    const ssize_t count = read(result_.reading.get(), buffer, sizeof buffer);
    return count > 0 ? std::string(buffer, static_cast<std::size_t>(count)) : std::string();
  }

  EventLoop loop_;
  Pipe result_;
  Pipe first_;
  Pipe second_;
  bool broken_ = false;
  Sink sink_;
  LineStream one_;
  LineStream two_;
};

class LabelledStreamTest : public StreamTest {
 protected:
  LabelledStreamTest() : StreamTest({.ranks = true}) {}
};

TEST_F(StreamTest, KeepsAnUnfinishedLineBackUntilItsEndComes) {
  put(first_.writing, "half");
  serve();
  EXPECT_EQ(result(), "");
  put(second_.writing, "other\n");
  serve();
  put(first_.writing, " line\n");
  serve();
  EXPECT_EQ(result(), "other\nhalf line\n");
}

TEST_F(StreamTest, HandsTheUnfinishedRestOverAtTheEnd) {
  put(first_.writing, "a\nrest");
  first_.writing.reset();
  serve();
  EXPECT_EQ(result(), "a\nrest");
}

TEST_F(StreamTest, EndsAnUnfinishedLineBeforeAnotherStreamWrites) {
  put(first_.writing, "rest");
  first_.writing.reset();
  serve();
  put(second_.writing, "next\n");
  serve();
  EXPECT_EQ(result(), "rest\nnext\n");
}

TEST_F(StreamTest, KeepsALongLineUntilItIsWhole) {
  const std::string piece(40'000, 'x');
  put(first_.writing, piece);
  serve();
  put(first_.writing, piece);
  serve();
  EXPECT_EQ(result(), "");
  put(first_.writing, "\n");
  serve();
  EXPECT_EQ(result().size(), 65536u);
  serve();
  EXPECT_EQ(result().size(), 80'001u - 65536u);
}

TEST_F(StreamTest, HandsALineWithoutEndOverInPieces) {
  const std::string piece(60'000, 'x');
  for (std::size_t sent = 0; sent <= LineStream::kLongestLine; sent += piece.size()) {
    EXPECT_EQ(result(), "") << sent;
    put(first_.writing, piece);
    serve();
  }
  EXPECT_EQ(result().size(), 65536u);
}

TEST_F(StreamTest, NoticesThatNobodyReads) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  result_.reading.reset();
  put(first_.writing, "lost\n");
  serve();
  signal(SIGPIPE, before);
  EXPECT_TRUE(broken_);
}

TEST_F(StreamTest, StopsReadingWhileItsReaderIsSlowAndLosesNothing) {
  fcntl(first_.writing.get(), F_SETFL, O_NONBLOCK);
  const std::string line(999, 'y');
  std::size_t written = 0;
  for (int quiet = 0; quiet < 3; serve(), ++quiet) {
    while (write(first_.writing.get(), (line + "\n").c_str(), 1000) == 1000) {
      written += 1000;
      quiet = 0;
    }
    ASSERT_LT(written, 10'000'000u) << "the stream reads without limit";
  }
  std::size_t received = 0;
  for (int quiet = 0; quiet < 3; serve()) {
    const std::size_t count = result().size();
    quiet = count == 0 ? quiet + 1 : 0;
    received += count;
  }
  // A last line may have been cut by the pipe's own end.
  EXPECT_GE(received, written);
}

TEST_F(LabelledStreamTest, BeginsEachLineWithItsLabel) {
  put(first_.writing, "a\n\nb\n");
  serve();
  EXPECT_EQ(result(), "[7] a\n[7] \n[7] b\n");
}

TEST_F(LabelledStreamTest, LabelsNeitherTheRestOfALineNorTheLaunchersOwnWords) {
  sink_.put(WorldRank(7), "be");
  sink_.put(WorldRank(7), "gun\nnext");
  sink_.put(WorldRank(), "note\n");
  serve();
  EXPECT_EQ(result(), "[7] begun\n[7] next\nnote\n");
}

}  // namespace
}  // namespace starling::launch
