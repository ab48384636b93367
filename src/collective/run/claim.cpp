// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/run/claim.hpp"

#include <cctype>

#include "collective/choose/shape.hpp"

namespace starling::collective {
namespace {

struct Part {
  std::int64_t count;
  const datatype::Datatype* type;
};

/// The data whose type signature is the same on every rank; no type where there are none.
Part common_part(const Arguments& a) {
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
    case Operation::kGather: return root ? Part{a.receive_count, a.receive_type} : Part{a.send_count, a.send_type};
    case Operation::kScatter: return root ? Part{a.send_count, a.send_type} : Part{a.receive_count, a.receive_type};
    default: return {0, nullptr};
  }
}

std::uint64_t signature_of(const Arguments& a) {
  if (const Part part = common_part(a); part.type) return part.type->signature_hash(part.count);
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

/// How the claims differ; success when they do not.
ErrorClass difference(const Claim& a, const Claim& b) {
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

Claim Claim::of(const Arguments& a) {
  Claim claim;
  claim.operation = a.operation;
  claim.form = a.form;
  if (reduces(a.operation)) {
    claim.op = a.op->is_predefined() ? static_cast<std::uint8_t>(a.op->predefined_op()) : kUserOp;
    claim.commutative = a.op->commutative();
  }
  if (rooted(a.operation)) claim.root = a.root;
  claim.bytes = agreed_bytes(a);
  claim.signature = signature_of(a);
  return claim;
}

std::string Claim::text() const {
  if (form == Form::kInternal) return "a call that makes or frees a communicator";
  std::string details;
  const auto add = [&](const std::string& detail) { details += (details.empty() ? "" : ", ") + detail; };
  if (root != kNoRoot) add("root " + std::to_string(root));
  if (op == kUserOp) add(commutative ? "a user's operator" : "a user's operator that does not commute");
  if (op < kUserOp) add(datatype::name(static_cast<datatype::PredefinedOp>(op)));
  if (signature != 0) add(std::to_string(bytes) + " bytes " + meaning_of_bytes(operation));
  return function_name(operation, form) + "(" + details + ")";
}

Status compare(std::span<const Claim> claims, std::int32_t rank) {
  const Claim& mine = claims[static_cast<std::size_t>(rank)];
  for (std::size_t other = 0; other < claims.size(); ++other) {
    const ErrorClass found = difference(mine, claims[other]);
    if (found == ErrorClass::kSuccess) continue;
    return Status::error(found, "this rank, " + std::to_string(rank) + ", calls " + mine.text() + ", but rank " +
                                    std::to_string(other) + " calls " + claims[other].text() +
                                    ". All ranks of a communicator must make " + what_differs(found) +
                                    "; none of them has done anything.");
  }
  return {};
}

}  // namespace starling::collective
