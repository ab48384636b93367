// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/symbolizer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "launch/start/self.hpp"
#include "memory/shared_file.hpp"

extern char** environ;

namespace starling::launch {
namespace {

/// Large debug information takes a while to read, the more so on a busy machine.
constexpr std::int64_t kPatienceNs = 10'000'000'000;

std::string hexadecimal(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// A copy of the process's memory map, to be read from the start; invalid where it cannot be had.
Descriptor copy_memory_map(pid_t process) {
  const std::string path = formatted("/proc/{}/maps", process);
  const Descriptor map(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Descriptor copy(memory::open_unnamed_file("starling-maps"));
  char buffer[16 * 1024];
  ssize_t count = 0;
  while ((count = read(map.get(), buffer, sizeof buffer)) > 0) {
    if (write(copy.get(), buffer, static_cast<std::size_t>(count)) != count) return {};
  }
  return lseek(copy.get(), 0, SEEK_SET) == 0 ? std::move(copy) : Descriptor();
}

}  // namespace

void Symbolizer::start(pid_t process, std::span<const std::uint64_t> addresses, Done done) {
  done_ = std::move(done);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    plain_ += formatted("  #{} {}\n", i, hexadecimal(addresses[i]));
  }
  const Descriptor memory_map = copy_memory_map(process);
  if (addresses.empty() || !memory_map.valid() || !start_helper(memory_map.get(), addresses)) return finish();
  deadline_ = loop_.after(kPatienceNs, [this] { finish(); });
}

bool Symbolizer::start_helper(int memory_map, std::span<const std::uint64_t> addresses) {
  const std::string helper = find_helper("starling-symbolize");
  int ends[2];
  if (helper.empty() || pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe_ = Descriptor(ends[0]);
  const Descriptor writing(ends[1]);
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));

  std::vector<std::string> words{helper};
  for (const std::uint64_t address : addresses) words.push_back(hexadecimal(address));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  ChildPlan plan;
  plan.path = helper.c_str();
  plan.arguments = arguments.data();
  plan.environment = environ;
  plan.standard[0] = memory_map;
  plan.standard[1] = writing.get();
  plan.standard[2] = nothing.get();
  plan.inherited = inherited_;
  if (spawn(plan).error != 0) return false;
  fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  return loop_.on_readable(pipe_.get(), [this] { read_lines(); });
}

void Symbolizer::read_lines() {
  char buffer[16 * 1024];
  const ssize_t count = read(pipe_.get(), buffer, sizeof buffer);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return finish();
  lines_.append(buffer, static_cast<std::size_t>(count));
}

void Symbolizer::finish() {
  if (pipe_.valid()) loop_.remove(pipe_.get());
  pipe_.reset();
  loop_.cancel(deadline_);
  const Done done = std::exchange(done_, nullptr);
  if (done) done(lines_.empty() ? plain_ : lines_);
}

}  // namespace starling::launch
