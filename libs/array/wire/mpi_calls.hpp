// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// All that libs/array asks of MPI. Its source alone includes <mpi.h> and is compiled once for each MPI; everything else
// is compiled once, and linked with each. This boundary, and what only arrays ask, are the library's own; the rest it
// takes from libs/mpi.
//
// What may fail when a process dies returns the error code of MPI, kNoError where it was well; the errors of the rest
// end the job, as the communicator's error handler says.
//
// **Thread safety**: that of the MPI calls: one thread at a time for each Request. **Invariants**: a Request is none
// before it is started and once it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <starling/array/communicator.hpp>
#include <string>
#include <vector>

namespace starling::array::detail::mpi {

constexpr int kNoError = 0;
constexpr int kAnyProcess = -1;

// The job.

/// Starts MPI unless it runs already; whether it did.
bool start(int& argc, char**& argv);
void finish();
Communicator world();
/// A number that processes of one machine have in common, and those of others hardly ever.
std::int32_t number_of_machine();
/// Whether a blocking call gives its core away.
bool blocking_calls_sleep();
std::string error_text(int error);

// Communicators. Those that are made here are freed by their owner.

/// Of an intercommunicator both sides as one, those that join behind the others; else a copy. None where it failed.
enum class Side : std::uint8_t { kOld, kNew };
Communicator one_of(Communicator comm, Side side);
/// Of this process alone.
Communicator alone();
void free(Communicator comm);
int rank(Communicator comm);
int size(Communicator comm);
/// Collective over `comm`: those that are in, in the order of their ranks; no processes on the others.
int part_of(Communicator comm, bool is_in, Communicator& part);
/// Collective over `comm`: starts so many processes more with this command. An error is returned, and ends nothing.
int spawn(Communicator comm, const std::vector<std::string>& command, int count, Communicator& both);
/// How many processes MPI has room for; 0 where it does not say.
int room();
/// Of each process of `all` whether it is in `comm`; of an intercommunicator on this process's side.
std::vector<bool> members_of(Communicator comm, Communicator all);

// Messages of bytes.

/// A send or a receive that is under way.
class Request {
 public:
  bool is_none() const { return handle_ == 0; }

 private:
  friend struct Handle;
  std::uintptr_t handle_ = 0;  // no MPI has a request of this value
};

/// What a receive brought.
struct Arrival {
  int from = 0;
  std::size_t bytes = 0;
};

int start_send(Communicator comm, int to, int tag, const char* bytes, std::size_t size, Request& request);
/// `from` may be kAnyProcess.
int start_receive(Communicator comm, int from, int tag, char* bytes, std::size_t size, Request& request);
/// Sets `done` where it is complete, or is none, and `arrival`, if there is one to set, of a receive.
int test(Request& request, bool& done, Arrival* arrival);
int wait(Request& request);
/// Ends a receive that nothing came for.
void cancel(Request& request);
/// Sleeps until one of them is complete: `which`, or -1 where all are none. Sets `arrival` where it is the first.
int wait_for_any(const std::vector<Request*>& requests, int& which, Arrival& arrival);
int send_and_receive(Communicator comm, int tag, int to, std::span<const char> out, int from, std::span<char> in);

// Collectives.

enum class Operator : std::uint8_t { kLeast, kMost, kXor };
int barrier(Communicator comm);
int all_reduce(Communicator comm, Operator op, std::span<std::uint64_t> values);
/// `values` has one for each process: sets the sum of those for this one.
int sum_for_each(Communicator comm, const std::vector<std::uint64_t>& values, std::uint64_t& sum);
/// Sets whether all processes have the same value.
int all_same(Communicator comm, std::uint64_t mine, bool& same);
/// `all` has one place for each process.
int all_gather(Communicator comm, std::int32_t mine, std::span<std::int32_t> all);
int broadcast(Communicator comm, int root, std::string& text);
/// to[i] goes to process i; from[i] is what came from it.
int exchange(Communicator comm, const std::vector<std::vector<char>>& to, std::vector<std::vector<char>>& from);

// What survives the death of a process; elsewhere goes_on() and can_agree() are false, and the others fail.

/// Whether the job goes on when a process dies.
bool goes_on(Communicator comm);
/// Errors are returned from now on, and do not end the job.
void return_errors(Communicator comm);
int revoke(Communicator comm);
/// Whether there is agree(), with which no process waits for one that died.
bool can_agree();
/// Joins the bits of all that live by AND; the result is the same on all, also where the error says that one died.
int agree(Communicator comm, unsigned& bits);
/// The same for one that cannot know whether the others take part: false, and it is given up, where `sign` is revoked.
bool agree_unless_revoked(Communicator comm, unsigned& bits, Communicator sign);
/// Those that live.
int shrink(Communicator comm, Communicator& living);

}  // namespace starling::array::detail::mpi
