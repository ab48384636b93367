// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/run/call_digest.hpp"

#include <cctype>

#include "base/format.hpp"
#include "collective/arguments/agreed_bytes.hpp"

namespace starling::collective {
namespace {

struct TypedData {
  std::int64_t count;
  const datatype::Datatype* type;
};

/// The data whose type signature is the same on every rank; no type where there are none.
TypedData common_data(const Arguments& a) {
  const bool root = a.comm->rank() == a.root;
  switch (a.operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
    case Operation::kReduceScatterBlock:
    case Operation::kAllgather:
    case Operation::kAlltoall: return {a.receive_count, a.receive_type};
    case Operation::kGather:
      return root ? TypedData{a.receive_count, a.receive_type} : TypedData{a.send_count, a.send_type};
    case Operation::kScatter:
      return root ? TypedData{a.send_count, a.send_type} : TypedData{a.receive_count, a.receive_type};
    default: return {0, nullptr};
  }
}

std::uint64_t signature_of(const Arguments& a) {
  if (const TypedData data = common_data(a); data.type) return data.type->signature_hash(data.count);
  if (a.operation != Operation::kAllgatherv && a.operation != Operation::kReduceScatter) return 0;
  // The blocks of all ranks, in rank order.
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  std::uint64_t all = 1;
  for (std::int32_t rank = 0; rank < a.comm->size(); ++rank) {
    all = all * kMultiplier + a.receive_type->signature_hash(a.receive_counts[rank]);
  }
  return all;
}

/// "MPI_Reduce_scatter_init".
std::string function_name(Operation operation, Form form) {
  std::string text = name(operation);
  if (form == Form::kNonblocking) text = "i" + text;
  text[0] = static_cast<char>(std::toupper(text[0]));
  return "MPI_" + text + (form == Form::kPersistent ? "_init" : "");
}

/// How the digests differ; success when they do not.
ErrorClass difference(const CallDigest& a, const CallDigest& b) {
  if (a.operation != b.operation || a.form != b.form) return ErrorClass::kOther;
  if (a.root != b.root) return ErrorClass::kRoot;
  if (a.op != b.op || a.commutative != b.commutative) return ErrorClass::kOp;
  if (a.signature == b.signature) return ErrorClass::kSuccess;
  return a.bytes != b.bytes ? ErrorClass::kCount : ErrorClass::kType;
}

const char* what_differs(ErrorClass difference) {
  switch (difference) {
    case ErrorClass::kRoot: return "the same root";
    case ErrorClass::kOp: return "the same operator";
    case ErrorClass::kCount: return "counts and datatypes that match";
    case ErrorClass::kType: return "datatypes whose basic types match";
    default: return "the same collective calls in the same order";
  }
}

}  // namespace

CallDigest CallDigest::of(const Arguments& a) {
  CallDigest digest;
  digest.operation = a.operation;
  digest.form = a.form;
  if (reduces(a.operation)) {
    digest.op = a.op->is_predefined() ? static_cast<std::uint8_t>(a.op->predefined_op()) : kUserOp;
    digest.commutative = a.op->commutative();
  }
  if (rooted(a.operation)) digest.root = a.root;
  digest.bytes = agreed_bytes(a);
  digest.signature = signature_of(a);
  return digest;
}

std::string CallDigest::text() const {
  if (form == Form::kInternal) return "a call that makes or frees a communicator";
  std::string details;
  const auto add = [&](const std::string& detail) { details += (details.empty() ? "" : ", ") + detail; };
  if (root != kNoRoot) add(formatted("root {}", root));
  if (op == kUserOp) add(commutative ? "a user's operator" : "a user's operator that does not commute");
  if (op < kUserOp) add(datatype::name(static_cast<datatype::PredefinedOp>(op)));
  if (signature != 0) add(formatted("{} bytes {}", bytes, meaning_of_bytes(operation)));
  return function_name(operation, form) + "(" + details + ")";
}

Status compare(std::span<const CallDigest> digests, std::int32_t rank) {
  const CallDigest& mine = digests[static_cast<std::size_t>(rank)];
  for (std::size_t other = 0; other < digests.size(); ++other) {
    const ErrorClass found = difference(mine, digests[other]);
    if (found == ErrorClass::kSuccess) continue;
    return Status::error(found, formatted("this rank, {}, calls {}, but rank {} calls {}. All ranks of a communicator "
                                          "must make {}; none of them has done anything.",
                                          rank, mine.text(), other, digests[other].text(), what_differs(found)));
  }
  return {};
}

}  // namespace starling::collective
