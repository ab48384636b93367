// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What goes wrong in the farm's test program, by FARM_ILL=WHERE:HOW:NUMBER,NUMBER... in the environment.
//
// Thread safety: all of it.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct Illness {
  std::string where;
  std::string how;
  std::vector<long> numbers;
};

inline Illness illness_of(const char* text) {
  Illness illness;
  std::istringstream in(text != nullptr ? text : "");
  std::getline(in, illness.where, ':');
  std::getline(in, illness.how, ':');
  for (std::string number; std::getline(in, number, ',');) illness.numbers.push_back(std::stol(number));
  return illness;
}

inline void leave(const std::string& how) {
  const std::map<std::string, void (*)()> ways{
      {"exit0", [] { std::exit(0); }},
      {"exit7", [] { std::exit(7); }},
      {"kill", [] { ::kill(::getpid(), SIGKILL); }},
      {"throw", [] { throw 42; }},
      {"hang", [] { std::this_thread::sleep_for(std::chrono::hours(1)); }},
  };
  ways.at(how)();
}

inline void illness(const std::string& where, long number) {
  static const Illness ill = illness_of(std::getenv("FARM_ILL"));
  if (ill.where != where || std::find(ill.numbers.begin(), ill.numbers.end(), number) == ill.numbers.end()) return;
  leave(ill.how);
}
