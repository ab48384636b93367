// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reduction operations. Source: MPI-5.0, chapter 6.9.
#include "api/calls.hpp"

#include <string>

#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/refusals.hpp"
#include "mpi/collective/overlap.hpp"

namespace starling::mpi {
namespace {

int give(Result<Ref<datatype::Op>> made, MPI_Op* op) {
  if (!made.ok()) return fail(std::move(made).status());
  *op = to_handle<MPI_Op>(current()->ops.insert(std::move(made).value()));
  if (*op != nullptr) return MPI_SUCCESS;
  return fail(
      Status::error(ErrorClass::kIntern,
                    "more than four million reduction operations are alive; free those that are no longer needed"));
}

[[gnu::cold]] int refuse_overlap() {
  return fail(
      Status::error(ErrorClass::kBuffer, "inbuf and inoutbuf overlap in memory; give each a buffer of its own"));
}

datatype::Commutes commutes(int commute) { return commute != 0 ? datatype::Commutes::kYes : datatype::Commutes::kNo; }

}  // namespace

// A user's function takes an MPI_Datatype*, the engine hands it the same address as void*: one calling form.
int op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  return give(datatype::Op::user(reinterpret_cast<datatype::Op::Function>(user_fn), commutes(commute)), op);
}

int op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return give(datatype::Op::user_large(reinterpret_cast<datatype::Op::LargeFunction>(user_fn), commutes(commute)), op);
}

int op_free(MPI_Op* op) {
  Context& context = *current();
  if (context.ops.find(*op) == nullptr) {
    return fail(Status::error(ErrorClass::kOp, std::string(context.op(*op)->name()) +
                                                   " is predefined; predefined operations cannot be freed"));
  }
  context.ops.erase(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int op_commutative(MPI_Op op, int* commute) {
  *commute = current()->op(op)->commutative() ? 1 : 0;
  return MPI_SUCCESS;
}

int reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  if (count == 0) return MPI_SUCCESS;
  Context& context = *current();
  const datatype::Datatype& type = *context.datatype(datatype);
  if (kChecked && !are_apart(inbuf, inoutbuf, count, type)) [[unlikely]]
    return refuse_overlap();
  return done(context.op(op)->apply(inbuf, inoutbuf, count, type));
}

}  // namespace starling::mpi
