// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce_run.hpp"

#include <cstring>
#include <vector>

#include "arrival/run/reduce_run.hpp"
#include "mpi/communicator.hpp"
#include "type_layout.hpp"

namespace starling::pap {
namespace {

/// The messages of one reduce, as arrival::ReduceRun wants them: of the user's type, on PMPI. So they are not those of
/// libs/mpi. A message's tag is its segment.
///
/// An error ends no run, for others would wait for messages without end. From then on this rank combines nothing, and
/// its messages are empty, which tells whoever takes one, and so the root in the end.
class Port {
 public:
  static constexpr bool kInOrder = false;

  Port(const ReduceCall& call, const TypeLayout& layout, Workspace& workspace)
      : call_(call), layout_(layout), workspace_(workspace) {}

  int send(const void* from, int count, int peer, int segment) {
    MPI_Request* const request = add(kNothing);
    const auto post = [&](int elements, int to) {
      *request = MPI_REQUEST_NULL;
      return PMPI_Isend(from, elements, call_.type, to, segment, call_.channel, request);
    };
    if (failure_ == MPI_SUCCESS) note(post(count, peer));
    if (failure_ == MPI_SUCCESS || post(0, peer) == MPI_SUCCESS) return MPI_SUCCESS;
    return post(0, MPI_PROC_NULL);  // so that it is complete
  }
  int receive(void* into, int count, int peer, int segment) {
    MPI_Request* const request = add(count);
    const int code = PMPI_Irecv(into, count, call_.type, peer, segment, call_.channel, request);
    if (code == MPI_SUCCESS) return MPI_SUCCESS;
    note(code);
    return PMPI_Irecv(into, 0, call_.type, MPI_PROC_NULL, segment, call_.channel, request);
  }
  void drop(std::size_t number) {
    requests_[number] = requests_.back();
    requests_.pop_back();
    expected_[number] = expected_.back();
    expected_.pop_back();
  }
  int combine(const void* in, void* inout, int count) {
    if (failure_ == MPI_SUCCESS) note(PMPI_Reduce_local(in, inout, count, call_.type, call_.op));
    return MPI_SUCCESS;
  }
  int copy(const void* from, void* to, int count) {
    if (failure_ == MPI_SUCCESS) note(copy_elements(from, to, count));
    return MPI_SUCCESS;
  }
  std::byte* room(std::size_t bytes) { return workspace_.room(bytes); }

  /// Waits until a message is complete.
  int wait(int* number) {
    MPI_Status status;
    const int code = PMPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), number, &status);
    if (*number == MPI_UNDEFINED) return code == MPI_SUCCESS ? MPI_ERR_INTERN : code;
    note(code);
    const int expected = expected_[static_cast<std::size_t>(*number)];
    int came = 0;
    if (code == MPI_SUCCESS && expected > 0 && PMPI_Get_count(&status, call_.type, &came) == MPI_SUCCESS && came == 0)
      note(MPI_ERR_OTHER);  // whoever sent it has failed
    return MPI_SUCCESS;
  }
  /// The first error here, or of a rank before this one.
  [[nodiscard]] int failure() const noexcept { return failure_; }
  /// After an error that ends the run: what is still under way shall not touch memory that is gone. No wait, as a peer
  /// may never answer.
  void abandon() {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      PMPI_Cancel(&request);
      PMPI_Request_free(&request);
    }
  }

 private:
  static constexpr int kNothing = 0;

  int copy_elements(const void* from, void* to, int count) {
    if (layout_.contiguous) {
      std::memcpy(to, from, layout_.elements.bytes(count));
      return MPI_SUCCESS;
    }
    return PMPI_Sendrecv(from, count, call_.type, 0, 0, to, count, call_.type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  /// expected: elements of a message that comes.
  MPI_Request* add(int expected) {
    expected_.push_back(expected);
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }
  void note(int code) {
    if (failure_ == MPI_SUCCESS) failure_ = code;
  }

  const ReduceCall& call_;
  const TypeLayout& layout_;
  Workspace& workspace_;
  std::vector<MPI_Request> requests_;
  std::vector<int> expected_;  ///< elements of each message that comes, else kNothing
  int failure_ = MPI_SUCCESS;
};

}  // namespace

std::byte* Workspace::room(std::size_t bytes) {
  if (bytes > size_) {
    memory_.reset(new std::byte[bytes]);
    size_ = bytes;
  }
  return memory_.get();
}

int run_reduce(const ReduceCall& call, std::span<const arrival::Step> steps, int segments, Workspace& workspace) {
  TypeLayout layout;
  if (const int code = layout.read(call.type); code != MPI_SUCCESS) return code;
  Port port(call, layout, workspace);
  const void* own = call.send == MPI_IN_PLACE ? call.receive : call.send;
  arrival::ReduceRun<Port> run(port, steps, {call.count, segments}, layout.elements,
                               {own, call.receive, any_mpi::rank_of(call.channel) == call.root});
  int code = run.post();
  while (code == MPI_SUCCESS && run.waits()) {
    int number = MPI_UNDEFINED;
    code = port.wait(&number);
    if (code == MPI_SUCCESS) code = run.complete(static_cast<std::size_t>(number));
  }
  if (code == MPI_SUCCESS) return port.failure();
  port.abandon();
  return code;
}

}  // namespace starling::pap
