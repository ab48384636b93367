// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_calls.hpp"

#include <time.h>

#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <starling/array/mpi.hpp>
#include <string_view>

#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/gather.hpp"
#include "mpi/handle.hpp"
#include "mpi/implementation.hpp"
#include "mpi/owned_communicator.hpp"
#include "mpi/requests.hpp"

namespace starling::array::detail::mpi {

static_assert(MPI_SUCCESS == kNoError);

static_assert(sizeof(MPI_Request) <= sizeof(Request));

/// A Request as MPI has it, for the time of one call.
struct Handle {
  explicit Handle(Request& request)
      : handle(request.is_none() ? MPI_REQUEST_NULL : any_mpi::handle_of<MPI_Request>(request.handle_)), of(request) {}
  ~Handle() { of.handle_ = handle != MPI_REQUEST_NULL ? any_mpi::bits_of(handle) : 0; }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  MPI_Request handle;
  Request& of;
};

namespace {

Arrival arrival_of(const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return {status.MPI_SOURCE, static_cast<std::size_t>(bytes)};
}

}  // namespace

bool start(int& argc, char**& argv) {
  if (any_mpi::is_initialized()) return false;
  MPI_Init(&argc, &argv);
  return true;
}
void finish() { MPI_Finalize(); }
Communicator world() { return MPI_COMM_WORLD; }

bool blocking_calls_sleep() { return any_mpi::blocking_calls_sleep(); }

std::string error_text(int error) { return any_mpi::error_text(error); }

Communicator one_of(Communicator comm, Side side) {
  any_mpi::OwnedCommunicator one;
  if (any_mpi::is_intercommunicator(comm.mpi())) {
    any_mpi::merge(comm.mpi(), side == Side::kNew ? any_mpi::Side::kLast : any_mpi::Side::kFirst, one);
  } else {
    any_mpi::duplicate(comm.mpi(), one);
  }
  return one.release();
}

Communicator alone() {
  any_mpi::OwnedCommunicator self;
  any_mpi::duplicate(MPI_COMM_SELF, self);
  return self.release();
}

void free(Communicator comm) { any_mpi::OwnedCommunicator(comm.mpi()).reset(); }

int rank(Communicator comm) { return any_mpi::rank_of(comm.mpi()); }
int size(Communicator comm) { return any_mpi::size_of(comm.mpi()); }

int part_of(Communicator comm, bool is_in, Communicator& part) {
  MPI_Comm made = MPI_COMM_NULL;
  const int error = MPI_Comm_split(comm.mpi(), is_in ? 0 : MPI_UNDEFINED, rank(comm), &made);
  if (error == MPI_SUCCESS) part = made;
  return error;
}

int spawn(Communicator comm, const std::vector<std::string>& command, int count, Communicator& both) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].data());
  arguments.push_back(nullptr);
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm.mpi(), &before);
  return_errors(comm);
  MPI_Comm made = MPI_COMM_NULL;
  const int error = MPI_Comm_spawn(words.front().c_str(), arguments.data(), count, MPI_INFO_NULL, 0, comm.mpi(), &made,
                                   MPI_ERRCODES_IGNORE);
  MPI_Comm_set_errhandler(comm.mpi(), before);
  MPI_Errhandler_free(&before);
  if (error == MPI_SUCCESS) both = made;
  return error;
}

int room() {
  int* size = nullptr;
  int is_set = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &size, &is_set);
  return is_set != 0 ? *size : 0;
}

std::vector<bool> members_of(Communicator comm, Communicator all) {
  MPI_Group inner = MPI_GROUP_NULL;
  MPI_Group outer = MPI_GROUP_NULL;
  MPI_Comm_group(comm.mpi(), &inner);
  MPI_Comm_group(all.mpi(), &outer);
  std::vector<int> ranks(static_cast<std::size_t>(size(all)));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> found(ranks.size());
  MPI_Group_translate_ranks(outer, static_cast<int>(ranks.size()), ranks.data(), inner, found.data());
  MPI_Group_free(&inner);
  MPI_Group_free(&outer);
  std::vector<bool> members(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) members[i] = found[i] != MPI_UNDEFINED;
  return members;
}

int start_send(Communicator comm, int to, int tag, const char* bytes, std::size_t size, Request& request) {
  Handle at(request);
  return MPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, to, tag, comm.mpi(), &at.handle);
}

int start_receive(Communicator comm, int from, int tag, char* bytes, std::size_t size, Request& request) {
  Handle at(request);
  const int source = from == kAnyProcess ? MPI_ANY_SOURCE : from;
  return MPI_Irecv(bytes, static_cast<int>(size), MPI_BYTE, source, tag, comm.mpi(), &at.handle);
}

int test(Request& request, bool& done, Arrival* arrival) {
  Handle at(request);
  MPI_Status status;
  int flag = 0;
  const int error = MPI_Test(&at.handle, &flag, arrival != nullptr ? &status : MPI_STATUS_IGNORE);
  done = flag != 0;
  if (done && arrival != nullptr && error == MPI_SUCCESS) *arrival = arrival_of(status);
  return error;
}

int wait(Request& request) {
  Handle at(request);
  return MPI_Wait(&at.handle, MPI_STATUS_IGNORE);
}

void cancel(Request& request) {
  Handle at(request);
  any_mpi::cancel(at.handle);
}

int wait_for_any(const std::vector<Request*>& requests, int& which, Arrival& arrival) {
  std::deque<Handle> handles;
  std::vector<MPI_Request*> places;
  for (Request* each : requests) places.push_back(&handles.emplace_back(*each).handle);
  MPI_Status status;
  const int error = any_mpi::wait_any(places, which, &status);
  if (which == MPI_UNDEFINED) which = -1;
  if (which == 0 && error == MPI_SUCCESS) arrival = arrival_of(status);
  return error;
}

