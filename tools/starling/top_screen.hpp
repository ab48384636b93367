// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Screen: the terminal as starling top uses it: the alternate screen, keys one by one, frames of lines. However the
// program ends, the terminal is as it was before: also on SIGINT, SIGTERM and SIGHUP, which end it in order, and on a
// crash. Ctrl-Z stops the program with the terminal as it was, and it goes on where it was.
//
// Thread safety: for single-threaded processes; at most one Screen at a time. Source: xterm's control sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starling::tools {

enum class Key : std::uint8_t { kNone, kCharacter, kUp, kDown, kPageUp, kPageDown, kHome, kEnd, kEnter, kEscape };

struct KeyPress {
  Key key = Key::kNone;
  char character = 0;  ///< of kCharacter
};

/// A line of the screen.
struct ScreenLine {
  enum class Style : std::uint8_t { kPlain, kBold, kReverse };

  std::string text;  ///< printable, no longer than the screen is wide
  Style style = Style::kPlain;
};

class Screen {
 public:
  /// Whether standard input and output are a terminal that can be drawn on.
  [[nodiscard]] static bool is_possible();

  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t lines() const noexcept { return lines_; }

  /// The next key; kNone once the time is over, the terminal has another size or the program shall end.
  [[nodiscard]] KeyPress wait_for_key(std::int64_t patience_ns);

  /// A signal wants the program to end, or the terminal has gone.
  [[nodiscard]] bool shall_end() const noexcept;
  /// The signal, 0: none.
  [[nodiscard]] static int ending_signal() noexcept;

  /// Replaces all that is on the screen.
  void draw(const std::vector<ScreenLine>& frame);

 private:
  void measure();
  void stop_a_while();
  [[nodiscard]] KeyPress next_of_pending();

  std::size_t columns_ = 80;
  std::size_t lines_ = 24;
  std::string pending_;  ///< bytes of keys that have come
  bool has_gone_ = false;
};

}  // namespace starling::tools
