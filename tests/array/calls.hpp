// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the cases of libs/array ask of MPI themselves. Its source is compiled for each MPI, the cases once.
//
// **Thread safety**: that of the MPI calls. All that says so is collective over the job, or over the communicator
// given.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <starling/array/communicator.hpp>
#include <starling/array/core.hpp>
#include <string>

#include "support/cases.hpp"

namespace starling::tests {

using array::Communicator;

Communicator everybody();
Communicator only_me();
/// Collective: those of `comm` that are in, in the order of their places; no processes for the others.
Communicator part_of(Communicator comm, bool is_in, int place);
void release(Communicator comm);

/// The processes of a session to come.
struct Crew {
  bool is_in = false;  // this process
  int size = 0;
  Communicator comm;  // of no processes where this one is not in
};
/// Collective over the job: drawn from what gives all the same. Of those that were in, one at least stays.
Crew drawn_crew(const Job& world, std::mt19937_64& chance, bool was_in);
/// All processes: this one's session becomes that of the crew, or none. Whether it is a new one, which is the job's
/// first or joins that of the others.
bool become(std::unique_ptr<array::Session>& session, const Crew& crew, bool is_first);

/// Collective.
void meet();
/// Collective: each value becomes the sum, the least or the most of all processes' values.
void add_up(std::span<std::int64_t> values);
void find_least(int& value);
void find_most(std::span<int> values);
/// Collective: what process `rank` has as `mine`.
std::string told_by(int rank, const std::string& mine);

/// Whether spawned() works here.
bool can_spawn(const Job& world);
/// Collective over `comm`: `count` more processes of this program, which run the one case.
Communicator spawned(Communicator comm, int count, std::string case_name);
/// Those who spawned this process; no processes where it was not.
Communicator parent();
void disconnect(Communicator comm);

}  // namespace starling::tests
