// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/choose/policy.hpp"

#include <string>

#include "base/format.hpp"

namespace starling::collective {
namespace {

STARLING_CONFIG(check, "CHECK", std::string, "arguments", kCollectives, kAllAlike,
                "What calls are checked for: arguments (those of each call), or collective (also that all ranks of a "
                "communicator make the same collective calls).");

STARLING_CONFIG(
    late, "LATE", std::string, "auto", kCollectives, kAllAlike,
    "Go around ranks that come late: off; exact (reductions whose bits no order of combining changes, as of "
    "integers); auto (reductions by every commutative operator: sums of floats may differ in their last "
    "bits, but only where some rank was late); any (calls that only move data as well). REPRODUCIBLE goes "
    "before.");
STARLING_CONFIG(late_least_bytes, "LATE_LEAST_BYTES", std::int64_t, 65536, kCollectives, kAllAlike,
                "Keep no account of who is late for vectors, or blocks, of fewer bytes.");
STARLING_CONFIG(late_table, "LATE_TABLE", bool, false, kCollectives, kAllAlike,
                "Print at the end who was late for which collective calls, and what that cost.");

/// Whether the result has the same bits whatever the order of combining.
bool is_exact(const datatype::Op& op, const datatype::Datatype& type) {
  if (!op.is_predefined() || type.basic() == datatype::Basic::kNone) return false;
  return datatype::info(type.basic()).arithmetic <= datatype::Arithmetic::kInt128;
}

/// Reductions that can go around late ranks.
bool combines(Operation operation) {
  return operation == Operation::kReduce || operation == Operation::kAllreduce ||
         operation == Operation::kReduceScatter || operation == Operation::kReduceScatterBlock;
}

/// Other calls that can.
bool moves(Operation operation) {
  return operation == Operation::kBcast || operation == Operation::kGather || operation == Operation::kScatter ||
         operation == Operation::kAllgather || operation == Operation::kAllgatherv;
}

/// Whether STARLING_CHECK asks to compare calls.
Result<bool> parse_check(const std::string& word) {
  if (word == "arguments") return false;
  if (word == "collective") return true;
  return Status::error(ErrorClass::kArg,
                       formatted("{}={}: there is no such check. Choose one of: arguments, collective.",
                                 check.environment_name(), word));
}

}  // namespace

Result<Policy::Late> Policy::parse_late(const std::string& word) {
  if (word == "off") return Late::kOff;
  if (word == "exact") return Late::kExact;
  if (word == "auto") return Late::kAuto;
  if (word == "any") return Late::kAny;
  return Status::error(ErrorClass::kArg,
                       formatted("{}={}: there is no such choice. Choose one of: off, exact, auto, any.",
                                 late.environment_name(), word));
}

Result<Policy> Policy::create(const config::Store& config, std::int32_t cores) {
  Result<Selector> selector = Selector::create(config, cores);
  if (!selector.ok()) return std::move(selector).status();
  Result<bool> compares = parse_check(config.get(check));
  if (!compares.ok()) return std::move(compares).status();
  Result<Late> how_late = parse_late(config.get(late));
  if (!how_late.ok()) return std::move(how_late).status();
  Policy policy(selector.value());
  policy.verifies_ = compares.value();
  policy.late_ = how_late.value();
  policy.late_least_bytes_ = config.get(late_least_bytes);
  policy.late_table_ = config.get(late_table);
  return policy;
}

bool Policy::tracks_long(const Arguments& a) const {
  if (!combines(a.operation) && !moves(a.operation)) return false;
  if (a.comm->is_inter() || a.comm->size() < 3) return false;
  // What ranks know of each other's lateness lies in memory that they share, as times of one clock.
  if (a.comm->shared_domain() == nullptr) return false;
  if (late_ == Late::kOff || verifies_ || a.form > Form::kPersistent) return false;  // of the program only
  return late_table_ || may_go_around(a);
}

bool Policy::may_go_around(const Arguments& a) const {
  if (!combines(a.operation)) return late_ == Late::kAny;
  if (!a.op->commutative() || selector_.reproducible()) return false;
  return late_ != Late::kExact || is_exact(*a.op, *a.receive_type);
}

LateHandling Policy::late_handling_of(const Arguments& a) const {
  if (!may_go_around(a)) return LateHandling::kOnlyWatch;
  return late_table_ || selector_.wants_prediction(a.operation) ? LateHandling::kGoAroundAndWatchAll
                                                                : LateHandling::kMayGoAround;
}

}  // namespace starling::collective
