// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Constructors of derived datatypes. Source: MPI-5.0, chapter 5.1.
#include <string>
#include <string_view>
#include <vector>

#include "api/calls.hpp"
#include "api/functions.hpp"
#include "base/format.hpp"
#include "mpi/attribute/attributes.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"

namespace starling::mpi {
namespace {

using datatype::CountWidth;
using datatype::Datatype;
using Integers = std::vector<std::int64_t>;

/// Both forms of a constructor share one body; only MPI_Type_get_envelope wants to know which one it was, and the
/// status card says so.
CountWidth called_width(Context& context) {
  const auto function = static_cast<Function>(context.card->call.load(std::memory_order_relaxed));
  return std::string_view(function_name(function)).ends_with("_c") ? CountWidth::kLarge : CountWidth::kInt;
}

Integers list(Counts counts, MPI_Count length) {
  Integers values(static_cast<std::size_t>(length));
  for (MPI_Count index = 0; index < length; ++index) values[static_cast<std::size_t>(index)] = counts[index];
  return values;
}

Status check_order(int order) {
  if (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN) return {};
  return Status::error(ErrorClass::kArg, formatted("order is {}; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order));
}

int give(Context& context, Datatype::Made made, MPI_Datatype* newtype) {
  if (!made.ok()) return fail(std::move(made).status());
  Result<MPI_Datatype> handle = context.add_type(std::move(made).value());
  if (!handle.ok()) return fail(std::move(handle).status());
  *newtype = handle.value();
  return MPI_SUCCESS;
}

}  // namespace

int type_contiguous(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Context& context = *current();
  return give(context, Datatype::contiguous(count, *context.datatype(oldtype), called_width(context)), newtype);
}

int type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Context& context = *current();
  const Datatype& type = *context.datatype(oldtype);
  return give(context, Datatype::vector(count, blocklength, stride, type, called_width(context)), newtype);
}

int type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                        MPI_Datatype* newtype) {
  Context& context = *current();
  const Datatype& type = *context.datatype(oldtype);
  return give(context, Datatype::hvector(count, blocklength, stride, type, called_width(context)), newtype);
}

int type_indexed(MPI_Count count, Counts array_of_blocklengths, Counts array_of_displacements, MPI_Datatype oldtype,
                 MPI_Datatype* newtype) {
  Context& context = *current();
  return give(context,
              Datatype::indexed(list(array_of_blocklengths, count), list(array_of_displacements, count),
                                *context.datatype(oldtype), called_width(context)),
              newtype);
}

int type_create_hindexed(MPI_Count count, Counts array_of_blocklengths, Displs array_of_displacements,
                         MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Context& context = *current();
  return give(context,
              Datatype::hindexed(list(array_of_blocklengths, count), list(array_of_displacements, count),
                                 *context.datatype(oldtype), called_width(context)),
              newtype);
}

int type_create_indexed_block(MPI_Count count, MPI_Count blocklength, Counts array_of_displacements,
                              MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Context& context = *current();
  return give(context,
              Datatype::indexed_block(blocklength, list(array_of_displacements, count), *context.datatype(oldtype),
                                      called_width(context)),
              newtype);
}

int type_create_hindexed_block(MPI_Count count, MPI_Count blocklength, Displs array_of_displacements,
                               MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Context& context = *current();
  return give(context,
              Datatype::hindexed_block(blocklength, list(array_of_displacements, count), *context.datatype(oldtype),
                                       called_width(context)),
              newtype);
}

int type_create_struct(MPI_Count count, Counts array_of_blocklengths, Displs array_of_displacements,
                       const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  Context& context = *current();
  std::vector<const Datatype*> types(static_cast<std::size_t>(count));
  for (std::size_t index = 0; index < types.size(); ++index) types[index] = context.datatype(array_of_types[index]);
  return give(context,
              Datatype::structure(list(array_of_blocklengths, count), list(array_of_displacements, count), types,
                                  called_width(context)),
              newtype);
}

int type_create_resized(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
  Context& context = *current();
  return give(context, Datatype::resized(*context.datatype(oldtype), lb, extent, called_width(context)), newtype);
}

int type_create_darray(int size, int rank, int ndims, Counts array_of_gsizes, const int array_of_distribs[],
                       const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  if (Status known = check_order(order); !known.ok()) return fail(std::move(known));
  Context& context = *current();
  const Integers sizes = list(array_of_gsizes, ndims);
  const Integers distributions(array_of_distribs, array_of_distribs + ndims);
  const Integers arguments(array_of_dargs, array_of_dargs + ndims);
  const Integers processes(array_of_psizes, array_of_psizes + ndims);
  const Datatype::DarrayShape shape{
      size, rank, sizes, distributions, arguments, processes, static_cast<datatype::Order>(order)};
  return give(context, Datatype::darray(shape, *context.datatype(oldtype), called_width(context)), newtype);
}

int type_create_subarray(int ndims, Counts array_of_sizes, Counts array_of_subsizes, Counts array_of_starts, int order,
                         MPI_Datatype oldtype, MPI_Datatype* newtype) {
  if (Status known = check_order(order); !known.ok()) return fail(std::move(known));
  Context& context = *current();
  return give(
      context,
      Datatype::subarray(list(array_of_sizes, ndims), list(array_of_subsizes, ndims), list(array_of_starts, ndims),
                         static_cast<datatype::Order>(order), *context.datatype(oldtype), called_width(context)),
      newtype);
}

int type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Context& context = *current();
  if (const int code = give(context, Datatype::dup(*context.datatype(oldtype)), newtype)) return code;
  TypeObject& made = context.type_object(*newtype);
  if (const int code = made.attributes->copy_from(oldtype, *context.type_object(oldtype).attributes)) {
    context.types.erase(*newtype);
    *newtype = MPI_DATATYPE_NULL;
    return fail(Status::error(static_cast<ErrorClass>(code),
                              "the copy function of an attribute failed, so there is no duplicate"));
  }
  return MPI_SUCCESS;
}

int type_commit(MPI_Datatype* datatype) {
  Context& context = *current();
  // A predefined type is committed from the start.
  if (std::unique_ptr<TypeObject>* object = context.types.find(*datatype)) (*object)->type->commit();
  return MPI_SUCCESS;
}

int type_free(MPI_Datatype* datatype) {
  Context& context = *current();
  std::unique_ptr<TypeObject>* object = context.types.find(*datatype);
  if (object == nullptr || (*object)->type->is_predefined()) {
    return fail(Status::error(ErrorClass::kType, std::string(context.datatype(*datatype)->name()) +
                                                     " is predefined; predefined datatypes cannot be freed"));
  }
  if (const int code = (*object)->attributes->clear(*datatype)) {
    return fail(Status::error(static_cast<ErrorClass>(code),
                              "the delete function of an attribute failed, so the object stays"));
  }
  context.types.erase(*datatype);
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
