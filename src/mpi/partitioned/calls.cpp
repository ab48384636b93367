// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication. Source: MPI-5.0, chapter 4.
#include "api/calls.hpp"

#include <string>

#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/looking.hpp"
#include "mpi/p2p/messages.hpp"
#include "mpi/partitioned/partitioned.hpp"

namespace starling::mpi {
namespace {

/// The request as one of its kind, or null.
template <typename Kind>
Kind* as(const RequestEntry& entry) {
  return dynamic_cast<Kind*>(entry.request);
}

int not_partitioned(const RequestEntry& entry, const char* init) {
  return fail(Status::error(ErrorClass::kRequest, std::string("the request was not made by ") + init), entry.owner);
}

/// Marks each partition that next(i) names for i below count.
template <typename Next>
int mark_ready(MPI_Request request, int count, Next next) {
  Context& context = *current();
  const RequestEntry entry = *context.request(request);
  auto* send = as<PartitionedSend>(entry);
  if (send == nullptr) return not_partitioned(entry, "MPI_Psend_init");
  for (int index = 0; index < count; ++index) {
    if (Status marked = send->ready(context, next(index)); !marked.ok()) return fail(std::move(marked), entry.owner);
  }
  return MPI_SUCCESS;
}

}  // namespace

int psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  Context& context = *current();
  context.reap_orphans();
  auto* made = new PartitionedSend(context, make_message(context, buf, count, datatype, dest, tag, comm),
                                   static_cast<std::uint32_t>(partitions), *context.comm(comm));
  return context.add_request(made, comm, request);
}

int precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Info /*info*/, MPI_Request* request) {
  Context& context = *current();
  context.reap_orphans();
  auto* made = new PartitionedReceive(context, make_message(context, buf, count, datatype, dest, tag, comm),
                                      static_cast<std::uint32_t>(partitions), *context.comm(comm));
  return context.add_request(made, comm, request);
}

int pready(int partition, MPI_Request request) {
  return mark_ready(request, 1, [=](int /*index*/) { return partition; });
}

int pready_range(int partition_low, int partition_high, MPI_Request request) {
  if (partition_low > partition_high) {
    return fail(
        Status::error(ErrorClass::kArg,
                      formatted("partition_low is {} and partition_high is {}; the first must not be above the second",
                                partition_low, partition_high)));
  }
  return mark_ready(request, partition_high - partition_low + 1, [=](int index) { return partition_low + index; });
}

int pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  return mark_ready(request, length, [=](int index) { return array_of_partitions[index]; });
}

int parrived(MPI_Request request, int partition, int* flag) {
  *flag = 1;
  if (request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  Context& context = *current();
  const RequestEntry entry = *context.request(request);
  auto* receive = as<PartitionedReceive>(entry);
  if (receive == nullptr) return not_partitioned(entry, "MPI_Precv_init");
  Result<bool> arrived = receive->arrived(partition);
  if (arrived.ok() && !arrived.value()) {
    const std::size_t places = places_of_requests(context, 1) * receive->partitions();
    look_again(context, places, [&] {
      arrived = receive->arrived(partition);
      return !arrived.ok() || arrived.value();
    });
  }
  if (!arrived.ok()) return fail(std::move(arrived).status(), entry.owner);
  *flag = arrived.value() ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
