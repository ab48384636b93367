// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/selector.hpp"

#include <bit>
#include <cstdio>
#include <string>

namespace starling::collective {
namespace {

STARLING_CONFIG(coll_barrier, "COLL_BARRIER", std::string, "auto", "Algorithm for barrier; auto picks the cheapest.");
STARLING_CONFIG(coll_bcast, "COLL_BCAST", std::string, "auto", "Algorithm for bcast; auto picks the cheapest.");
STARLING_CONFIG(coll_reduce, "COLL_REDUCE", std::string, "auto", "Algorithm for reduce; auto picks the cheapest.");
STARLING_CONFIG(coll_allreduce, "COLL_ALLREDUCE", std::string, "auto",
                "Algorithm for allreduce; auto picks the cheapest.");
STARLING_CONFIG(coll_gather, "COLL_GATHER", std::string, "auto", "Algorithm for gather; auto picks the cheapest.");
STARLING_CONFIG(coll_gatherv, "COLL_GATHERV", std::string, "auto", "Algorithm for gatherv; auto picks the cheapest.");
STARLING_CONFIG(coll_scatter, "COLL_SCATTER", std::string, "auto", "Algorithm for scatter; auto picks the cheapest.");
STARLING_CONFIG(coll_scatterv, "COLL_SCATTERV", std::string, "auto",
                "Algorithm for scatterv; auto picks the cheapest.");
STARLING_CONFIG(coll_allgather, "COLL_ALLGATHER", std::string, "auto",
                "Algorithm for allgather; auto picks the cheapest.");
STARLING_CONFIG(coll_allgatherv, "COLL_ALLGATHERV", std::string, "auto",
                "Algorithm for allgatherv; auto picks the cheapest.");
STARLING_CONFIG(coll_alltoall, "COLL_ALLTOALL", std::string, "auto",
                "Algorithm for alltoall; auto picks the cheapest.");
STARLING_CONFIG(coll_alltoallv, "COLL_ALLTOALLV", std::string, "auto",
                "Algorithm for alltoallv; auto picks the cheapest.");
STARLING_CONFIG(coll_alltoallw, "COLL_ALLTOALLW", std::string, "auto",
                "Algorithm for alltoallw; auto picks the cheapest.");
STARLING_CONFIG(coll_scan, "COLL_SCAN", std::string, "auto", "Algorithm for scan; auto picks the cheapest.");
STARLING_CONFIG(coll_exscan, "COLL_EXSCAN", std::string, "auto", "Algorithm for exscan; auto picks the cheapest.");
STARLING_CONFIG(coll_reduce_scatter, "COLL_REDUCE_SCATTER", std::string, "auto",
                "Algorithm for reduce_scatter; auto picks the cheapest.");
STARLING_CONFIG(coll_reduce_scatter_block, "COLL_REDUCE_SCATTER_BLOCK", std::string, "auto",
                "Algorithm for reduce_scatter_block; auto picks the cheapest.");

STARLING_CONFIG(fixed_order, "REPRODUCIBLE", bool, false,
                "Fix the order of every reduction, whatever the arrival order, the placement and the size.");
STARLING_CONFIG(message_ns, "COLL_MESSAGE_NS", double, 270, "Cost model: nanoseconds for one small message.");
STARLING_CONFIG(byte_ns, "COLL_BYTE_NS", double, 0.3,
                "Cost model: nanoseconds for each byte of a message that is copied twice.");
STARLING_CONFIG(long_ns, "COLL_LONG_NS", double, 3000,
                "Cost model: nanoseconds to start a message that is copied once from the sender's memory.");
STARLING_CONFIG(long_byte_ns, "COLL_LONG_BYTE_NS", double, 0.05,
                "Cost model: nanoseconds for each byte of a message that is copied once.");
STARLING_CONFIG(reduce_byte_ns, "COLL_REDUCE_BYTE_NS", double, 0.15,
                "Cost model: nanoseconds for each byte of a whole vector that is combined with another.");
STARLING_CONFIG(fold_byte_ns, "COLL_FOLD_BYTE_NS", double, 0.05,
                "Cost model: nanoseconds for each byte folded in shared memory, piece by piece.");
STARLING_CONFIG(line_ns, "COLL_LINE_NS", double, 180,
                "Cost model: nanoseconds until a cache line that one core wrote is seen by another that waits.");
STARLING_CONFIG(copy_byte_ns, "COLL_COPY_BYTE_NS", double, 0.09,
                "Cost model: nanoseconds for each byte copied into or out of shared memory.");
STARLING_CONFIG(turn_ns, "COLL_TURN_NS", double, 2500,
                "Cost model: nanoseconds for one switch between ranks that share a core.");

const std::array<const config::Variable<std::string>*, kOperationCount> kVariables = {
    &coll_barrier,
    &coll_bcast,
    &coll_reduce,
    &coll_allreduce,
    &coll_gather,
    &coll_gatherv,
    &coll_scatter,
    &coll_scatterv,
    &coll_allgather,
    &coll_allgatherv,
    &coll_alltoall,
    &coll_alltoallv,
    &coll_alltoallw,
    &coll_scan,
    &coll_exscan,
    &coll_reduce_scatter,
    &coll_reduce_scatter_block,
};

Result<const Algorithm*> named(Operation operation, const config::Variable<std::string>& variable,
                               const std::string& wanted) {
  const Algorithm* none = nullptr;
  if (wanted == "auto" || wanted.empty()) return none;
  std::string names = "auto";
  for (const Algorithm* algorithm : algorithms(operation)) {
    if (wanted == algorithm->name) return algorithm;
    names += std::string(", ") + algorithm->name;
  }
  return Status::error(ErrorClass::kArg, variable.environment_name() + "=" + wanted +
                                             ": there is no such algorithm for " + name(operation) +
                                             ". Choose one of: " + names + ".");
}

bool order_matters(Operation operation) noexcept {
  switch (operation) {
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
    case Operation::kReduceScatter:
    case Operation::kReduceScatterBlock: return true;
    default: return false;
  }
}

bool can_run(const Algorithm& algorithm, const Shape& shape) noexcept {
  const std::uint32_t needs = algorithm.needs;
  if ((needs & kCommutative) != 0 && !shape.commutative) return false;
  if ((needs & kPowerOfTwo) != 0 && !std::has_single_bit(static_cast<std::uint32_t>(shape.ranks))) return false;
  if ((needs & kDense) != 0 && !shape.dense) return false;
  if ((needs & kArea) != 0 && !shape.area) return false;
  if (shape.reproducible && algorithm.order != Order::kRanks && order_matters(shape.operation)) return false;
  return algorithm.fits == nullptr || algorithm.fits(shape);
}

}  // namespace

Result<Selector> Selector::create(const config::Store& config, std::int32_t cores) {
  Selector selector;
  for (std::size_t i = 0; i < kVariables.size(); ++i) {
    auto found = named(static_cast<Operation>(i), *kVariables[i], config.get(*kVariables[i]));
    if (!found.ok()) return std::move(found).status();
    selector.forced_[i] = found.value();
  }
  selector.reproducible_ = config.get(fixed_order);
  selector.machine_ = Machine{config.get(message_ns),     config.get(byte_ns),
                              config.get(long_ns),        config.get(long_byte_ns),
                              config.get(reduce_byte_ns), config.get(fold_byte_ns),
                              config.get(line_ns),        config.get(copy_byte_ns),
                              config.get(turn_ns),        cores};
  return selector;
}

const Algorithm& Selector::choose(const Shape& shape) const noexcept {
  const Algorithm* wanted = forced(shape);
  if (wanted && can_run(*wanted, shape)) return *wanted;
  const Algorithm* best = nullptr;
  double least = 0;
  for (const Algorithm* algorithm : algorithms(shape.operation)) {
    if (!can_run(*algorithm, shape)) continue;
    const double cost = algorithm->cost(shape, machine_);
    if (best == nullptr || cost < least) {
      best = algorithm;
      least = cost;
    }
  }
  return *best;  // every operation has an algorithm that takes anything; a test sweeps the list for it
}

std::string misfit(const Algorithm& algorithm, const Shape& shape) {
  if (can_run(algorithm, shape)) return {};
  if ((algorithm.needs & kCommutative) != 0 && !shape.commutative) return "needs a commutative operator";
  if ((algorithm.needs & kPowerOfTwo) != 0 && !std::has_single_bit(static_cast<std::uint32_t>(shape.ranks))) {
    return "needs a power of two of ranks";
  }
  if ((algorithm.needs & kDense) != 0 && !shape.dense) return "needs elements without gaps";
  if ((algorithm.needs & kArea) != 0 && !shape.area) return "needs shared memory";
  if (shape.reproducible && algorithm.order != Order::kRanks) return "its order of reduction is not fixed";
  return "does not take this size";
}

std::string Selector::explain(const Shape& shape) const {
  const Algorithm& chosen = choose(shape);
  const Algorithm* wanted = forced(shape);
  std::string text = std::string(name(shape.operation)) + ", " + std::to_string(shape.ranks) + " ranks, " +
                     std::to_string(shape.bytes) + " bytes: " + chosen.name;
  if (wanted == &chosen) {
    text += " (asked for by the configuration)";
  } else if (wanted) {
    text += std::string(" (") + wanted->name + " was asked for, but " + misfit(*wanted, shape) + ")";
  }
  text += "\n";
  for (const Algorithm* algorithm : algorithms(shape.operation)) {
    char line[200];
    const std::string why = misfit(*algorithm, shape);
    if (why.empty()) {
      std::snprintf(line, sizeof line, "  %-20s %12.2f us   %s\n", algorithm->name,
                    algorithm->cost(shape, machine_) / 1000, algorithm->cost_text);
    } else {
      std::snprintf(line, sizeof line, "  %-20s %12s      %s\n", algorithm->name, "-", why.c_str());
    }
    text += line;
  }
  return text;
}

}  // namespace starling::collective
