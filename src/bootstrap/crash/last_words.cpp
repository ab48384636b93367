// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/crash/last_words.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string_view>

namespace starling::bootstrap {
namespace {

/// Collects a line on the stack; too long a line is cut.
class Line {
 public:
  Line& text(std::string_view piece) {
    const std::size_t length = std::min(piece.size(), sizeof buffer_ - used_);
    std::memcpy(buffer_ + used_, piece.data(), length);
    used_ += length;
    return *this;
  }
  Line& number(std::uint64_t value, unsigned base) {
    char digits[20];
    char* at = digits + sizeof digits;
    do {
      *--at = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0 && at != digits);
    return text({at, static_cast<std::size_t>(digits + sizeof digits - at)});
  }
  Line& hex(std::uint64_t value) { return text("0x").number(value, 16); }
  void print() {
    text("\n");
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, buffer_, used_);
    used_ = 0;
  }

 private:
  char buffer_[1024];
  std::size_t used_ = 0;
};

/// Reads /proc/self/maps line by line with a buffer on the stack.
class MapsReader {
 public:
  MapsReader() : file_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapsReader() {
    if (file_ >= 0) close(file_);
  }
  MapsReader(const MapsReader&) = delete;
  MapsReader& operator=(const MapsReader&) = delete;

  /// The next line without its end; false at the end of the file.
  bool next(std::string_view* line) {
    for (;;) {
      const std::string_view unread(buffer_ + begin_, end_ - begin_);
      if (const std::size_t newline = unread.find('\n'); newline != std::string_view::npos) {
        *line = unread.substr(0, newline);
        begin_ += newline + 1;
        return true;
      }
      if (!refill()) return false;
    }
  }

 private:
  bool refill() {
    std::memmove(buffer_, buffer_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (file_ < 0 || end_ == sizeof buffer_) return false;
    const ssize_t count = read(file_, buffer_ + end_, sizeof buffer_ - end_);
    if (count <= 0) return false;
    end_ += static_cast<std::size_t>(count);
    return true;
  }

  int file_;
  char buffer_[6144];
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

std::uint64_t take_hex(std::string_view* text) {
  std::uint64_t value = 0;
  while (!text->empty()) {
    const char digit = text->front();
    if (digit >= '0' && digit <= '9') {
      value = value * 16 + static_cast<std::uint64_t>(digit - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      value = value * 16 + static_cast<std::uint64_t>(digit - 'a' + 10);
    } else {
      break;
    }
    text->remove_prefix(1);
  }
  return value;
}

/// Appends "<file>+<offset>" where the address lies in a mapped file.
void describe_address(Line& line, std::uint64_t address) {
  MapsReader maps;
  std::string_view entry;
  while (maps.next(&entry)) {
    const std::size_t path = entry.find('/');
    const std::uint64_t begin = take_hex(&entry);
    if (!entry.starts_with('-')) continue;
    entry.remove_prefix(1);
    const std::uint64_t end = take_hex(&entry);
    if (address < begin || address >= end || entry.size() < 6 || path == std::string_view::npos) continue;
    entry.remove_prefix(6);  // " r-xp "
    const std::uint64_t offset = take_hex(&entry);
    line.text(entry.substr(entry.find('/'))).text("+").hex(address - begin + offset);
    return;
  }
  line.hex(address);
}

}  // namespace

const char* signal_name(int signal) noexcept {
  switch (signal) {
    case SIGSEGV: return "SIGSEGV (invalid memory access)";
    case SIGBUS: return "SIGBUS (memory that is mapped but not there)";
    case SIGFPE: return "SIGFPE (arithmetic error, such as a division by zero)";
    case SIGILL: return "SIGILL (invalid instruction)";
    case SIGABRT: return "SIGABRT (abort)";
    case SIGKILL: return "SIGKILL (killed from outside, perhaps for memory: see dmesg)";
    case SIGTERM: return "SIGTERM (asked to end)";
    case SIGINT: return "SIGINT (interrupted)";
    case SIGPIPE: return "SIGPIPE (wrote to a closed pipe)";
    case SIGXCPU: return "SIGXCPU (CPU time limit)";
    case SIGXFSZ: return "SIGXFSZ (file size limit)";
    case SIGSYS: return "SIGSYS (forbidden system call)";
    case SIGTRAP: return "SIGTRAP (trap)";
    case SIGHUP: return "SIGHUP (terminal closed)";
    case SIGQUIT: return "SIGQUIT (quit)";
    default: return "signal";
  }
}

void print_last_words(const memory::CrashRecord& record, WorldRank rank, std::int32_t size) noexcept {
  Line line;
  line.text("starling: process ").number(static_cast<std::uint64_t>(getpid()), 10);
  line.text(" (rank ").number(rank.index(), 10).text(" of ").number(static_cast<std::uint64_t>(size), 10);
  line.text(") died of ");
  line.text(signal_name(record.signal));
  if (record.has_fault_address != 0) line.text(" at address ").hex(record.fault_address);
  line.print();
  if (record.what[0] != '\0') line.text("  uncaught exception ").text(record.what).print();
  for (std::uint32_t i = 0; i < record.frame_count; ++i) {
    line.text("  #").number(i, 10).text(" ");
    describe_address(line, record.frames[i]);
    line.print();
  }
  line.text("  (addr2line -Cfpie <file> <offset> names the source line; run under mpiexec for a report with names)");
  line.print();
}

}  // namespace starling::bootstrap