int send_and_receive(Communicator comm, int tag, int to, std::span<const char> out, int from, std::span<char> in) {
  return MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_BYTE, to, tag, in.data(),
                      static_cast<int>(in.size()), MPI_BYTE, from, tag, comm.mpi(), MPI_STATUS_IGNORE);
}

int barrier(Communicator comm) { return MPI_Barrier(comm.mpi()); }

int all_reduce(Communicator comm, Operator op, std::span<std::uint64_t> values) {
  const MPI_Op mpi_op = op == Operator::kLeast ? MPI_MIN : op == Operator::kMost ? MPI_MAX : MPI_BXOR;
  return MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, mpi_op, comm.mpi());
}

int sum_for_each(Communicator comm, const std::vector<std::uint64_t>& values, std::uint64_t& sum) {
  return MPI_Reduce_scatter_block(values.data(), &sum, 1, MPI_UINT64_T, MPI_SUM, comm.mpi());
}

int all_same(Communicator comm, std::uint64_t mine, bool& same) {
  std::uint64_t ends[2] = {mine, ~mine};
  const int error = all_reduce(comm, Operator::kLeast, ends);
  same = ends[0] == ~ends[1];
  return error;
}

std::int32_t number_of_machine() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(name, &length);
  const std::size_t hash = std::hash<std::string_view>()({name, static_cast<std::size_t>(length)});
  return static_cast<std::int32_t>(hash ^ hash >> 32);
}

int all_gather(Communicator comm, std::int32_t mine, std::span<std::int32_t> all) {
  return MPI_Allgather(&mine, 1, MPI_INT32_T, all.data(), 1, MPI_INT32_T, comm.mpi());
}

int broadcast(Communicator comm, int root, std::string& text) {
  auto length = static_cast<int>(text.size());
  const int error = MPI_Bcast(&length, 1, MPI_INT, root, comm.mpi());
  if (error != MPI_SUCCESS) return error;
  text.resize(static_cast<std::size_t>(length));
  return MPI_Bcast(text.data(), length, MPI_CHAR, root, comm.mpi());
}

int exchange(Communicator comm, const std::vector<std::vector<char>>& to, std::vector<std::vector<char>>& from) {
  const auto count = static_cast<std::size_t>(size(comm));
  std::vector<int> lengths(count);
  std::vector<int> arriving(count);
  std::vector<char> out;
  for (std::size_t i = 0; i < count; ++i) {
    lengths[i] = static_cast<int>(to[i].size());
    out.insert(out.end(), to[i].begin(), to[i].end());
  }
  const std::vector<int> starts = any_mpi::starts_of(lengths);
  int error = MPI_Alltoall(lengths.data(), 1, MPI_INT, arriving.data(), 1, MPI_INT, comm.mpi());
  if (error != MPI_SUCCESS) return error;
  const std::vector<int> arriving_at = any_mpi::starts_of(arriving);
  std::vector<char> in(static_cast<std::size_t>(arriving_at.back()));
  error = MPI_Alltoallv(out.data(), lengths.data(), starts.data(), MPI_BYTE, in.data(), arriving.data(),
                        arriving_at.data(), MPI_BYTE, comm.mpi());
  if (error != MPI_SUCCESS) return error;
  from.resize(count);
  for (std::size_t i = 0; i < count; ++i) from[i].assign(in.begin() + arriving_at[i], in.begin() + arriving_at[i + 1]);
  return error;
}

void return_errors(Communicator comm) { any_mpi::return_errors(comm.mpi()); }

bool goes_on(Communicator comm) { return any_mpi::survives_failures(comm.mpi()); }

#if defined(MPIX_HAVE_ULFM) && defined(MPIX_FT)
int revoke(Communicator comm) { return MPIX_Comm_revoke(comm.mpi()); }
bool can_agree() { return true; }
int agree(Communicator comm, unsigned& bits) {
  int flag = static_cast<int>(bits);
  const int error = MPIX_Comm_agree(comm.mpi(), &flag);
  bits = static_cast<unsigned>(flag);
  return error;
}
bool agree_unless_revoked(Communicator comm, unsigned& bits, Communicator sign) {
  constexpr timespec kNap{0, 50000};
  auto flag = std::make_unique<int>(static_cast<int>(bits));
  MPI_Request request = MPI_REQUEST_NULL;
  MPIX_Comm_iagree(comm.mpi(), flag.get(), &request);
  while (true) {
    int is_done = 0;
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) break;
    int is_revoked = 0;
    MPIX_Comm_is_revoked(sign.mpi(), &is_revoked);
    if (is_revoked != 0) {
      static_cast<void>(flag.release());  // an agreement cannot be taken back, and may be written to it yet
      return false;
    }
    nanosleep(&kNap, nullptr);
  }
  bits = static_cast<unsigned>(*flag);
  return true;
}
int shrink(Communicator comm, Communicator& living) {
  MPI_Comm handle = MPI_COMM_NULL;
  const int error = MPIX_Comm_shrink(comm.mpi(), &handle);
  living = handle;
  return error;
}
#else
bool can_agree() { return false; }
int revoke(Communicator) { return MPI_ERR_OTHER; }
int agree(Communicator, unsigned&) { return MPI_ERR_OTHER; }
bool agree_unless_revoked(Communicator, unsigned&, Communicator) { return false; }
int shrink(Communicator, Communicator&) { return MPI_ERR_OTHER; }
#endif

}  // namespace starling::array::detail::mpi
