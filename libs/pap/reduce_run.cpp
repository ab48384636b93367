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
class Port {
 public:
  static constexpr bool kInOrder = false;

  Port(const ReduceCall& call, const TypeLayout& layout, Workspace& workspace)
      : call_(call), layout_(layout), workspace_(workspace) {}

  int send(const void* from, int count, int peer, int segment) {
    return PMPI_Isend(from, count, call_.type, peer, segment, call_.channel, add());
  }
  int receive(void* into, int count, int peer, int segment) {
    return PMPI_Irecv(into, count, call_.type, peer, segment, call_.channel, add());
  }
  void drop(std::size_t number) {
    requests_[number] = requests_.back();
    requests_.pop_back();
  }
  int combine(const void* in, void* inout, int count) {
    return PMPI_Reduce_local(in, inout, count, call_.type, call_.op);
  }
  int copy(const void* from, void* to, int count) {
    if (layout_.contiguous) {
      std::memcpy(to, from, layout_.elements.bytes(count));
      return MPI_SUCCESS;
    }
    return PMPI_Sendrecv(from, count, call_.type, 0, 0, to, count, call_.type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  std::byte* room(std::size_t bytes) { return workspace_.room(bytes); }

  /// Waits until a message is complete.
  int wait(int* number) {
    return PMPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), number, MPI_STATUS_IGNORE);
  }
  /// After an error: what is still under way shall not touch memory that is gone. No wait, as a peer may never answer.
  void abandon() {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      PMPI_Cancel(&request);
      PMPI_Request_free(&request);
    }
  }

 private:
  MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  const ReduceCall& call_;
  const TypeLayout& layout_;
  Workspace& workspace_;
  std::vector<MPI_Request> requests_;
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
  if (code != MPI_SUCCESS) port.abandon();
  return code;
}

}  // namespace starling::pap
