// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "top_view.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "doctor_process.hpp"
#include "launch/start/self.hpp"

namespace starling::tools {
namespace {

using observe::RankOrder;

constexpr std::size_t kLeastColumns = 40;
constexpr std::size_t kLeastLines = 6;
constexpr std::size_t kHeadLines = 3;

struct OrderKey {
  char letter;
  RankOrder order;
  const char* words;
};
constexpr OrderKey kOrders[] = {
    {'l', RankOrder::kLate, "the latest first"},      {'r', RankOrder::kRank, "by rank"},
    {'t', RankOrder::kTime, "the longest first"},     {'m', RankOrder::kMpi, "the most in MPI first"},
    {'c', RankOrder::kCalls, "the most calls first"}, {'b', RankOrder::kBytes, "the most bytes first"},
    {'p', RankOrder::kCpu, "the most CPU first"},     {'y', RankOrder::kMemory, "the most memory first"},
};
constexpr const char* kTableKeys = "Q quit  X matrix  Enter stack  sort: Late Rank Time Mpi Calls Bytes cPu memorY";
constexpr const char* kTextKeys = "Q back to the table  arrows and page keys scroll";

const char* words_of(RankOrder order) { return std::ranges::find(kOrders, order, &OrderKey::order)->words; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

StackProcess::StackProcess(pid_t job, std::int32_t rank) : rank_(rank) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  output_ = Descriptor(ends[0]);
  const Descriptor writing(ends[1]);
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  process_ = start_program({launch::own_path(), "stack", "-r", formatted("{}", rank), formatted("{}", job)},
                           nothing.get(), writing.get(), writing.get());
  if (process_ < 0) text_ = "'starling stack' cannot be started";
}

StackProcess::~StackProcess() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  end_program(process_);
}

void StackProcess::read() {
  if (has_ended()) return;
  char bytes[4096];
  ssize_t count = 0;
  while ((count = ::read(output_.get(), bytes, sizeof bytes)) > 0) text_.append(bytes, static_cast<std::size_t>(count));
  if (count == 0) output_.reset();
}

TopView::End TopView::run() {
  std::int64_t next_refresh = now_ns();
  for (;;) {
    if (now_ns() >= next_refresh) {
      if (!source_.refresh(TopSource::Wait::kNo)) return End::kJob;
      next_refresh = now_ns() + interval_ns_;
      rows_ = source_.rows();
      sort_rows(rows_, order_, reversed_);
      draw();
    }
    const std::pair size(screen_.columns(), screen_.lines());
    const KeyPress press =
        screen_.wait_for_key(std::min(source_.pause_ns(), std::max<std::int64_t>(next_refresh - now_ns(), 0)));
    if (screen_.shall_end()) return End::kUser;
    source_.look();
    if (press.key != Key::kNone) {
      if (!on_key(press)) return End::kUser;
      draw();
    } else if (size != std::pair(screen_.columns(), screen_.lines())) {
      draw();
    }
    if (stack_ != nullptr && !stack_->has_ended()) {
      stack_->read();
      if (stack_->has_ended()) draw();
    }
  }
}

bool TopView::on_key(const KeyPress& press) {
  if (press.key == Key::kCharacter) return on_letter(static_cast<char>(std::tolower(press.character)));
  const bool leaves = press.key == Key::kEscape || press.key == Key::kEnter;
  if (shown_ != Shown::kTable && leaves) {
    on_letter('q');
  } else if (press.key == Key::kEnter) {
    open_stack();
  } else {
    move(press);
  }
  return true;
}

bool TopView::on_letter(char letter) {
  if (letter == 'q') {
    if (shown_ == Shown::kTable) return false;
    shown_ = Shown::kTable;
    stack_.reset();
    first_ = 0;
    return true;
  }
  if (letter == 'j') move({Key::kDown, 0});
  if (letter == 'k') move({Key::kUp, 0});
  if (letter == ' ') move({Key::kPageDown, 0});
  if (shown_ != Shown::kTable) return true;
  if (letter == 'x') {
    shown_ = Shown::kMatrix;
    first_ = 0;
  }
  const auto found = std::ranges::find(kOrders, letter, &OrderKey::letter);
  if (found != std::end(kOrders)) sort_by(found->order);
  return true;
}

void TopView::move(const KeyPress& press) {
  const std::size_t page = std::max<std::size_t>(room(), 2) - 1;
  std::size_t& place = shown_ == Shown::kTable ? selected_ : first_;
  switch (press.key) {
    case Key::kUp: place -= std::min<std::size_t>(place, 1); break;
    case Key::kDown: ++place; break;
    case Key::kPageUp: place -= std::min(place, page); break;
    case Key::kPageDown: place += page; break;
    case Key::kHome: place = 0; break;
    case Key::kEnd: place = ~std::size_t{0} / 2; break;
    default: break;
  }
  // draw() takes back what is beyond the last line.
}

void TopView::sort_by(RankOrder order) {
  reversed_ = order == order_ && !reversed_;
  order_ = order;
  sort_rows(rows_, order_, reversed_);
}

void TopView::open_stack() {
  if (selected_ >= rows_.size()) return;
  stack_ = std::make_unique<StackProcess>(source_.job().id, rows_[selected_].rank);
  shown_ = Shown::kStack;
  first_ = 0;
}

std::size_t TopView::room() const {
  constexpr std::size_t kFootLines = 1;
  return screen_.lines() > kHeadLines + kFootLines ? screen_.lines() - kHeadLines - kFootLines : 0;
}

void TopView::draw() {
  Frame frame;
  if (screen_.columns() < kLeastColumns || screen_.lines() < kLeastLines) {
    frame.push_back({observe::printable(formatted("too small: {} x {} needed", kLeastColumns, kLeastLines),
                                        std::max<std::size_t>(screen_.columns(), 2) - 1)});
    return screen_.draw(frame);
  }
  frame.push_back({observe::printable(source_.title(), text_width())});
  frame.push_back({observe::printable(source_.sentence(), text_width()), ScreenLine::Style::kBold});
  switch (shown_) {
    case Shown::kTable: add_table(frame); break;
    case Shown::kStack: add_text(frame, stack_lines()); break;
    case Shown::kMatrix: add_text(frame, source_.matrix_lines(text_width(), room())); break;
  }
  while (frame.size() + 1 < screen_.lines()) frame.push_back({});
  frame.push_back({observe::printable(shown_ == Shown::kTable ? kTableKeys : kTextKeys, text_width()),
                   ScreenLine::Style::kReverse});
  screen_.draw(frame);
}

void TopView::add_table(Frame& frame) {
  if (!rows_.empty()) selected_ = std::min(selected_, rows_.size() - 1);
  if (selected_ < first_) first_ = selected_;
  if (selected_ >= first_ + room()) first_ = selected_ - room() + 1;
  first_ = std::min(first_, rows_.size() > room() ? rows_.size() - room() : 0);
  const std::size_t end = std::min(first_ + room(), rows_.size());
  if (rows_.size() > room()) {
    const std::string rest = formatted("rows {} to {} of {}, {}; ", first_ + 1, end, rows_.size(), words_of(order_));
    frame.front().text = observe::printable(rest + source_.title(), text_width());
  }
  frame.push_back({observe::table_heading(text_width()), ScreenLine::Style::kReverse});
  for (std::size_t i = first_; i < end; ++i) {
    const auto style = i == selected_ ? ScreenLine::Style::kBold : ScreenLine::Style::kPlain;
    std::string line = observe::table_line(rows_[i], text_width());
    if (i == selected_ && line.starts_with(' ')) line.front() = '>';
    frame.push_back({std::move(line), style});
  }
}

void TopView::add_text(Frame& frame, const std::vector<std::string>& lines) {
  const std::string heading =
      shown_ == Shown::kStack ? formatted("stack of rank {}", stack_->rank()) : std::string("who sends to whom");
  frame.push_back({observe::printable(heading, text_width()), ScreenLine::Style::kReverse});
  first_ = std::min(first_, lines.size() > room() ? lines.size() - room() : 0);
  for (std::size_t i = first_; i < lines.size() && i < first_ + room(); ++i) {
    frame.push_back({observe::printable(lines[i], text_width())});
  }
}

std::vector<std::string> TopView::stack_lines() const {
  std::vector<std::string> lines = lines_of(stack_->text());
  if (!stack_->has_ended()) lines.emplace_back("reading the stack ...");
  return lines;
}

}  // namespace starling::tools
