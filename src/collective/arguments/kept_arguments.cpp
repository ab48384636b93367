// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/arguments/kept_arguments.hpp"

#include <cstring>

namespace starling::collective {
namespace {

using Types = const datatype::Datatype* const*;

/// Calls visit(array, entries) with each array that a call may have been given.
template <typename Visit>
void for_each_array(Arguments& a, const Visit& visit) {
  const std::int32_t sent = blocks_sent(a);
  // Each rank of the own group gets a block of a reduction, also between two groups.
  const std::int32_t received = a.operation == Operation::kReduceScatter ? a.comm->size() : blocks_received(a);
  visit(a.send_counts, sent);
  visit(a.send_displs, sent);
  visit(a.send_types, sent);
  visit(a.receive_counts, received);
  visit(a.receive_displs, received);
  visit(a.receive_types, received);
}

/// Whether a call of this kind has any.
bool has_arrays(const Arguments& a) noexcept { return a.send_counts.given() || a.receive_counts.given(); }

std::size_t bytes_of(Counts counts, std::int32_t entries) { return counts.bytes(entries); }
std::size_t bytes_of(Types types, std::int32_t entries) {
  return types ? static_cast<std::size_t>(entries) * sizeof *types : 0;
}

Counts copied(Counts counts, std::int32_t entries, void* memory) { return counts.copied_to(memory, entries); }
Types copied(Types types, std::int32_t entries, void* memory) {
  if (!types) return nullptr;
  std::memcpy(memory, types, bytes_of(types, entries));
  return static_cast<Types>(memory);
}

/// Each array begins where the widest entries may.
std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t kWidest = sizeof(std::int64_t);
  return (bytes + kWidest - 1) / kWidest * kWidest;
}

}  // namespace

KeptArguments::KeptArguments(const Arguments& arguments, Form form)
    : arguments_(arguments), comm_(Ref<comm::Communicator>::share(arguments.comm)) {
  if (arguments.form != Form::kInternal) arguments_.form = form;
  if (arguments.op) op_ = Ref<const datatype::Op>::share(arguments.op);
  keep(arguments.send_type);
  keep(arguments.receive_type);
  if (!has_arrays(arguments)) return;
  keep_all(arguments.send_types, blocks_sent(arguments));
  keep_all(arguments.receive_types, blocks_received(arguments));
  copy_arrays();
}

void KeptArguments::keep(const datatype::Datatype* type) {
  if (type && !type->is_predefined()) kept_types_.push_back(Ref<const datatype::Datatype>::share(type));
}

void KeptArguments::keep_all(const datatype::Datatype* const* types, std::int32_t count) {
  for (std::int32_t i = 0; types && i < count; ++i) keep(types[i]);
}

void KeptArguments::copy_arrays() {
  std::size_t bytes = 0;
  for_each_array(arguments_,
                 [&](const auto& array, std::int32_t entries) { bytes += aligned(bytes_of(array, entries)); });
  if (bytes > few_.size()) many_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::byte* to = many_ ? many_.get() : few_.data();
  for_each_array(arguments_, [&](auto& array, std::int32_t entries) {
    const std::size_t taken = aligned(bytes_of(array, entries));
    array = copied(array, entries, to);
    to += taken;
  });
}

}  // namespace starling::collective
