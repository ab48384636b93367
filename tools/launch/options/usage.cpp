// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "launch/options/option_table.hpp"

namespace starling::launch {
namespace {

constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kWidth = 112;

constexpr std::string_view kBeginning =
    R"(usage: mpiexec [options] <program> [arguments] [: [options] <program> [arguments]]...
Runs a program as the ranks of one MPI job, on this machine or on several hosts. Also called mpirun and 'starling run'.
A name may have one dash or two, and a value may follow '='.

)";

constexpr std::string_view kEnd = R"(
Standard input goes to rank 0. Lines of output stay whole. Signals are passed on to the ranks; a second interrupt
kills them. When a rank fails the job ends, the failure is reported, and the exit status is 128 + signal, the code of
MPI_Abort or the rank's own; 2, 126 and 127 mean a bad option, a program that cannot be run, and none of that name.
)";

/// "-n, -np"
std::string names_of(const Option& option) {
  std::string text;
  for (const std::string_view name : option.names) {
    const bool in_short_form =
        name.size() <= 2 || option.value_count() > 1 || name.find("env") != std::string_view::npos;
    text.append(text.empty() ? "" : ", ").append(in_short_form ? "-" : "--").append(name);
  }
  return text;
}

/// Appends words, and breaks the line before kWidth.
void append_wrapped(std::string& text, std::size_t column, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (column + 1 + end > kWidth) {
      text.append("\n").append(kHelpColumn - 1, ' ');
      column = kHelpColumn - 1;
    }
    text.append(" ").append(words.substr(0, end));
    column += 1 + end;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  text += "\n";
}

}  // namespace

std::string usage() {
  std::string text(kBeginning);
  for (const Option& option : options()) {
    std::string line(2, ' ');
    line.append(names_of(option));
    if (!option.values.empty()) line.append(" ").append(option.values);
    if (line.size() < kHelpColumn - 1) {
      line.resize(kHelpColumn - 1, ' ');
    } else {
      line.append("\n").append(kHelpColumn - 1, ' ');
    }
    text += line;
    append_wrapped(text, kHelpColumn - 1, option.help);
  }
  return text + std::string(kEnd);
}

std::string option_list() {
  std::string text;
  for (const Option& option : options()) {
    text.append("mpiexec\toption\t").append(names_of(option)).append("\t").append(option.values);
    text.append("\t").append(option.help).append("\t").append(option.choices).append("\n");
  }
  return text;
}

}  // namespace starling::launch
