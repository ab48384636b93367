// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/process_reader.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/format.hpp"
#include "base/small_files.hpp"

namespace starling::observe {
namespace {

/// Numbers and words of a line, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view text) noexcept : rest_(text) {}

  std::string_view next() noexcept {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    const std::string_view field = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(field.size());
    return field;
  }
  void skip(int count) noexcept {
    while (count-- > 0) next();
  }
  std::int64_t number() noexcept {
    const std::string_view field = next();
    std::int64_t value = 0;
    std::from_chars(field.data(), field.data() + field.size(), value);
    return value;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::optional<ProcessReading> read_process(pid_t process, const std::string& root) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const std::string text = read_small_file(formatted("{}/{}/stat", root, process));
  const std::size_t behind_name = text.rfind(')');
  if (behind_name == std::string::npos) return std::nullopt;
  // Fields are counted from 1, and what follows the name is the third.
  Fields fields(std::string_view(text).substr(behind_name + 1));
  const std::string_view state = fields.next();
  if (state == "Z" || state == "X") return std::nullopt;
  ProcessReading reading;
  fields.skip(10);
  const std::int64_t ticks = fields.number() + fields.number();  // 14 and 15: user and system time
  reading.cpu_ns = ticks * (kNsPerSecond / sysconf(_SC_CLK_TCK));
  fields.skip(8);
  reading.resident_bytes =  // 24: pages
      static_cast<std::uint64_t>(fields.number()) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  fields.skip(14);
  reading.processor = static_cast<std::int32_t>(fields.number());  // 39
  return reading;
}

}  // namespace starling::observe
