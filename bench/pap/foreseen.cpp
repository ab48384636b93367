// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "foreseen.hpp"

#include "arrival/drive/reduce_plan.hpp"
#include "program.hpp"
#include "reduce_run.hpp"

namespace bench {

Foreseen::Foreseen(MPI_Comm comm, int floats, starling::pap::Measurements& measurements)
    : floats_(floats),
      channel_(comm, {starling::pap::Operation::kReduce, std::int64_t{sizeof(float)} * floats, 0}, nullptr,
               measurements) {
  channel_.always_go_around();
}

Foreseen::~Foreseen() {
  channel_.begin_finish(thread_);
  channel_.finish(thread_);
  thread_.stop();
}

int Foreseen::reduce(const float* send, float* receive) {
  channel_.enter(thread_);
  const auto plan = starling::programs::charged(&schedule_s_, [this] {
    return starling::arrival::plan_reduce(channel_.arrivals(), channel_.slicing(), floats_, 0, channel_.rank());
  });
  int code = MPI_ERR_INTERN;
  if (plan.ok()) {
    const starling::pap::ReduceCall call{send, receive, floats_, MPI_FLOAT, MPI_SUM, 0, channel_.comm()};
    code = starling::pap::run_reduce(call, plan.value().steps, plan.value().cut.segments, channel_.workspace());
  }
  channel_.leave(thread_);
  return code;
}

}  // namespace bench
