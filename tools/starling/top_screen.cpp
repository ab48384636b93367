// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "top_screen.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/clock.hpp"

namespace starling::tools {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?25h\x1b[?1049l";
constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// What signal handlers see: the one terminal of the process.
termios terminal_before{};
volatile std::sig_atomic_t terminal_taken = 0;
volatile std::sig_atomic_t end_signal = 0;
volatile std::sig_atomic_t size_changed = 0;
volatile std::sig_atomic_t stop_wanted = 0;

/// False: the terminal has gone.
bool write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EAGAIN) {
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      poll(&ready, 1, 100);
    } else if (count < 0 && errno != EINTR) {
      return false;
    }
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// Only what a signal handler may call.
void give_back_terminal() {
  if (terminal_taken == 0) return;
  terminal_taken = 0;
  [[maybe_unused]] const ssize_t count = write(STDOUT_FILENO, kLeave.data(), kLeave.size());
  tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

void take_terminal() {
  termios raw = terminal_before;
  // Signals of keys stay on; input comes at once and is not shown.
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  terminal_taken = 1;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  write_all(kEnter);
}

void on_end(int signal) { end_signal = signal; }
void on_resize(int /*signal*/) { size_changed = 1; }
void on_stop(int /*signal*/) { stop_wanted = 1; }
void on_crash(int signal) {
  give_back_terminal();
  raise(signal);  // SA_RESETHAND: as without a handler
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

struct Sequence {
  std::string_view bytes;
  Key key;
};
constexpr Sequence kSequences[] = {
    {"\x1b[A", Key::kUp},      {"\x1bOA", Key::kUp},        {"\x1b[B", Key::kDown}, {"\x1bOB", Key::kDown},
    {"\x1b[5~", Key::kPageUp}, {"\x1b[6~", Key::kPageDown}, {"\x1b[H", Key::kHome}, {"\x1bOH", Key::kHome},
    {"\x1b[1~", Key::kHome},   {"\x1b[F", Key::kEnd},       {"\x1bOF", Key::kEnd},  {"\x1b[4~", Key::kEnd},
};

}  // namespace

bool Screen::is_possible() {
  const char* const kind = std::getenv("TERM");
  const bool can_move = kind != nullptr && *kind != 0 && std::string_view(kind) != "dumb";
  return can_move && isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
}

Screen::Screen() {
  tcgetattr(STDIN_FILENO, &terminal_before);
  for (const int signal : kEndingSignals) handle(signal, on_end, 0);
  for (const int signal : kCrashes) handle(signal, on_crash, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
  handle(SIGWINCH, on_resize, 0);
  handle(SIGTSTP, on_stop, 0);
  handle(SIGPIPE, SIG_IGN, 0);
  std::atexit(give_back_terminal);
  measure();
  take_terminal();
}

Screen::~Screen() {
  give_back_terminal();
  for (const int signal : kEndingSignals) handle(signal, SIG_DFL, 0);
}

bool Screen::shall_end() const noexcept { return has_gone_ || end_signal != 0; }

int Screen::ending_signal() noexcept { return end_signal; }

KeyPress Screen::wait_for_key(std::int64_t patience_ns) {
  const std::int64_t deadline = now_ns() + patience_ns;
  while (!shall_end()) {
    if (const KeyPress press = next_of_pending(); press.key != Key::kNone) return press;
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    const std::int64_t left_ms = std::max<std::int64_t>(0, (deadline - now_ns() + kMillisecond - 1) / kMillisecond);
    const int count = poll(&ready, 1, static_cast<int>(left_ms));
    if (stop_wanted != 0) stop_a_while();
    if (std::exchange(size_changed, 0) != 0) {
      measure();
      return {};
    }
    if (count == 0) return {};
    if (count < 0) continue;
    char bytes[64];
    const ssize_t length = read(STDIN_FILENO, bytes, sizeof bytes);
    if (length > 0) pending_.append(bytes, static_cast<std::size_t>(length));
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) has_gone_ = true;
  }
  return {};
}

void Screen::draw(const std::vector<ScreenLine>& frame) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < frame.size() && i < lines_; ++i) {
    const ScreenLine& line = frame[i];
    if (i > 0) text += "\r\n";
    if (line.style == ScreenLine::Style::kBold) text += "\x1b[1m";
    if (line.style == ScreenLine::Style::kReverse) text += "\x1b[7m";
    text += line.text;
    text += "\x1b[K";
    if (line.style != ScreenLine::Style::kPlain) text += "\x1b[0m";
  }
  text += "\x1b[J";
  if (!write_all(text)) has_gone_ = true;
}

void Screen::measure() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return;
  columns_ = size.ws_col;
  lines_ = size.ws_row;
}

void Screen::stop_a_while() {
  stop_wanted = 0;
  give_back_terminal();
  raise(SIGSTOP);
  tcgetattr(STDIN_FILENO, &terminal_before);
  measure();
  take_terminal();
}

KeyPress Screen::next_of_pending() {
  if (pending_.empty()) return {};
  for (const Sequence& each : kSequences) {
    if (!std::string_view(pending_).starts_with(each.bytes)) continue;
    pending_.erase(0, each.bytes.size());
    return {each.key, 0};
  }
  const char first = pending_.front();
  pending_.erase(0, 1);
  if (first == '\r' || first == '\n') return {Key::kEnter, 0};
  if (first != '\x1b') return {Key::kCharacter, first};
  // Another sequence is no key here.
  const bool alone = pending_.empty();
  if (!alone) pending_.clear();
  return {alone ? Key::kEscape : Key::kNone, 0};
}

}  // namespace starling::tools
