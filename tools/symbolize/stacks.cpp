// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stacks.hpp"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "names.hpp"
#include "observe/stack/stack.hpp"
#include "thread_capture.hpp"

namespace starling::symbolize {
namespace {

using observe::RankStacks;
using observe::StackFrame;
using observe::ThreadStack;

constexpr std::string_view kEvaluation = "_PyEval_EvalFrameDefault";

class Naming {
 public:
  explicit Naming(ProgramFiles& files) : files_(files) {}

  /// The frames of a thread, the outermost first; what is to be known of their files is noted.
  std::vector<StackFrame> frames(const ProcessCapture& process, const ThreadCapture& thread) {
    std::vector<StackFrame> frames;
    auto python = thread.python.begin();
    for (const FrameAddress& at : unwind(process.map, files_, thread.registers, thread.stack)) {
      const std::size_t before = frames.size();
      add_places(process, at.address, frames);
      const bool evaluates =
          !thread.python.empty() && std::any_of(frames.begin() + static_cast<std::ptrdiff_t>(before), frames.end(),
                                                [](const StackFrame& each) { return each.function == kEvaluation; });
      if (!evaluates) continue;
      // The C function runs a chain of Python's functions: they take its place, the innermost first.
      std::vector<StackFrame> chain;
      for (bool ends = false; !ends && python != thread.python.end(); ++python) {
        chain.push_back({true, python->function, python->file, python->line, {}, 0});
        ends = python->ends_call;
      }
      frames.insert(frames.begin() + static_cast<std::ptrdiff_t>(before), chain.begin(), chain.end());
    }
    std::ranges::reverse(frames);
    return frames;
  }

  /// Sentences of files that lack something.
  [[nodiscard]] std::vector<std::string> take_notes() {
    std::vector<std::string> notes(notes_.begin(), notes_.end());
    notes_.clear();
    return notes;
  }

 private:
  void add_places(const ProcessCapture& process, std::uint64_t address, std::vector<StackFrame>& frames) {
    const Mapping* const mapping = process.map.find(address);
    if (mapping == nullptr) return frames.push_back({false, {}, {}, 0, {}, address});
    ProgramFile* const file = files_.of(process.process, *mapping);
    const std::uint64_t in_file = address - mapping->start + mapping->offset;
    const auto found = file != nullptr ? file->address_of(in_file) : std::nullopt;
    if (!found) {
      if (mapping->inode != 0) notes_.insert(why_unreadable(*mapping));
      return frames.push_back({false, {}, {}, 0, mapping->path, in_file});
    }
    for (const Place& place : file->places(*found)) {
      if (place.function.empty() && !process.python && file->is_stripped())
        notes_.insert(formatted("'{}' has been stripped: its own functions have no names", mapping->path));
      frames.push_back({false, place.function, place.file, place.line, mapping->path, *found});
    }
  }

  static std::string why_unreadable(const Mapping& mapping) {
    if (mapping.is_deleted)
      return formatted("'{}' was replaced or removed while it runs: its frames cannot be read", mapping.path);
    return formatted("'{}' cannot be opened from here: its frames cannot be read", mapping.path);
  }

  ProgramFiles& files_;
  std::set<std::string> notes_;
};

RankStacks named(const ProcessCapture& process, std::int32_t rank, Naming& naming) {
  RankStacks stacks;
  stacks.rank = rank;
  stacks.process = process.process;
  stacks.stopped_ns = process.stopped_ns;
  stacks.problem = process.problem;
  for (const ThreadCapture& thread : process.threads) {
    if (!thread.problem.empty()) {
      if (thread.is_main || stacks.problem.empty()) stacks.problem = thread.problem;
      continue;
    }
    stacks.threads.push_back(
        {thread.thread, thread.is_main, thread.state, thread.name, naming.frames(process, thread)});
  }
  stacks.notes = naming.take_notes();
  return stacks;
}

std::vector<ProcessCapture> capture(const std::vector<pid_t>& numbers, WhichThreads which, ProgramFiles& files,
                                    std::vector<std::string>& notes) {
  constexpr std::int64_t kPatienceNs = 2'000'000'000;
  std::vector<ProcessCapture> processes;
  for (const pid_t number : numbers) {
    ProcessCapture& process = processes.emplace_back(number);
    process.python = Python::find(process.map, files, &notes.emplace_back());
  }
  capture_threads(processes, which, kPatienceNs);
  return processes;
}

std::string program_of(pid_t process) {
  char path[PATH_MAX];
  const ssize_t length = readlink(formatted("/proc/{}/exe", process).c_str(), path, sizeof path);
  std::string program(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  constexpr std::string_view kDeleted = " (deleted)";
  if (program.ends_with(kDeleted)) program.resize(program.size() - kDeleted.size());
  return program;
}

/// Of the innermost frame in the program, or in Python.
std::string position(const ThreadStack& thread, const std::string& program) {
  const bool has_python = std::ranges::any_of(thread.frames, &StackFrame::is_python);
  for (auto frame = thread.frames.rbegin(); frame != thread.frames.rend(); ++frame) {
    if (has_python ? !frame->is_python : frame->module != program) continue;
    if (!frame->file.empty()) return formatted("{}:{}", last_part(frame->file), frame->line);
    if (!frame->function.empty()) return frame->function + "()";
  }
  return {};
}

}  // namespace

int print_stacks(std::span<const char* const> arguments) {
  std::vector<std::int32_t> ranks;
  std::vector<pid_t> numbers;
  for (const char* const word : arguments) {
    int rank = 0;
    int process = 0;
    if (std::sscanf(word, "%d:%d", &rank, &process) != 2) return 2;
    ranks.push_back(rank);
    numbers.push_back(process);
  }
  ProgramFiles files;
  std::vector<std::string> notes;
  const std::vector<ProcessCapture> processes = capture(numbers, WhichThreads::kAll, files, notes);
  Naming naming(files);
  std::vector<RankStacks> stacks;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    stacks.push_back(named(processes[i], ranks[i], naming));
    if (!notes[i].empty()) stacks.back().notes.push_back(notes[i]);
  }
  std::fputs(to_text(stacks).c_str(), stdout);
  return EXIT_SUCCESS;
}

int print_position(const std::string& process) {
  const pid_t number = std::atoi(process.c_str());
  ProgramFiles files;
  std::vector<std::string> notes;
  const std::vector<ProcessCapture> processes = capture({number}, WhichThreads::kMain, files, notes);
  Naming naming(files);
  const RankStacks stacks = named(processes.front(), 0, naming);
  const std::string found =
      stacks.threads.empty() ? std::string() : position(stacks.threads.front(), program_of(number));
  if (!found.empty()) {
    std::puts(found.c_str());
    return EXIT_SUCCESS;
  }
  const std::string why = stacks.problem.empty() ? "no frame of its stack is in its program" : stacks.problem;
  std::fputs((why + "\n").c_str(), stderr);
  return EXIT_FAILURE;
}

}  // namespace starling::symbolize
