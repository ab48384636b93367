// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/stack/stack.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/format.hpp"

namespace starling::observe {
namespace {

std::string field(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = line.find('\t', begin)) != std::string::npos; begin = end + 1)
    fields.push_back(line.substr(begin, end - begin));
  fields.push_back(line.substr(begin));
  return fields;
}

template <typename Number>
Number number(const std::string& text) {
  return static_cast<Number>(std::strtoll(text.c_str(), nullptr, 10));
}

std::string to_text(const StackFrame& frame) {
  return formatted("frame\t{}\t{}\t{}\t{}\t{}\t{}\n", frame.is_python ? "python" : "native", field(frame.function),
                   field(frame.file), frame.line, field(frame.module), frame.offset);
}

/// Adds what a line says to the last rank.
void add_line(const std::vector<std::string>& words, RankStacks& rank) {
  if (words[0] == "problem" && words.size() == 2) rank.problem = words[1];
  if (words[0] == "note" && words.size() == 2) rank.notes.push_back(words[1]);
  if (words[0] == "thread" && words.size() == 5) {
    ThreadStack thread;
    thread.thread = number<pid_t>(words[1]);
    thread.is_main = words[2] == "main";
    thread.state = words[3].empty() ? '?' : words[3].front();
    thread.name = words[4];
    rank.threads.push_back(std::move(thread));
  }
  if (words[0] == "frame" && words.size() == 7 && !rank.threads.empty()) {
    rank.threads.back().frames.push_back(
        {words[1] == "python", words[2], words[3], number<int>(words[4]), words[5], number<std::uint64_t>(words[6])});
  }
}

}  // namespace

std::string to_text(const std::vector<RankStacks>& stacks) {
  std::string text;
  for (const RankStacks& rank : stacks) {
    text += formatted("rank\t{}\t{}\t{}\n", rank.rank, rank.process, rank.stopped_ns);
    if (!rank.problem.empty()) text += formatted("problem\t{}\n", field(rank.problem));
    for (const std::string& note : rank.notes) text += formatted("note\t{}\n", field(note));
    for (const ThreadStack& thread : rank.threads) {
      text += formatted("thread\t{}\t{}\t{}\t{}\n", thread.thread, thread.is_main ? "main" : "other", thread.state,
                        field(thread.name));
      for (const StackFrame& frame : thread.frames) text += to_text(frame);
    }
  }
  return text;
}

std::vector<RankStacks> stacks_from_text(const std::string& text) {
  std::vector<RankStacks> stacks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = fields_of(line);
    if (words[0] == "rank" && words.size() == 4) {
      stacks.emplace_back();
      stacks.back().rank = number<std::int32_t>(words[1]);
      stacks.back().process = number<pid_t>(words[2]);
      stacks.back().stopped_ns = number<std::int64_t>(words[3]);
    } else if (!stacks.empty()) {
      add_line(words, stacks.back());
    }
  }
  return stacks;
}

}  // namespace starling::observe
