// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Makes the schedule of a reduce from an arrival pattern. There are several methods, and all give the same schedule,
// bit for bit, on every machine: one is the reference, two are the paper's, one is what everybody should use.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

/// A way to find the transfers. `run` takes a checked pattern and hands each round with a transfer to the sink.
struct Method {
  std::string_view name;
  std::string_view sentence;
  void (*run)(const Pattern& pattern, RoundSink& sink);
};

/// All methods, the reference first and the fastest last.
std::span<const Method> methods();
std::optional<Method> find_method(std::string_view name);
const Method& reference_method();
const Method& fastest_method();

Result<Schedule> make_schedule(const Pattern& pattern, const Method& method = fastest_method());

/// The steps of one rank alone; those of the others are found but not kept.
Result<std::vector<Step>> make_steps(const Pattern& pattern, int rank, const Method& method = fastest_method());

}  // namespace starling::arrival
