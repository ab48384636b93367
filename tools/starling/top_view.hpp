// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TopView: starling top on a terminal: the table, a rank's stack, the matrix, and what keys do.
// Thread safety: for single-threaded processes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "top_screen.hpp"
#include "top_source.hpp"

namespace starling::tools {

/// starling stack of a rank, as it runs beside the view.
class StackProcess {
 public:
  StackProcess(pid_t job, std::int32_t rank);
  ~StackProcess();
  StackProcess(const StackProcess&) = delete;
  StackProcess& operator=(const StackProcess&) = delete;

  /// Takes what it has written meanwhile.
  void read();
  [[nodiscard]] std::int32_t rank() const noexcept { return rank_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool has_ended() const noexcept { return output_.get() < 0; }

 private:
  std::int32_t rank_;
  pid_t process_ = -1;
  Descriptor output_;
  std::string text_;
};

class TopView {
 public:
  enum class End : std::uint8_t { kUser, kJob };

  TopView(Screen& screen, TopSource& source, std::int64_t interval_ns)
      : screen_(screen), source_(source), interval_ns_(interval_ns) {}

  /// Until the user or the job ends it.
  End run();

 private:
  using Frame = std::vector<ScreenLine>;
  enum class Shown : std::uint8_t { kTable, kStack, kMatrix };

  /// False: the view shall end.
  bool on_key(const KeyPress& press);
  bool on_letter(char letter);
  void move(const KeyPress& press);
  void sort_by(observe::RankOrder order);
  void open_stack();
  void draw();
  void add_table(Frame& frame);
  void add_text(Frame& frame, const std::vector<std::string>& lines);
  [[nodiscard]] std::vector<std::string> stack_lines() const;
  [[nodiscard]] std::size_t text_width() const { return screen_.columns() - 1; }
  /// Lines between those at the top and the one at the bottom.
  [[nodiscard]] std::size_t room() const;

  Screen& screen_;
  TopSource& source_;
  std::int64_t interval_ns_;
  Shown shown_ = Shown::kTable;
  observe::RankOrder order_ = observe::RankOrder::kLate;
  bool reversed_ = false;
  std::vector<observe::RankRow> rows_;  ///< in order
  std::size_t selected_ = 0;
  std::size_t first_ = 0;  ///< row, or line of a text, below the heading
  std::unique_ptr<StackProcess> stack_;
};

}  // namespace starling::tools
